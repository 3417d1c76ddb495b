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
1 qid:11 1:0.1
0.5 qid:11 2:7 # no name
0 qid:10 # docid=GX031

3 qid:11
"""


def test_documents_are_named_by_the_comment_or_by_their_number(write):
    """The number counts the documents of the query, from 1."""
    assert read_judgments(write(LETOR)).to_dict() == {
        "10": {"GX029-35-5894638": 2.0, "GX030": 0.0, "GX031": 0.0},
        "11": {"1": 1.0, "2": 0.5, "3": 3.0},
    }


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"1 qid:1 # docid = a\n2\n", ":2: expected a grade and qid:query, found '' as the second"),
        (b"1 1:0.5\n", ":1: expected a grade and qid:query, found '1:0.5' as the second"),
        (b"1 qid: 1:0.5\n", ":1: expected a grade and qid:query, found 'qid:' as the second"),
        (b"x qid:1\n", ":1: expected a number as grade, found 'x'"),
        (
            b"1 qid:1 # docid = a\n1 qid:1 # docid = a\n",
            ":2: document 'a' is judged a second time for query '1'",
        ),
    ],
)
def test_a_bad_line_is_named(write, content, message):
    """File, line, what was expected and what came."""
    path = write(content)
    with pytest.raises(FormatError) as caught:
        read_judgments(path, format="letor")
    assert str(caught.value) == f"{path}{message}"


def test_there_are_no_runs(write, tmp_path):
    """Neither read nor written."""
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
def test_an_id_that_has_no_place_is_refused(tmp_path, data, message):
    """It could not be read again."""
    with pytest.raises(InputError, match=message):
        write_judgments(Judgments.from_dict(data), tmp_path / "x.letor")
