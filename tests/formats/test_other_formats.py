"""JSON lines, JSON objects and tables with a header."""
# ruff: noqa: E501 - one case per line

import gzip
import json

import pytest

from berryeval.errors import ArgumentError, FormatError
from berryeval.formats import FORMATS, read_judgments, read_run
from berryeval.formats.platforms import PLATFORM_FORMATS

EXPECTED = {"q1": {"d1": 2.0, "d2": 0.0}, "q2": {"d1": -1.0}}


@pytest.mark.parametrize(
    "content",
    [
        b'{"query_id":"q1","doc_id":"d1","relevance":2}\n{"query_id":"q1","doc_id":"d2",'
        b'"relevance":0}\n\n{"query_id":"q2","doc_id":"d1","relevance":-1}',
        b'{"qid": "q1", "docno": "d1", "grade": 2, "by": "me"}\r\n'
        b'{"qid": "q1", "docno": "d2", "grade": 0.0}\r\n{"qid": "q2", "docno": "d1", "rel": -1}',
        b'{"q1":{"d1":2,"d2":0},"q2":{"d1":-1}}',
        b'{\n  "q1": {"d1": 2, "d2": 0},\n  "q2": {"d1": -1}\n}\n',
        b"query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\td2\t0\nq2\td1\t-1\n",
        b"query,docid,rating\nq1,d1,2\n\nq1,d2,0\nq2,d1,-1",
        b'Rating,"Query",note,DocID\r\n2,"q1","a, ""b""",d1\r\n0,q1,,d2\r\n-1,q2,,d1\r\n',
    ],
    ids=["jsonl", "jsonl synonyms", "json", "json pretty", "BEIR", "Quepid", "spreadsheet"],
)
@pytest.mark.parametrize("compress", [bytes, gzip.compress], ids=["plain", "gzip"])
def test_judgments_are_detected_by_their_first_line(write, content, compress):
    """E1: any file name works, compressed or not."""
    assert read_judgments(write(compress(content))).to_dict() == EXPECTED


@pytest.mark.parametrize(
    ("content", "name"),
    [
        (b'{"query_id": 7, "doc_id": 12, "score": 0.5}\n', "jsonl"),
        (b'{"7": {"12": 0.5}}', "json"),
        (b"qid,docno,score\n7,12,0.5\n", "table"),
        (b"7 Q0 12 1 0.5 tag\n", "trec"),
    ],
)
def test_a_run_is_read_from_every_format(write, content, name):
    """The format is detected or named, and ids may be numbers."""
    path = write(content)
    assert read_run(path).to_dict() == read_run(path, format=name).to_dict() == {"7": {"12": 0.5}}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"query_id":"q","doc_id":"d","relevance":1}\n[1]\n', ":2: expected a JSON object, found list"),
        (b'{"query_id":"q","doc_id":"d"}\n', ":1: expected a key 'relevance', found 'query_id', 'doc_id'"),
        (b'{"doc_id":"d","grade":1}\n', ":1: expected a key 'query_id', found 'doc_id', 'grade'"),
        (b'{"query_id":"","doc_id":"d","grade":1}\n', ":1: expected an id, found ''"),
        (b'{"query_id":"q","doc_id":null,"grade":1}\n', ":1: expected an id, found None"),
        (b'{"query_id":"q","doc_id":"d","grade":"x"}\n', ":1: expected a number as grade, found 'x'"),
        (b'{"query_id":"q","doc_id":"d","grade":[1]}\n', ":1: expected a number as grade, found '[1]'"),
        (b'{"query_id":"q","doc_id":"d","grade":NaN}\n', ":1: expected a number as grade, found 'nan'"),
        (b"query,docid\nq,d\n", ":1: expected a column 'relevance', found 'query', 'docid'"),
        (b'{"query_id":"q","rank":1}\n', ":1: expected keys 'doc_id', 'relevance', found 'query_id', 'rank'"),
        (b"query,docid,rating\nq,d\n", ":2: expected 3 columns, found 2"),
        (b"qid,docid,rating\nq,d,\n", ":2: expected a number as grade, found ''"),
        (b'query,docid,rating\nq,"d"x,1\n', ":2: cannot be read: ',' expected after '\"'"),
        (b'{"q": {"d": "1"}}', ": expected a number for 'd' of 'q', found '1'"),
        (b'{"q": {"d": 1' + b"0" * 400 + b"}}", f": expected a number as grade, found '1{'0' * 39}'"),
        (b'{"q": {"d": true}}', ": expected a number for 'd' of 'q', found True"),
        (b'{"q": {"d": 1, "d": 2}}', ": document 'd' is judged a second time for query 'q'"),
    ],
)  # fmt: skip
def test_an_invalid_record_is_reported(write, content, message):
    """The message has the file, the line if there is one, what was expected and found."""
    path = write(content)
    with pytest.raises(FormatError) as caught:
        read_judgments(path)
    assert str(caught.value) == f"{path}{message}"


