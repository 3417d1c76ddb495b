"""Search for queries by text and documents by title, and excerpts of documents."""

import json

import pytest

from berryeval import Document, Query
from berryeval.archive.text_index import beginning_of


@pytest.fixture
def filled(archive):
    """An archive with a few queries and documents."""
    archive.queries.put(
        [
            Query("q1", "How to bake bread"),
            Query("q2", "ÜBER uns", description="About the bakery"),
            Query("q3", "bread\nand butter"),
        ]
    )
    archive.documents.put(
        [
            Document("d1", "text of bread", title="Flour"),
            Document("d2", "x" * 100_000, title="Rye FLOUR \U0001f35e"),
            Document("d3", "no title"),
            Document("d4", "text", title="\\" * 9000),
        ],
        hashes={"d5": "only a hash"},
    )
    return archive


def test_queries_are_found_by_text_and_description_in_any_case(filled):
    """A line break matches a space."""
    assert filled.queries.find("BREAD") == ["q1", "q3"]
    assert filled.queries.find("über") == ["q2"]
    assert filled.queries.find("bakery") == ["q2"]
    assert filled.queries.find("bread and") == ["q3"]
    assert filled.queries.find("bread", most=1) == ["q1"]
    assert filled.queries.find("nothing") == filled.queries.find("  ") == []


def test_documents_are_found_by_title_and_not_by_text(filled):
    """Titles are what users remember; texts may be megabytes long."""
    assert filled.documents.find("flour") == ["d1", "d2"]
    assert filled.documents.find("\U0001f35e") == ["d2"]
    assert filled.documents.find("bread") == []
    assert filled.documents.find("flour\nrye") == []


def test_later_additions_are_found(filled):
    """The index follows the archive."""
    assert filled.queries.find("cake") == filled.documents.find("cake") == []
    filled.queries.put([Query("q9", "cake")])
    filled.documents.put([Document("d9", "text", title="Cake"), Document("d1", "text", title="")])
    assert filled.queries.find("cake") == ["q9"]
    assert filled.documents.find("cake") == ["d9"]
    assert filled.documents.find("flour") == ["d2"]


def test_titles_are_returned_without_texts(filled):
    """Documents without a title are omitted, and a very long title may be shortened."""
    titles = filled.documents.titles(["d1", "d2", "d3", "d4", "d5", "d6"])
    assert titles.keys() == {"d1", "d2", "d4"}
    assert titles["d2"] == "Rye FLOUR \U0001f35e"
    assert set(titles["d4"]) == {"\\"}


def test_several_queries_are_returned_at_once(filled):
    """Existing ones are returned by id."""
    found = filled.queries.some(["q2", "q1", "q7"])
    assert {query_id: query.text for query_id, query in found.items()} == {
        "q1": "How to bake bread",
        "q2": "ÜBER uns",
    }


def json_of(title, text):
    """Return the JSON of a document as the archive stores it."""
    return json.dumps({"title": title, "text": text}, separators=(",", ":"))


@pytest.mark.parametrize("text", ["", "plain", 'a "quote" \\ and a tab\t', "日本語 🙂 é", "a\\\\"])
def test_any_prefix_gives_an_excerpt_of_the_document(text):
    """Wherever the JSON is cut off, the result is a prefix of title and text."""
    whole = json_of("Title 🙂", text)
    for length in range(len(whole) + 1):
        found = beginning_of(whole[:length])
        assert "Title 🙂".startswith(found[0])
        assert text.startswith(found[1]), (length, found)
    assert beginning_of(whole) == ("Title 🙂", text)


def test_only_documents_with_a_text_have_excerpts(archive):
    """A document of many megabytes costs no more than a short one."""
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
