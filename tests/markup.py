"""Pages as they are written: do elements close, and what is in them."""

from html.parser import HTMLParser

EMPTY = ("meta", "link", "br", "input", "img")
CELLS = ("td", "th", "tr")  # need no closing tag


class Whole(HTMLParser):
    """A page whose elements close in order; its tags and attributes."""

    def __init__(self, text):
        super().__init__()
        self.open, self.attributes, self.tags = [], [], set()
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        if tag in CELLS:
            self.close(CELLS if tag == "tr" else ("td", "th"))
        self.attributes += [(tag, name, value) for name, value in attributes]
        if tag not in EMPTY and not self.get_starttag_text().endswith("/>"):
            self.open.append(tag)

    def close(self, tags):
        """Close what needs no closing tag."""
        while self.open and self.open[-1] in tags:
            self.open.pop()

    def handle_endtag(self, tag):
        if tag in ("thead", "tbody"):
            self.close(CELLS)
        if self.open[-1:] == [tag]:
            self.open.pop()
        else:
            assert self.get_starttag_text().endswith("/>"), f"</{tag}> in {self.open}"
