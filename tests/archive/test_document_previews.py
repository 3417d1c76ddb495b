"""How documents begin, read without their ends."""

import json

import pytest

from berryeval.archive.document_previews import beginning_of
from berryeval.core.documents import Document


def json_of(title, text):
    """The JSON of a document as an archive keeps it."""
    return json.dumps({"title": title, "text": text}, separators=(",", ":"))


@pytest.mark.parametrize("text", ["", "plain", 'a "quote" \\ and a tab\t', "日本語 🙂 é", "a\\\\"])
def test_any_prefix_gives_the_beginning_of_the_document(text):
    """Wherever the JSON breaks off, what was read is a beginning of title and text."""
    whole = json_of("Title 🙂", text)
    for length in range(len(whole) + 1):
        found = beginning_of(whole[:length])
        assert "Title 🙂".startswith(found[0])
        assert text.startswith(found[1]), (length, found)
    assert beginning_of(whole) == ("Title 🙂", text)


def test_beginnings_are_those_of_documents_with_a_text(archive):
    """A document of megabytes costs as much as a short one; hashes alone begin with nothing."""
    book = "long " * 1_000_000
    archive.documents.put(
        [Document("d1", "short", "One"), Document("d2", book, "Book")], hashes={"d3": "abc"}
    )
    found = archive.documents.beginnings(["d1", "d2", "d3", "d4", "d1"])
    assert found["d1"] == ("One", "short")
    assert found["d2"][0] == "Book"
    assert found["d2"][1].startswith("long long")
    assert len(found["d2"][1]) < 2_000
    assert found.keys() == {"d1", "d2"}
