"""Parquet and Arrow IPC files."""

import gzip
import io
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import ipc

import berryeval as be
from berryeval.core import arrow_table
from berryeval.formats import read_judgments, read_run, write_judgments, write_run
from berryeval.formats.reading import sniff_format

RUN = be.Run.from_dict({"q1": {"d1": 0.5, "d2": 1.0}, "q2": {"d1": 2.0}})
MEANT = {"q1": {"d1": 2.0, "d2": 0.0}, "q2": {"d1": -1.0}}


def write_parquet(table, path):
    pq.write_table(table, path)


def write_arrow_file(table, path):
    with ipc.new_file(path, table.schema) as writer:
        writer.write_table(table, max_chunksize=2)


def write_arrow_stream(table, path):
    with ipc.new_stream(path, table.schema) as writer:
        writer.write_table(table, max_chunksize=2)


every_way = pytest.mark.parametrize("store", [write_parquet, write_arrow_file, write_arrow_stream])


@every_way
def test_judgments_are_detected_by_their_first_bytes(store, tmp_path):
    """Common column names and ids of any type are read, with any file name."""
    table = pa.table(
        {
            "note": [None, "x", "y"],
            "qid": pa.array(["q1", "q1", "q2"]).dictionary_encode(),
            "docno": pa.array(["d1", "d2", "d1"], pa.large_string()),
            "rel": pa.array([2, 0, -1], pa.int8()),
        }
    )
    store(table, tmp_path / "file.txt")
    assert read_judgments(tmp_path / "file.txt").to_dict() == MEANT


@every_way
def test_a_compressed_file_is_read(store, tmp_path):
    """Text files behave in the same way."""
    store(RUN.to_arrow(), tmp_path / "plain")
    (tmp_path / "file").write_bytes(gzip.compress((tmp_path / "plain").read_bytes()))
    assert read_run(tmp_path / "file") == RUN


@every_way
def test_standard_input_is_detected(store, tmp_path, monkeypatch):
    """Looking at the first bytes does not consume them."""
    store(RUN.to_arrow(), tmp_path / "plain")
    content = (tmp_path / "plain").read_bytes()
    stdin = io.TextIOWrapper(io.BufferedReader(io.BytesIO(content)))
    monkeypatch.setattr(sys, "stdin", stdin)
    assert read_run("-") == RUN


@every_way
@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (
            {"qid": ["q", None], "doc": ["a", "b"], "score": [1.0, 2.0]},
            "expected a value in column 'qid', found none in row 2",
        ),
        (
            {"qid": ["q", "q"], "doc": ["a", "a"], "score": [1.0, 2.0]},
            "document 'a' is retrieved a second time for query 'q' in row 2",
        ),
        (
            {"qid": ["q"], "doc": ["a"], "rel": [1.0]},
            "expected a column 'score', found 'qid', 'doc', 'rel'",
        ),
        (
            {"qid": ["q"], "doc": ["a"], "score": ["high"]},
            "expected numbers in column 'score', found string",
        ),
        (
            {"qid": ["q"], "doc": ["a"], "score": [float("nan")]},
            "expected a number as score, found nan in row 1",
        ),
    ],
)
def test_errors_name_file_column_and_row(store, tmp_path, columns, message):
    """These formats have no lines."""
    path = tmp_path / "file"
    store(pa.table(columns), path)
    with pytest.raises(be.FormatError) as caught:
        read_run(path)
    assert str(caught.value) == f"{path}: {message}"


@every_way
def test_the_best_of_duplicates_can_be_kept(store, tmp_path):
    """The higher score is kept, at the first position."""
    table = pa.table({"qid": ["q"] * 3, "doc": ["a", "b", "a"], "score": [1.0, 2.0, 3.0]})
    store(table, tmp_path / "file")
    assert read_run(tmp_path / "file", duplicates="keep-best").to_dict() == {
        "q": {"a": 3.0, "b": 2.0}
    }


@every_way
def test_judges_and_subtopics_are_columns(store, tmp_path):
    """Nulls mean none, and the rule reduces the judges."""
    table = pa.table(
        {
            "query_id": ["q"] * 4,
            "doc_id": ["a", "a", "a", "b"],
            "relevance": [1, 3, 2, 0],
            "judge": ["ann", "bob", "ann", None],
            "subtopic": ["s", "s", "t", None],
        }
    )
    store(table, tmp_path / "file")
    judgments = read_judgments(tmp_path / "file", judges="mean")
    assert judgments.to_dict() == {"q": {"a": 2.0, "b": 0.0}}
    assert judgments.subtopics == {b"q": {b"a": {b"s": 2.0, b"t": 2.0}}}
    assert read_judgments(tmp_path / "file").to_dict() == {"q": {"a": 2.0, "b": 0.0}}


