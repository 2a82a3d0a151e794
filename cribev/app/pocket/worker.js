"use strict";
// Keeps the page on the machine that has opened it once, until another version is there.

const NAME = "cribev-«version»",
  FILES = ["./", "index.html", "icon.svg", "manifest.webmanifest"];

addEventListener("install", (event) => {
  skipWaiting();
  event.waitUntil(caches.open(NAME).then((kept) => kept.addAll(FILES)));
});

addEventListener("activate", (event) =>
  event.waitUntil(
    (async () => {
      for (const name of await caches.keys())
        if (name.startsWith("cribev-") && name !== NAME) await caches.delete(name);
      await clients.claim();
    })(),
  ),
);

addEventListener("fetch", (event) =>
  event.respondWith(
    (async () =>
      (await caches.match(event.request, { ignoreSearch: true })) || fetch(event.request))(),
  ),
);
