"""Files of the lengths of documents."""

import gzip

import pytest

from berryeval.errors import FormatError
from berryeval.formats.lengths import read_lengths

EXPECTED = {"d1": 120.0, "d2": 0.0, "é": 7.5}


@pytest.mark.parametrize(
    "text",
    [
        '{"doc_id": "d1", "length": 120}\n\n{"_id": "d2", "tokens": 0}\n'
        '{"id": "é", "words": 7.5}\n',
        '{"_id": "d1", "text": "…", "length": 120}\n{"_id": "d2", "length": 0, "text": ""}\n'
        '{"_id": "é", "length": 7.5}',
        "doc_id,length\nd1,120\nd2,0\né,7.5\n",
        "docno\ttitle\tTokens\nd1\tx\t120\nd2\ty\t0\né\tz\t7.5\n",
        "d1 120\nd2\t0\n\n  é   7.5\n",
    ],
)
def test_every_layout_has_the_same_lengths(tmp_path, text):
    """Layouts are JSON lines, documents, tables with a header, and plain columns."""
    path = tmp_path / "lengths"
    path.write_text(text)
    assert read_lengths(path) == EXPECTED
    packed = tmp_path / "lengths.gz"
    packed.write_bytes(gzip.compress(text.encode()))
    assert read_lengths(packed) == EXPECTED


def test_a_beir_folder_has_those_of_its_corpus(tmp_path):
    """The corpus may have a key length."""
    (tmp_path / "corpus.jsonl").write_text('{"_id": "d1", "text": "a b", "length": 2}\n')
    (tmp_path / "queries.jsonl").write_text('{"_id": "q1", "text": "a"}\n')
    (tmp_path / "qrels").mkdir()
    assert read_lengths(tmp_path) == {"d1": 2.0}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("d1 120\nd1 120\n", ":2: document 'd1' occurs twice"),
        ("d1 120 3\n", ":1: expected a document and its length, found 3 columns"),
        ("d1 -1\n", ":1: expected a number from 0 to 1e18 as length, found '-1'"),
        ("d1 nan\n", "found 'nan'"),
        ("d1 1_0\n", "found '1_0'"),
        ("d1 long\n", "found 'long'"),
        ('{"doc_id": "d1", "length": true}\n', "found 'True'"),
        ('{"doc_id": "d1", "text": "a"}\n', "expected a key 'length', found 'doc_id', 'text'"),
        ("name,length\nd1,3\n", "expected a column 'doc_id', found 'name', 'length'"),
        ("", ": expected the length of at least one document, found none"),
    ],
)
def test_mistakes_are_located(tmp_path, text, message):
    """The message has the file, the line, and what was expected."""
    path = tmp_path / "lengths"
    path.write_text(text)
    with pytest.raises(FormatError) as error:
        read_lengths(path)
    assert message in str(error.value)
    assert str(path) in str(error.value)