@pytest.mark.parametrize("name", ["j.parquet", "j.arrow", "j.arrows", "j.jsonl", "j.csv", "j.tsv"])
@pytest.mark.parametrize("subtopic", [b"s", b"\xff"])
def test_written_subtopics_can_be_read_again(tmp_path, name, subtopic):
    """Every format that supports subtopics keeps them."""
    judgments = be.Judgments.from_dict({"q": {"a": 2, "b": 0}})
    judgments.subtopics = {b"q": {b"a": {subtopic: 2.0, b"t": 1.0}}}
    write_judgments(judgments, tmp_path / name)
    assert read_judgments(tmp_path / name) == judgments


def outcome(path):
    """Return the run that was read, or None, and the error message."""
    try:
        return read_run(path), ""
    except be.InputError as error:
        return None, str(error)


@every_way
@pytest.mark.parametrize("share", [0.0, 0.3, 0.7, 0.99])
def test_a_truncated_file_is_an_error(store, tmp_path, share):
    """The message is one line, and no part of the run is returned."""
    path = tmp_path / "file"
    store(RUN.to_arrow(), path)
    content = path.read_bytes()
    path.write_bytes(content[: max(8, int(len(content) * share))])
    found, message = outcome(path)
    if found is None:
        assert message.startswith(f"{path}: ")
        assert "\n" not in message
    else:  # only the end marker of a stream was cut off
        assert (store, found) == (write_arrow_stream, RUN)


@every_way
def test_damaged_bytes_never_crash(store, tmp_path):
    """Any changed byte gives a run, or an error in one line."""
    path = tmp_path / "file"
    store(RUN.to_arrow(), path)
    content = path.read_bytes()
    for place in range(8, len(content), 7):
        damaged = bytearray(content)
        damaged[place] ^= 0xFF
        path.write_bytes(damaged)
        assert "\n" not in outcome(path)[1]


@pytest.mark.parametrize(
    ("content", "name"),
    [
        (b"PAR1 0 d 1\n", "trec"),
        (b"PAR1\t0\td\t1\n", "trec"),
        (b"PAR100 0 d 1\n", "trec"),
        (b"ARROW1 0 d 1\n", "trec"),
        (b"PAR1\x15\x04", "parquet"),
        (b"ARROW1\0\0", "arrow"),
        (b"\xff\xff\xff\xff\x10", "arrow"),
    ],
)
def test_query_ids_may_look_like_magic_numbers(write, content, name):
    """A text file stays text."""
    assert sniff_format(write(content)) == name


@pytest.mark.parametrize("name", ["parquet", "arrow"])
@pytest.mark.parametrize("content", [b"", b"PAR1", b"PAR1" + b"\0" * 40 + b"PAR1", b"q 0 d 1\n"])
def test_empty_or_mislabelled_files_are_errors(write, content, name):
    """This includes files of another format than the one named."""
    with pytest.raises(be.FormatError, match="cannot be read"):
        read_run(write(content), format=name)


def test_a_missing_file_is_an_error(tmp_path):
    """The message contains the system's reason."""
    with pytest.raises(be.FormatError, match="cannot be read: No such file or directory"):
        read_run(tmp_path / "none", format="parquet")


@pytest.mark.parametrize("name", ["r.parquet", "r.arrow"])
def test_without_pyarrow_the_extra_is_named(tmp_path, name, monkeypatch):
    """This holds for reading and writing, and no file is left behind."""
    write_run(RUN, tmp_path / name)

    def import_module(name):
        raise ImportError(name)

    monkeypatch.setattr(arrow_table, "import_module", import_module)
    with pytest.raises(
        be.MissingExtraError, match=r"Reading .* requires an optional dependency: pip install"
    ):
        read_run(tmp_path / name)
    with pytest.raises(be.MissingExtraError, match="Writing"):
        write_run(RUN, tmp_path / f"other.{name}")
    assert [path.name for path in tmp_path.iterdir()] == [name]
