"""Unsupported or mislabelled files are identified, and the error suggests a fix."""

import bz2
import gzip
import lzma
import pickle
import tarfile
import zipfile

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard
from click.testing import CliRunner

from berryeval.cli import main
from berryeval.core.judgments import Judgments
from berryeval.core.query import Query
from berryeval.core.run import Run
from berryeval.errors import ArgumentError, FormatError
from berryeval.formats import read_judgments, read_queries, read_run, write_judgments, write_run
from berryeval.formats.queries import write_queries

QRELS = "q1 0 d1 1\nq2 0 d1 1\n"
LZ4 = bytes.fromhex("04224d18") + b"\x60\x70\x73\x0a\x00\x00\x80" + QRELS.encode() + b"\0\0\0\0"


def tarred(tmp_path):
    (tmp_path / "qrels").write_text(QRELS)
    with tarfile.open(tmp_path / "tar", "w:gz") as file:
        file.add(tmp_path / "qrels", "qrels")
    return (tmp_path / "tar").read_bytes()


def zipped(tmp_path):
    with zipfile.ZipFile(tmp_path / "zip", "w") as file:
        file.writestr("qrels", QRELS)
    return (tmp_path / "zip").read_bytes()


@pytest.mark.parametrize(
    ("content", "what", "way_out"),
    [
        (LZ4, "is compressed with lz4", "`lz4 -d`"),
        (bz2.compress(QRELS.encode()), "is compressed with bzip2", "`bunzip2`"),
        (lzma.compress(QRELS.encode()), "is compressed with xz", "`unxz`"),
        (b"7z\xbc\xaf\x27\x1c\x00\x04", "is a 7z archive", "`7z x`"),
        (pickle.dumps({"q1": {"d1": 1.0}}, 4), "is a Python pickle", "json.dump"),
        (pickle.dumps({"q1": {"d1": 1.0}}, 5), "is a Python pickle", "json.dump"),
        (b"\x7fELF\x02\x01\x01\0\0\0", "is a program", "expected judgments or a run"),
        (zipped, "is a ZIP archive, as Excel workbooks are", "save the sheet as CSV"),
        (QRELS.encode("utf-16"), "is UTF-16 text", "`iconv -f UTF-16 -t UTF-8 FILE > NEW`"),
        (QRELS.encode("utf-16-le"), "is UTF-16 text", "`iconv -f UTF-16"),
        (QRELS.encode("utf-16-be"), "is UTF-16 text", "`iconv -f UTF-16"),
        ("問 0 文 1\n".encode("utf-16"), "is UTF-16 text", "`iconv -f UTF-16"),
        (QRELS.encode("utf-32"), "is UTF-32 text", "`iconv -f UTF-32"),
        (gzip.compress(QRELS.encode("utf-16"), mtime=0), "is UTF-16 text", "`iconv -f UTF-16"),
        (
            gzip.compress(gzip.compress(QRELS.encode(), mtime=0), mtime=0),
            "is compressed twice",
            "unpack it once",
        ),
        (b"\x02\x21\x4c\x18\x10\0\0\0abc", "is compressed with lz4", "`lz4 -d`"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(99), "is an old Excel workbook", "as CSV"),
        (b"SQLite format 3\0" + bytes(99), "is an SQLite database", "`berryeval archive export`"),
        (b"%PDF-1.7\n1 0 obj\n", "is a PDF document", "`pdftotext`"),
        (b"<!DOCTYPE html>\n<html>404</html>\n", "is an HTML page", "download the file again"),
        (b"version https://git-lfs.github.com/spec/v1\n", "is a Git LFS pointer", "`git lfs pull`"),
        (tarred, "is a tar archive", "`tar -xf`"),
    ],
)
def test_an_unsupported_file_is_identified_with_a_fix(tmp_path, content, what, way_out):
    """Other compression or encoding causes exit code 2 and one line."""
    path = tmp_path / "file"
    path.write_bytes(content(tmp_path) if callable(content) else content)
    for read in (read_judgments, read_run, read_queries):
        with pytest.raises(FormatError) as caught:
            read(path)
        assert str(caught.value).startswith(f"{path}: {what}")
        assert way_out in str(caught.value)
    (tmp_path / "run").write_text("q1 Q0 d1 1 1 t\n")
    for files in ([str(path), "run"], [str(tmp_path / "run"), str(path)]):
        result = CliRunner().invoke(main, ["evaluate", *files])
        assert result.exit_code == 2
    with path.open("rb") as stdin:
        result = CliRunner().invoke(main, ["convert", "-", "-", "--kind", "judgments"], input=stdin)
    assert (result.exit_code, result.stderr.startswith(f"Error: standard input: {what}")) == (
        2,
        True,
    )


