"""Pages as they are written: do elements close, and what is in them."""

import html
import re

EMPTY = ("meta", "link", "br", "input", "img")
CELLS = ("td", "th", "tr")  # need no closing tag
VALUE = r"""\s+([^\s=>"'/]+)(?:=(?:"([^"]*)"|([^\s"'>]+)))?"""
TAG = re.compile(
    rf"<!--.*?-->|<!doctype html>|<(/?)([a-z][\w-]*)((?:{VALUE})*)\s*(/?)>|<",
    re.IGNORECASE | re.DOTALL,
)
RAW = re.compile(r"(<(script|style)\b[^>]*>).*?(</\2>)", re.DOTALL)


class Whole:
    """A page whose elements close in order; its tags and attributes.

    Every `<` begins a tag: in text it is written `&lt;`, and each value stands in double quotes.
    """

    def __init__(self, text):
        self.open, self.attributes, self.tags = [], [], set()
        for tag_text in TAG.finditer(RAW.sub(r"\1\3", text)):
            closing, tag, values, *_, itself = tag_text.groups()
            if closing:
                self._close(tag, tag_text[0])
            elif tag:
                self._begin(tag, values, itself)
            else:
                assert tag_text[0] != "<", text[max(0, tag_text.start() - 80) :][:160]
        assert self.open == []

    def _begin(self, tag, values, itself):
        self.tags.add(tag)
        if tag in CELLS:
            self._leave(CELLS if tag == "tr" else ("td", "th"))
        self.attributes += [
            (tag, name, html.unescape(quoted or bare))
            for name, quoted, bare in re.findall(VALUE, values)
        ]
        if tag not in EMPTY and not itself:
            self.open.append(tag)

    def _leave(self, tags):
        """Close what needs no closing tag."""
        while self.open and self.open[-1] in tags:
            self.open.pop()

    def _close(self, tag, text):
        if tag in ("thead", "tbody", "table"):
            self._leave(CELLS)
        assert self.open[-1:] == [tag], f"{text} in {self.open}"
        self.open.pop()
