"use strict";
// Keeps the page on the machine that has opened it once, until another version is there.

const NAME = "cribev-«version»",
  FILES = ["./", "index.html", "icon.svg", "manifest.webmanifest"];

async function install() {
  const cache = await caches.open(NAME);
  await cache.addAll(FILES);
}

async function activate() {
  const names = await caches.keys(),
    old = names.filter((name) => name.startsWith("cribev-") && name !== NAME);
  for (const name of old) await caches.delete(name);
  await clients.claim();
}

async function respond(request) {
  return (await caches.match(request, { ignoreSearch: true })) ?? fetch(request);
}

addEventListener("install", (event) => {
  skipWaiting();
  event.waitUntil(install());
});
addEventListener("activate", (event) => event.waitUntil(activate()));
addEventListener("fetch", (event) => event.respondWith(respond(event.request)));