@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.CSV", "a.csv.gz", "a.tsv.zst"])
@pytest.mark.parametrize("separator", [b",", b"\t"])
def test_a_table_with_an_unknown_header_names_the_required_columns(write, name, separator):
    """The extension marks it as a table if the first line does not."""
    content = separator.join([b"my topic", b"my favourite document", b"mark"]) + b"\n1,2,3\n"
    path = write(gzip.compress(content) if name.endswith(".gz") else content, name)
    with pytest.raises(FormatError) as caught:
        read_run(path)
    assert str(caught.value) == (
        f"{path}:1: expected columns 'query_id', 'doc_id', 'score', found 'my topic', "
        "'my favourite document', 'mark'; a table needs a first line with names, such as "
        "query_id,doc_id,score"
    )


@pytest.mark.parametrize("content", [b"query_id,doc_id,score\n", b"query_id\tdoc_id\tscore\n\n"])
def test_a_table_without_rows_is_an_error(write, content):
    """An export that failed leaves a header; the message says so, rather than no common query."""
    path = write(content, "a.csv")
    for read in (read_run, read_judgments):
        with pytest.raises(FormatError) as caught:
            read(path)
        assert str(caught.value) == f"{path}: has a header and no rows below it"


def test_a_trec_file_may_have_the_extension_of_a_table(write):
    """MS MARCO's judgments have four columns, tabs and no header."""
    assert read_judgments(write(b"q\t0\td\t1\n", "qrels.tsv")).to_dict() == {"q": {"d": 1}}
    assert read_run(write(b"q\tQ0\td\t1\t2.5\tx\n", "run.tsv")).to_dict() == {"q": {"d": 2.5}}


@pytest.mark.parametrize("content", [b'{"q": {"d": 1}', b"[", b"\xff"])
@pytest.mark.parametrize("name", ["json", "jsonl"])
def test_broken_json_is_an_error(write, content, name):
    """The message contains the parser's reason."""
    with pytest.raises(FormatError, match="expected a JSON object"):
        read_judgments(write(content), format=name)


@pytest.mark.parametrize("content", [b"[1]", b'{"q": 3}', b'{"q": [true]}'])
def test_an_object_that_is_not_of_objects_is_an_error(write, content):
    """The message shows the invalid part."""
    with pytest.raises(
        FormatError, match=r"expected an object of (queries|documents of 'q'), found"
    ):
        read_judgments(write(content), format="json")


def test_a_header_alone_is_an_empty_table(write):
    """It has no rows."""
    assert len(read_judgments(write(b"query,docid,rating\n"))) == 0
    assert len(read_judgments(write(b""), format="table")) == 0


def test_an_unknown_format_lists_the_known_ones(write):
    """The list comes from the registry."""
    expected = "format: expected 'parquet' or 'arrow' or 'jsonl' or 'json' or 'table' or 'letor'"
    with pytest.raises(ArgumentError, match=expected):
        read_judgments(write(b"q 0 d 1"), format="xml")
    own = {"parquet", "arrow", "jsonl", "json", "table", "letor", "trec"}
    assert set(FORMATS) == own | set(PLATFORM_FORMATS)


