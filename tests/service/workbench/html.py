"""Parsed pages for tests."""

from html.parser import HTMLParser

HTML = {"Accept": "text/html"}
_VOID = {"area", "br", "hr", "img", "input", "link", "meta"}


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


class _Reader(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open = Element("page", {})
        self.root = self.open

    def handle_starttag(self, tag, attrs):
        element = Element(tag, attrs, self.open)
        self.open.inside.append(element)
        if tag not in _VOID:
            self.open = element

    def handle_startendtag(self, tag, attrs):
        self.open.inside.append(Element(tag, attrs, self.open))

    def handle_endtag(self, tag):
        assert tag == self.open.tag, f"expected </{self.open.tag}>, found </{tag}>"
        self.open = self.open.parent

    def handle_data(self, data):
        self.open.inside.append(data)


def parse(text):
    """Parse a page; fail if a tag is not closed."""
    reader = _Reader()
    reader.feed(text)
    reader.close()
    assert reader.open is reader.root, f"<{reader.open.tag}> is not closed"
    return reader.root


def get_page(client, address, status=200, **options):
    """Open an address like a browser, and return the page."""
    answer = client.get(address, headers=HTML, **options)
    assert answer.status_code == status, answer.text[:2000]
    return parse(answer.text)
