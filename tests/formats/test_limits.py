"""Limits on the size of files."""

import gzip
import io
import os
import threading
from contextlib import suppress

import pyarrow as pa
import pytest
from pyarrow import ipc, parquet

from berryeval.errors import SizeError
from berryeval.formats import limits, read_judgments, read_run
from berryeval.formats.limits import limited
from berryeval.formats.lines import iter_lines, iter_pieces

ROWS = "".join(f"q1 Q0 d{i} 1 {-i} tag\n" for i in range(10))


@pytest.fixture
def short_lines(monkeypatch):
    """Limit lines to four bytes."""
    monkeypatch.setattr(limits, "MAX_LINE", 4)


def written(folder, content, name="a.run"):
    path = folder / name
    path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    return path


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_the_first_lines_of_a_large_file_come_without_the_rest(tmp_path, pack):
    """Detecting a format, or checking ranks, does not split the whole file into lines."""
    content = b"q1 Q0 d1 1 0.5 x\n" * 500_000
    path = tmp_path / "a.run"
    path.write_bytes(pack(content))
    sizes = [len(piece) for piece in iter_pieces(path)]
    assert sizes[0] == 1 << 16
    assert max(sizes) == 1 << 21
    assert b"".join(iter_pieces(path)) == content


@pytest.mark.parametrize("name", ["a.run", "a.run.gz"])
@pytest.mark.parametrize("iterate", [iter_lines, iter_pieces])
@pytest.mark.usefixtures("short_lines")
def test_an_endless_line_is_rejected(tmp_path, monkeypatch, name, iterate):
    """The message has the line number, and the line is not read into memory."""
    monkeypatch.setattr("berryeval.formats.lines._PIECE", 2)
    path = written(tmp_path, b"abcd\nabcd\nabcdefghijkl\n", name)
    with pytest.raises(SizeError) as caught:
        list(iterate(path))
    assert caught.value.line == 3
    assert "expected lines of at most" in str(caught.value)


def test_lines_split_across_pieces_are_complete(tmp_path, monkeypatch):
    """Numbers, line feeds and the byte order mark are those of the file."""
    path = written(tmp_path, b"\xef\xbb\xbfab\n\ncdefg\r\nh")
    for size in range(1, 9):
        monkeypatch.setattr("berryeval.formats.lines._PIECE", max(size, 3))
        assert list(iter_lines(path)) == [(1, b"ab\n"), (2, b"\n"), (3, b"cdefg\r\n"), (4, b"h")]


def test_an_endless_device_is_rejected():
    """/dev/zero is a single line that never ends."""
    with pytest.raises(SizeError):
        read_run("/dev/zero")


@pytest.mark.usefixtures("short_lines")
def test_an_endless_pipe_is_rejected(tmp_path, monkeypatch):
    """The writer gets a broken pipe."""
    monkeypatch.setattr("berryeval.formats.lines._PIECE", 64)
    path = tmp_path / "fifo"
    os.mkfifo(path)

    def write():
        with path.open("wb", buffering=0) as file, suppress(BrokenPipeError):
            while True:
                file.write(b"a" * 4096)

    writer = threading.Thread(target=write)
    writer.start()
    with pytest.raises(SizeError):
        read_run(path)
    writer.join(10)
    assert not writer.is_alive()


def parquet_of(table):
    output = io.BytesIO()
    parquet.write_table(table, output)
    return output.getvalue()


def arrow_of(table, make):
    output = io.BytesIO()
    with make(output, table.schema) as writer:
        for batch in table.to_batches(max_chunksize=4):
            writer.write_batch(batch)
    return output.getvalue()


TABLE = pa.table({"query_id": ["q1"] * 10, "doc_id": [f"d{i}" for i in range(10)],
                  "score": [float(-i) for i in range(10)]})  # fmt: skip
FILES = {
    "a.run": ROWS.encode(),
    "a.run.gz": ROWS.encode(),
    "a.csv": b"query_id,doc_id,score\n" + "".join(f"q1,d{i},{-i}\n" for i in range(9)).encode(),
    "a.jsonl": b"".join(b'{"query_id":"q1","doc_id":"d%d","score":1}\n' % i for i in range(10)),
    "a.parquet": parquet_of(TABLE),
    "a.arrow": arrow_of(TABLE, ipc.new_file),
    "a.arrows": arrow_of(TABLE, ipc.new_stream),
}


@pytest.mark.parametrize("name", FILES)
def test_rows_are_limited_in_every_format(tmp_path, name):
    """The limit itself is accepted, and one more row is rejected."""
    path = written(tmp_path, FILES[name], name)
    with limited(rows=10):
        assert read_run(path).n_rows == (9 if name == "a.csv" else 10)
    with limited(rows=9), pytest.raises(SizeError, match="expected at most 9 rows"):
        read_run(path)
    assert read_run(path).n_rows >= 9


def test_a_small_file_with_many_rows_is_rejected(tmp_path):
    """An Arrow file of dictionary rows is small, but its table is not."""
    ids = pa.DictionaryArray.from_arrays(pa.array([0] * 100_000, pa.int8()), ["d1"])
    table = pa.table({"query_id": ids, "doc_id": ids, "score": pa.array([0.0] * 100_000)})
    path = written(tmp_path, arrow_of(table, ipc.new_file), "bomb.arrow")
    with limited(rows=1000), pytest.raises(SizeError):
        read_run(path)


def test_content_is_limited_after_decompression(tmp_path):
    """A small file may decompress to a very large one."""
    path = written(tmp_path, b"q1 0 d1 1\n" * 100_000, "bomb.gz")
    assert path.stat().st_size < 10_000
    with limited(content=100_000), pytest.raises(SizeError, match="expected at most 100,000 bytes"):
        read_judgments(path)


def test_json_may_be_one_long_line(tmp_path, monkeypatch):
    """An object of objects often is; lines of other files can be limited further."""
    monkeypatch.setattr("berryeval.formats.lines._PIECE", 2)
    path = written(tmp_path, b'{"q1": {"d1": 1.5}}', "run.json")
    with limited(line=4):
        assert read_run(path).to_dict() == {"q1": {"d1": 1.5}}
        with pytest.raises(SizeError, match=r"a\.run:1: expected lines of at most"):
            read_run(written(tmp_path, b"q1 Q0 d1 1 2.0 t\n"))
