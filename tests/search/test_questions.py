"""Questions: what people ask, indexed together with documents."""

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


def test_questions_stand_below_the_text():
    """Title and length stay; a document without questions is as it was."""
    renewed, fruit = with_questions(DOCUMENTS, ASKED)
    text = "\n".join([DOCUMENTS[0].text, *ASKED["renew"]])
    assert renewed == Document("renew", text, title="Renewal", length=9)
    assert fruit is DOCUMENTS[1]
    assert list(with_questions(DOCUMENTS, {})) == DOCUMENTS


@pytest.mark.parametrize("mode", ["bm25", "hybrid"])
def test_they_are_found_in_other_words(mode):
    """X4: by every kind of search, as nothing but the text is another."""
    pytest.importorskip("tantivy")
    from berryeval.search.systems.embedded import Embedded

    with Embedded(mode) as system:
        system.index(with_questions(DOCUMENTS, ASKED))
        assert system.search("which key stopped", 1)[0].doc_id == "renew"
    with Embedded("bm25") as system:
        system.index(DOCUMENTS)
        assert system.search("which key stopped", 1) == []


def test_questions_of_what_is_not_there_are_an_error():
    """Ids are then others, and nobody would notice; the file is named."""
    with pytest.raises(MismatchError) as caught:
        list(with_questions(DOCUMENTS, {"b": ("x",), "a": ("x",), "renew": ("x",)}, "asked.json"))
    expected = (
        "asked.json: questions are given for 'a' and 1 more, but there is no such document; ids"
    )
    assert str(caught.value).startswith(expected)
    with pytest.raises(MismatchError, match=r"^questions: questions are given for 'a', but there"):
        list(with_questions(DOCUMENTS, {"a": ("x",)}))


def test_a_file_is_an_object_of_lists(tmp_path):
    """Texts, in the order of the file; none is fine, and blanks are none."""
    path = tmp_path / "asked.json"
    path.write_text(json.dumps({"renew": [*ASKED["renew"], " "], "fruit": [""]}))
    assert read_questions(path) == {**ASKED, "fruit": ()}


@pytest.mark.parametrize(
    ("content", "found"),
    [
        ("", "Expecting value"),
        ("[]", "found list"),
        ("7", "found int"),
        ('{"a": "b"}', "of 'a' found 'b'"),
        ('{"a": [1]}', "of 'a' found [1]"),
        ('{"a": null}', "of 'a' found None"),
        ('{"a": {"b": "c"}}', "of 'a' found (('b', 'c'),)"),
        ('{"a": ["b"], "a": ["c"]}', "'a' occurs twice"),
        ("\0\xff", ""),
        ('{"a": ["b"', "Expecting ',' delimiter"),
        ("[" * 100_000, "recursion"),
    ],
)
def test_another_file_is_told_so(tmp_path, content, found):
    """With the file, the shape that it should have, and what there is."""
    path = tmp_path / "asked.json"
    path.write_text(content)
    with pytest.raises(FormatError) as caught:
        read_questions(path)
    expected = f'{path}: expected {{"document": ["question", …]}} ('
    assert str(caught.value).startswith(expected)
    assert found in str(caught.value)


def test_a_file_that_is_not_there_is_told_so(tmp_path):
    """And so is a folder."""
    with pytest.raises(FormatError, match=r"none\.json: cannot be read: No such file"):
        read_questions(tmp_path / "none.json")
    with pytest.raises(FormatError, match="cannot be read: Is a directory"):
        read_questions(tmp_path)