@pytest.mark.parametrize(
    "query_id", [b"BZh9", b"\xff\xfe", b"\xfe\xff\x01", b"PK", b"7z", b"a\0b", b"\x04\x22\x4d\x18"]
)
def test_ids_may_be_any_bytes(tmp_path, query_id):
    """A short magic number alone does not identify a file."""
    path = tmp_path / "qrels"
    path.write_bytes(query_id + b" 0 d1 1\n")
    assert read_judgments(path).query_ids.bytes_at(0) == query_id


def damaged(content):
    return {
        "truncated": content[: len(content) // 2],
        "overwritten": content[:100] + b"\xff" * 200 + content[300:],
        "footer": content[:-20] + b"\xff" * 12 + content[-8:],
    }


@pytest.mark.parametrize("fault", ["truncated", "overwritten", "footer"])
def test_a_damaged_parquet_file_is_identified(tmp_path, fault):
    """The message has pyarrow's reason in printable characters."""
    path = tmp_path / "a.parquet"
    rows = range(1000)
    table = {"query_id": ["q"] * 1000, "doc_id": [f"d{i}" for i in rows], "relevance": [1] * 1000}
    pq.write_table(pa.table(table), path)
    path.write_bytes(damaged(path.read_bytes())[fault])
    with pytest.raises(
        FormatError, match=r"cannot be read: damaged or truncated Parquet \(.*\)"
    ) as caught:
        read_judgments(path)
    assert str(caught.value).isprintable()
    assert str(caught.value).endswith("; write the file again")


def test_a_file_named_parquet_must_be_parquet_or_trec(tmp_path):
    """Any other content is an error."""
    path = tmp_path / "a.parquet"
    path.write_bytes(b"not found\n")
    with pytest.raises(FormatError, match="expected Parquet or Arrow, as the name says"):
        read_judgments(path)
    path.write_text(QRELS)
    assert read_judgments(path).n_queries == 2


@pytest.mark.parametrize(
    ("name", "line"),
    [("a.txt", "q1,d1,1"), ("a.txt", "q1;d1;1"), ("a.txt", "q1|d1|1"), ("a.csv", "q1,d1,1")],
)
def test_a_table_without_a_header_is_an_error(tmp_path, name, line):
    """The message asks for column names, which cannot be guessed."""
    path = tmp_path / name
    path.write_text(f"{line}\n")
    for read, names in (
        (read_judgments, "query_id,doc_id,relevance"),
        (read_run, "query_id,doc_id,score"),
    ):
        with pytest.raises(
            FormatError, match=f"a table needs a first line with names, such as {names}$"
        ):
            read(path)


@pytest.mark.parametrize("damage", [lambda b: b[:-20], lambda b: b[:12] + b"\xff" * 9 + b[21:]])
@pytest.mark.parametrize("compress", [gzip.compress, zstandard.compress])
def test_a_damaged_compressed_file_is_identified(tmp_path, compress, damage):
    """It may be truncated or overwritten."""
    path = tmp_path / "a.gz"
    path.write_bytes(damage(compress("".join(f"q{i} 0 d1 1\n" for i in range(999)).encode())))
    message = r"cannot be read: damaged or truncated compressed file \(.*\); write the file again$"
    with pytest.raises(FormatError, match=message):
        read_judgments(path)


def test_binary_data_is_identified(tmp_path):
    """A message about columns would be misleading."""
    path = tmp_path / "file"
    path.write_bytes(bytes(range(256)) * 10)
    with pytest.raises(FormatError, match="found 1; is it a binary file"):
        read_judgments(path)


def test_tables_with_semicolons_are_read(tmp_path):
    """Spreadsheets write them where the comma is the decimal separator."""
    path = tmp_path / "a.csv"
    path.write_text('query_id;doc_id;relevance\n"q;1";d,1;2\n')
    assert read_judgments(path).to_dict() == {"q;1": {"d,1": 2.0}}
    path.write_text("query_id;doc_id;score\nq1;d1;0,5\n")
    message = ":2: expected a number as score, found '0,5'; write decimals with a point$"
    with pytest.raises(FormatError, match=message):
        read_run(path)
    path.write_text("query_id;text;tags\nq1;berries, red;a\n")
    assert read_queries(path) == [Query("q1", "berries, red", tags=("a",))]
    result = CliRunner().invoke(main, ["inspect", str(path)])
    path.write_text("query_id;doc_id;relevance\nq1;d1;2\n")
    result = CliRunner().invoke(main, ["inspect", str(path)])
    assert "judgments, format table" in result.output


def test_a_long_id_is_shortened_in_messages(tmp_path):
    """A million characters on a line do not fill the screen."""
    path = tmp_path / "qrels"
    path.write_text(f"q 0 {'d' * 1_000_000} 1\n" * 2)
    with pytest.raises(FormatError, match=":2: document 'ddd") as caught:
        read_judgments(path)
    assert len(caught.value.message) < 200
    path.write_text("x" * 1_000_000)
    with pytest.raises(FormatError, match=":1: expected 4 columns"):
        read_judgments(path)


@pytest.mark.parametrize("name", ["a.xlsx", "a.pdf", "a.csv.bz2", "a.png", "a.yaml", "a.html.gz"])
def test_an_unsupported_extension_is_rejected_for_writing(tmp_path, monkeypatch, name):
    """The error is raised before anything is computed."""
    monkeypatch.chdir(tmp_path)
    for write, data in (
        (write_run, Run.from_dict({"q": {"d": 1}})),
        (write_judgments, Judgments.from_dict({"q": {"d": 1}})),
        (write_queries, [Query("q", "text")]),
    ):
        with pytest.raises(ArgumentError, match=rf"got '{name}'"):
            write(data, name)
        assert not (tmp_path / name).exists()


@pytest.mark.parametrize(
    "command",
    [
        "evaluate q r -o a.xlsx",
        "evaluate q r -o a.tsv",
        "evaluate q r -o a.run",
        "compare q r s -o a.xlsx",
        "gate -o a.docx",
        "holes q r -o a.xlsx",
        "explain q r s -o a.pdf",
        "power q r -o a.xlsx",
        "history h -o a.xlsx",
        "quality -o a.xlsx",
        "golden check -o a.xlsx",
        "demo -o a.xlsx",
        "convert q a.xlsx",
        "retrieve --system bm25 --documents d --queries q -o a.xlsx",
    ],
)
def test_every_command_rejects_unsupported_extensions(tmp_path, monkeypatch, command):
    """The error is raised before inputs are read."""
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(main, command.split())
    assert result.exit_code == 2
    assert "expected a name that ends in" in result.stderr
    assert [*tmp_path.iterdir()] == []


@pytest.mark.parametrize("name", ["a", "a.txt", "a.out", "a.2026-11-16", "a.txt.gz"])
def test_other_extensions_mean_trec(tmp_path, name):
    """A run is then written as TREC."""
    write_run(Run.from_dict({"q": {"d": 1}}), tmp_path / name)
    assert read_run(tmp_path / name).to_dict() == {"q": {"d": 1.0}}
