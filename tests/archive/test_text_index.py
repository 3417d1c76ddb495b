"""Queries by their texts, documents by their titles, and the beginnings of documents."""

import json

import pytest

from berryeval import Document, Query
from berryeval.archive.text_index import beginning_of


@pytest.fixture
def filled(archive):
    """A few queries and documents."""
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
    """A line break is as good as a space."""
    assert filled.queries.find("BREAD") == ["q1", "q3"]
    assert filled.queries.find("über") == ["q2"]
    assert filled.queries.find("bakery") == ["q2"]
    assert filled.queries.find("bread and") == ["q3"]
    assert filled.queries.find("bread", most=1) == ["q1"]
    assert filled.queries.find("nothing") == filled.queries.find("  ") == []


def test_documents_are_found_by_title_and_not_by_text(filled):
    """A title is what people remember; texts have megabytes."""
    assert filled.documents.find("flour") == ["d1", "d2"]
    assert filled.documents.find("\U0001f35e") == ["d2"]
    assert filled.documents.find("bread") == []
    assert filled.documents.find("flour\nrye") == []


def test_what_is_put_later_is_found_as_well(filled):
    """The index follows what is there."""
    assert filled.queries.find("cake") == filled.documents.find("cake") == []
    filled.queries.put([Query("q9", "cake")])
    filled.documents.put([Document("d9", "text", title="Cake"), Document("d1", "text", title="")])
    assert filled.queries.find("cake") == ["q9"]
    assert filled.documents.find("cake") == ["d9"]
    assert filled.documents.find("flour") == ["d2"]


def test_titles_come_without_texts(filled):
    """Of those that have one; a very long one may be cut."""
    titles = filled.documents.titles(["d1", "d2", "d3", "d4", "d5", "d6"])
    assert titles.keys() == {"d1", "d2", "d4"}
    assert titles["d2"] == "Rye FLOUR \U0001f35e"
    assert set(titles["d4"]) == {"\\"}


def test_some_queries_come_at_once(filled):
    """Those that there are, by id."""
    found = filled.queries.some(["q2", "q1", "q7"])
    assert {query_id: query.text for query_id, query in found.items()} == {
        "q1": "How to bake bread",
        "q2": "ÜBER uns",
    }


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
