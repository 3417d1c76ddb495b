"""Parsed pages for tests."""

import re
from html import unescape

HTML = {"Accept": "text/html"}
_VOID = {"area", "br", "hr", "img", "input", "link", "meta"}
_RAW = {"script", "style"}
# Python's parser accepts any text, and takes longer than rendering many pages.
_VALUE = r"""(?:"[^"]*"|'[^']*'|[^\s"'<>=`]+)"""
_ATTRIBUTE = re.compile(rf"(?P<name>[^\s=>/]+)(?:=(?P<value>{_VALUE}))?")
_PART = re.compile(
    rf"<(?P<tag>[a-z][\w-]*)(?P<attributes>(?:\s+[^\s=>/]+(?:={_VALUE})?)*)\s*(?P<empty>/?)>"
    r"|</(?P<end>[a-z][\w-]*)>|(?P<text>[^<]+)|<!--.*?-->|<!doctype html>",
    re.IGNORECASE | re.DOTALL,
)


class Element:
    """An element of a page: its tag, attributes and contents."""

    def __init__(self, tag, attributes, parent=None):
        self.tag = tag
        self.attributes = dict(attributes)
        self.parent = parent
        self.inside = []

    def __getitem__(self, name):
        """Return an attribute."""
        return self.attributes[name]

    @property
    def text(self):
        """Return the visible text, with single spaces."""
        parts = (part if isinstance(part, str) else part.text for part in self.inside)
        return " ".join("".join(f" {part} " for part in parts).split())

    def find_all(self, tag=None, **attributes):
        """Return the descendants with this tag and these attributes; class_ may be one of many."""
        found = []
        for part in self.inside:
            if isinstance(part, Element):
                if part._fits(tag, attributes):
                    found.append(part)
                found += part.find_all(tag, **attributes)
        return found

    def find(self, tag=None, **attributes):
        """Return the first of them; fail if there is none."""
        found = self.find_all(tag, **attributes)
        assert found, f"no {tag} with {attributes} in: {self.text[:500]}"
        return found[0]

    def _fits(self, tag, attributes):
        for name, wanted in attributes.items():
            value = self.attributes.get(name.rstrip("_").replace("_", "-"))
            if value is None or wanted not in (value.split() if name == "class_" else [value]):
                return False
        return tag is None or self.tag == tag


def parse(text):
    """Parse a page; fail if a tag is not closed."""
    root = inside = Element("page", {})
    place = 0
    while place < len(text):
        found = _PART.match(text, place)
        assert found, f"not HTML: {text[place : place + 80]!r}"
        place = found.end()
        end, tag, attributes, is_empty = found.group("end", "tag", "attributes", "empty")
        if end:
            assert end.lower() == inside.tag, f"expected </{inside.tag}>, found </{end}>"
            inside = inside.parent
        elif tag:
            element = Element(tag.lower(), map(_attribute, _ATTRIBUTE.finditer(attributes)), inside)
            inside.inside.append(element)
            if element.tag in _RAW:
                end = text.index(f"</{tag}>", place)
                element.inside.append(text[place:end])
                place = end + len(f"</{tag}>")
            elif not is_empty and element.tag not in _VOID:
                inside = element
        elif found["text"]:
            inside.inside.append(unescape(found["text"]))
    assert inside is root, f"<{inside.tag}> is not closed"
    return root


def _attribute(found):
    value = found["value"]
    if value and value[0] in "\"'":
        value = value[1:-1]
    return found["name"].lower(), None if value is None else unescape(value)


def get_page(client, address, status=200, **options):
    """Open an address like a browser, and return the page."""
    answer = client.get(address, headers=HTML, **options)
    assert answer.status_code == status, answer.text[:2000]
    return parse(answer.text)
