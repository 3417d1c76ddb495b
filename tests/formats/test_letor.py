"""LETOR and SVMlight."""

import pytest

from berryeval.core.judgments import Judgments
from berryeval.core.run import Run
from berryeval.errors import FormatError, InputError
from berryeval.formats import read_judgments, read_run, write_judgments, write_run

LETOR = b"""\
# a comment
2 qid:10 1:0.03 2:0.5 # docid = GX029-35-5894638 inc = 1 prob = 0.24
0 qid:10 1:0.1 #docid = GX030
0 qid:10 # docid=GX031

3 qid:11 # inc = 1 docid = GX032
"""


def test_documents_are_named_by_the_docid_of_the_comment(write):
    """It may be anywhere in the comment."""
    assert read_judgments(write(LETOR)).to_dict() == {
        "10": {"GX029-35-5894638": 2.0, "GX030": 0.0, "GX031": 0.0},
        "11": {"GX032": 3.0},
    }


@pytest.mark.parametrize(
    ("comment", "doc_id"),
    [
        ("# 7555 Rambo", "7555"),
        ("#7555\trambo ii", "7555"),
        ("# 7555", "7555"),
        ("# docid: 7555", "7555"),
        ("#docid:7555", "7555"),
        ("# DocID=7555", "7555"),
        ("# doc_id = 7555", "7555"),
        ("# docno: 7555", "7555"),
        ("# id: 7555 title: Rambo", "7555"),
        ("# https://example.org/?id=7555", "https://example.org/?id=7555"),
        ("# guide.md#setup", "guide.md#setup"),
    ],
)
def test_every_common_comment_names_its_document(write, comment, doc_id):
    """Elasticsearch, Solr, SVMlight and LETOR use different forms."""
    read = read_judgments(write(f"4 qid:1 1:9.8 2:10 {comment}\n".encode()))
    assert read.to_dict() == {"1": {doc_id: 4.0}}


def test_documents_without_comments_are_numbered(write):
    """Numbers count the documents of each query, from 1."""
    read = read_judgments(write(b"1 qid:11 1:0.1\n0 qid:12\n0.5 qid:11 2:7 #\n3 qid:11\n"))
    assert read.to_dict() == {"11": {"1": 1.0, "2": 0.5, "3": 3.0}, "12": {"1": 0.0}}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"1 qid:1 # docid = a\n2\n", ":2: expected a grade and qid:query, found '' as the second"),
        (b"1 1:0.5\n", ":1: expected a grade and qid:query, found '1:0.5' as the second"),
        (b"1 qid: 1:0.5\n", ":1: expected a grade and qid:query, found 'qid:' as the second"),
        (
            b"1 qid:1 # inc = 0.01 prob = 0.2\n",
            ":1: expected a comment such as '# docid = GX029' or '# 7555', "
            "found 'inc = 0.01 prob = 0.2'",
        ),
        (b"1 qid:1 # a\n1 qid:1\n", ":2: expected a comment, as on the lines before, found none"),
        (b"1 qid:1\n1 qid:1 # a\n", ":2: expected no comment, as on the lines before, found one"),
        (b"x qid:1\n", ":1: expected a number as grade, found 'x'"),
        (
            b"1 qid:1 # docid = a\n1 qid:1 # docid = a\n",
            ":2: document 'a' is judged a second time for query '1'",
        ),
    ],
)
def test_an_invalid_line_is_reported(write, content, message):
    """The message has the file, the line, what was expected and found."""
    path = write(content)
    with pytest.raises(FormatError) as caught:
        read_judgments(path, format="letor")
    assert str(caught.value) == f"{path}{message}"


def test_letor_has_no_runs(write, tmp_path):
    """They are neither read nor written."""
    with pytest.raises(FormatError, match="expected a run, found judgments in the format LETOR"):
        read_run(write(LETOR))
    with pytest.raises(InputError, match="a LETOR file holds judgments, not a run"):
        write_run(Run.from_dict({"q": {"d": 1}}), tmp_path / "x.letor")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"a b": {"d": 1}}, "cannot hold the id 'a b'"),
        ({"q": {"": 1}}, "cannot hold the id ''"),
        ({"q#": {"d": 1}}, "'q#' would be a comment in a LETOR file"),
    ],
)
def test_an_id_that_letor_cannot_represent_is_rejected(tmp_path, data, message):
    """It could not be read again."""
    with pytest.raises(InputError, match=message):
        write_judgments(Judgments.from_dict(data), tmp_path / "x.letor")
