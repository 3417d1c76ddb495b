"""Questions that people ask, indexed together with documents."""

import json

import pytest

from berryeval.core.documents import Document
from berryeval.errors import FormatError, MismatchError
from berryeval.search.questions import read_questions, with_questions

DOCUMENTS = [
    Document("renew", "An expired credential is replaced by a request.", title="Renewal", length=9),
    Document("fruit", "Ripe bananas are yellow."),
]
ASKED = {"renew": ("my key stopped working", "log in again every hour?")}


def test_questions_are_appended_to_the_text():
    """Title and length are kept, and a document without questions is unchanged."""
    renewed, fruit = with_questions(DOCUMENTS, ASKED)
    text = "\n".join([DOCUMENTS[0].text, *ASKED["renew"]])
    assert renewed == Document("renew", text, title="Renewal", length=9)
    assert fruit is DOCUMENTS[1]
    assert list(with_questions(DOCUMENTS, {})) == DOCUMENTS


@pytest.mark.parametrize("mode", ["bm25", "hybrid"])
def test_documents_are_found_by_the_words_of_their_questions(mode):
    """X4: every kind of search finds them, since only the text differs."""
    pytest.importorskip("tantivy")
    from berryeval.search.systems.embedded import Embedded

    with Embedded(mode) as system:
        system.index(with_questions(DOCUMENTS, ASKED))
        assert system.search("which key stopped", 1)[0].doc_id == "renew"
    with Embedded("bm25") as system:
        system.index(DOCUMENTS)
        assert system.search("which key stopped", 1) == []


def test_questions_for_unknown_documents_are_an_error():
    """Their ids differ from those of the documents; the message names the file."""
    with pytest.raises(MismatchError) as caught:
        list(with_questions(DOCUMENTS, {"b": ("x",), "a": ("x",), "renew": ("x",)}, "asked.json"))
    expected = (
        "asked.json: questions are given for 'a' and 1 more, but there is no such document; ids"
    )
    assert str(caught.value).startswith(expected)
    with pytest.raises(MismatchError, match=r"^questions: questions are given for 'a', but there"):
        list(with_questions(DOCUMENTS, {"a": ("x",)}))


def test_a_file_is_an_object_of_lists(tmp_path):
    """Texts keep their order, empty lists are allowed, and blanks are dropped."""
    path = tmp_path / "asked.json"
    path.write_text(json.dumps({"renew": [*ASKED["renew"], " "], "fruit": [""]}))
    assert read_questions(path) == {**ASKED, "fruit": ()}


@pytest.mark.parametrize(
    ("content", "found"),
    [
        ("", "Expecting value"),
        ("[]", "found list"),
        ("7", "found int"),
        ('{"a": "b"}', "found 'b' for 'a'"),
        ('{"a": [1]}', "found [1] for 'a'"),
        ('{"a": null}', "found None for 'a'"),
        ('{"a": {"b": "c"}}', "found (('b', 'c'),) for 'a'"),
        ('{"a": ["b"], "a": ["c"]}', "'a' occurs twice"),
        ("\0\xff", ""),
        ('{"a": ["b"', "Expecting ',' delimiter"),
        ("[" * 100_000, "recursion"),
    ],
)
def test_a_malformed_file_is_reported(tmp_path, content, found):
    """The message has the file, the expected structure, and what was found."""
    path = tmp_path / "asked.json"
    path.write_text(content)
    with pytest.raises(FormatError) as caught:
        read_questions(path)
    expected = f'{path}: expected {{"document": ["question", …]}} ('
    assert str(caught.value).startswith(expected)
    assert found in str(caught.value)


def test_a_missing_file_is_reported(tmp_path):
    """So is a folder."""
    with pytest.raises(FormatError, match=r"none\.json: cannot be read: No such file"):
        read_questions(tmp_path / "none.json")
    with pytest.raises(FormatError, match="cannot be read: Is a directory"):
        read_questions(tmp_path)