ODD = [b"\0\xff\xfe{", b"{", b"[[", b'"', b"a,b\n\x00", bytes(range(256)), b'{"q": {"\\ud800": 1}}']


@pytest.mark.parametrize("name", [name for name in FORMATS if name != "ranx-lz4"])
@pytest.mark.parametrize("content", ODD)
def test_arbitrary_bytes_are_an_error_in_one_line(write, content, name):
    """The only exception is a FormatError."""
    with pytest.raises(FormatError) as caught:
        read_run(write(content), format=name)
    assert "\n" not in str(caught.value)


JUDGED = {
    "jsonl": (
        b'{"query_id": "q", "doc_id": "d", "relevance": 1, "judge": "ann", "subtopic": 1}\n'
        b'{"query_id": "q", "doc_id": "d", "relevance": 3, "assessor": "bob", "subtopic": 1}\n'
        b'{"query_id": "q", "doc_id": "d", "relevance": 0, "judge": null}\n'
    ),
    "table": (b"query_id,doc_id,relevance,judge,subtopic\nq,d,1,ann,1\nq,d,3,bob,1\nq,d,0,,\n"),
}


@pytest.mark.parametrize("name", JUDGED)
def test_judges_and_subtopics_are_read(write, name):
    """They are read by key or column; an empty field means none."""
    path = write(JUDGED[name])
    judgments = read_judgments(path, judges="mean")
    assert judgments.to_dict() == {"q": {"d": 2.0}}
    assert judgments.subtopics == {b"q": {b"d": {b"1": 2.0}}}
    assert read_judgments(path).to_dict() == {"q": {"d": 1.0}}
    assert [one.judge for one in judgments.opinions[b"q"][b"d"][:2]] == [b"ann", b"bob"]


@pytest.mark.parametrize("name", JUDGED)
def test_two_grades_by_one_judge_are_a_duplicate_with_its_line(write, name):
    """Query, document, subtopic and judge are equal."""
    lines = JUDGED[name].splitlines(keepends=True)
    path = write(b"".join([*lines, lines[-3]]))
    with pytest.raises(FormatError, match=f":{len(lines) + 1}: document 'd' is judged a second"):
        read_judgments(path, judges="max")


def test_an_unknown_rule_lists_the_known_ones(write):
    """It is rejected even for a single judge."""
    with pytest.raises(ArgumentError, match="judges: expected 'first' or 'latest' or 'max'"):
        read_judgments(write(b"q 0 d 1"), judges="median")


def test_deep_nesting_is_an_error(write):
    """The parser does not crash."""
    with pytest.raises(FormatError, match=":1: expected a JSON object"):
        read_judgments(write(b'{"a":' * 10**5), format="jsonl")
    with pytest.raises(FormatError):
        read_judgments(write(b'{"a":' * 10**5))


@pytest.mark.parametrize("indent", [None, 2])
def test_a_json_object_of_lists_is_a_ranking_or_a_set(tmp_path, indent):
    """As in Python, documents are best first in a run, and have grade 1 in judgments."""
    path = tmp_path / "lists.json"
    path.write_text(json.dumps({"q1": ["d2", "d1"], "q2": [7], "q3": []}, indent=indent))
    run = read_run(path)
    assert [run.ranking(query_id) for query_id in ("q1", "q2", "q3")] == [["d2", "d1"], ["7"], []]
    assert read_judgments(path).to_dict() == {"q1": {"d1": 1, "d2": 1}, "q2": {"7": 1}, "q3": {}}
    path.write_text(json.dumps({"q1": ["d2", ["d1"]]}, indent=indent))
    with pytest.raises(FormatError, match="expected an object of documents of 'q1', found list"):
        read_run(path)


def test_a_column_may_be_called_document(tmp_path):
    """Likewise, a query may be called query."""
    path = tmp_path / "run.csv"
    path.write_text("query,document,score\nq1,d1,2\n")
    assert read_run(path).ranking("q1") == ["d1"]
