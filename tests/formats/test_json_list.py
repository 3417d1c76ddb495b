"""A JSON file with a list of records is read like JSON lines."""

import gzip
import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import berryeval as be
from berryeval.errors import FormatError, SizeError
from berryeval.formats import read_judgments, read_run
from berryeval.formats.limits import limited

JUDGED = [
    {"query_id": "q1", "doc_id": "d1", "grade": 2, "judge": "ann"},
    {"query_id": "q1", "doc_id": "d1", "grade": 1, "judge": "bob"},
    {"query_id": "q2", "doc_id": 7, "grade": 1, "judge": "ann"},
]
RANKED = [
    {"query_id": "q1", "doc_id": "d2", "score": 0.5, "tag": "bm25"},
    {"query_id": "q1", "doc_id": "d1", "score": 0.25, "tag": "bm25"},
    {"query_id": "q2", "doc_id": "ü] ,[", "score": 1, "tag": "bm25"},
]


def lines_of(records):
    return "".join(json.dumps(record) + "\n" for record in records)


@pytest.mark.parametrize("indent", [None, 0, 2])
@pytest.mark.parametrize("pack", [bytes, gzip.compress, lambda content: b"\xef\xbb\xbf" + content])
def test_a_list_equals_its_lines(tmp_path, indent, pack):
    """Indentation, compression and byte order marks do not matter."""
    for records, read in ((JUDGED, read_judgments), (RANKED, read_run)):
        path, lines = tmp_path / "a.json", tmp_path / "a.jsonl"
        path.write_bytes(pack(json.dumps(records, indent=indent).encode()))
        lines.write_text(lines_of(records))
        found, expected = read(path), read(lines)
        assert found == expected
        assert getattr(found, "tag", None) == getattr(expected, "tag", None)
        assert getattr(found, "opinions", None) == getattr(expected, "opinions", None)


def test_lists_are_evaluated(tmp_path):
    """`be.evaluate` takes them as judgments and as runs."""
    judged, ranked = tmp_path / "judged.json", tmp_path / "run.json"
    judged.write_text(json.dumps(JUDGED, indent=1))
    ranked.write_text(json.dumps(RANKED))
    assert be.evaluate(judged, ranked, ["RR"])["RR"].mean == 0.25


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    scores=st.dictionaries(st.text(min_size=1), st.floats(allow_nan=False), min_size=1),
    between=st.text(" \t\r\n", max_size=3),
)
def test_any_text_between_and_within_records_is_read(tmp_path, scores, between):
    """Brackets, commas and quotes in ids do not end a record."""
    records = [
        json.dumps({"query_id": "q1", "doc_id": doc_id, "score": score})
        for doc_id, score in scores.items()
    ]
    path = tmp_path / "a.json"
    path.write_text("[" + between + f"{between},{between}".join(records) + between + "]" + between)
    assert read_run(path).to_dict() == {"q1": scores}


RECORD = '{"query_id": "q1", "doc_id": "d1", "score": 1}'


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (f"[{RECORD}", ":1: expected ',' or ']' after an object, found the end of the file"),
        (f"[\n{RECORD}\n{RECORD}]", ":3: expected ',' or ']' after an object, found '{\"query_id"),
        (f"[\n{RECORD},\n]", ":3: expected a JSON object, found something else (Expecting value"),
        (f"[{RECORD}]\n\n{RECORD}", ":3: expected nothing after the list, found '{\"query_id"),
        (f"\n[{RECORD},\n5]", ":3: expected a JSON object, found int"),
        ('[\n{"query_id": "q1",\n"doc_id": "d1"}]', ":2: expected a key 'score', found"),
        (f"[{RECORD},\n{RECORD}]", ":2: document 'd1' is retrieved a second time"),
        ("[\n" + '{"a":' * 200_000, ":2: expected a JSON object, found one too deep to read"),
        (f"[{RECORD.replace('1}', '9' * 5000)}" + "}]", ":1: expected a JSON object, found "),
    ],
)
def test_errors_name_the_line(tmp_path, content, message):
    """The line is that on which the record begins."""
    path = tmp_path / "a.json"
    path.write_text(content)
    with pytest.raises(FormatError) as caught:
        read_run(path)
    assert str(caught.value).startswith(f"{path}{message}")


def test_bytes_that_are_no_text_are_an_error(tmp_path):
    """They are also an error in JSON lines."""
    path = tmp_path / "a.json"
    path.write_bytes(b'[{"query_id": "\xff"}]')
    with pytest.raises(FormatError, match=r":1: expected a JSON object, found something else"):
        read_run(path)


def test_an_empty_list_has_no_queries(tmp_path):
    """Reading it is not an error, and evaluating it is."""
    path = tmp_path / "a.json"
    path.write_text("[ ]\n")
    assert read_run(path).n_queries == 0
    with pytest.raises(
        be.errors.InputError, match="expected at least one judged query, found none"
    ):
        be.evaluate(path, {"q1": ["d1"]})


def test_the_rows_of_one_line_are_counted(tmp_path):
    """The limit on rows applies to a list on one line, too."""
    path = tmp_path / "a.json"
    path.write_text(json.dumps([dict(one, doc_id=str(row)) for row, one in enumerate(RANKED * 9)]))
    with limited(rows=27):
        assert read_run(path).n_rows == 27
    with limited(rows=26), pytest.raises(SizeError, match="expected at most 26 rows"):
        read_run(path)


def test_ids_in_brackets_are_not_a_list(tmp_path):
    """A TREC file may begin with a bracket."""
    path = tmp_path / "a.qrels"
    path.write_text("[1] 0 [2] 1\n")
    assert read_judgments(path).to_dict() == {"[1]": {"[2]": 1.0}}
