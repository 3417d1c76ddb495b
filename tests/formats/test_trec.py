"""TREC judgments and runs."""

import gzip
import io
import sys

import pytest

from berryeval.errors import FormatError, MissingExtraError
from berryeval.formats import read_judgments, read_run


@pytest.mark.parametrize(
    "content",
    [
        b"q1 0 d1 2\nq1 0 d2 0\nq2 0 d1 -1\n",
        b"q1\t0\td1\t2\r\nq1   0 d2 0\r\nq2 0 d1 -1",
        b"\xef\xbb\xbfq1 0 d1 2\n# a comment\n\n   \nq1 0 d2 0\n  q2 it d1 -1  \n# end",
        b"q1 0 d1 2.0\nq2 0 d1 -1\nq1 0 d2 0\n",
    ],
    ids=["plain", "tabs and CRLF", "BOM, comments, blanks", "mixed queries"],
)
def test_judgments_are_read_from_any_dialect(write, content):
    """E1: any white space, comments, a byte order mark, and no final newline are accepted."""
    assert read_judgments(write(content)).to_dict() == {"q1": {"d1": 2, "d2": 0}, "q2": {"d1": -1}}


def test_a_run_is_read_by_its_scores(write):
    """Ranks and columns after the tag are ignored, and infinities are scores."""
    path = write(b"q Q0 a 1 0.5 t\nq Q0 b 2 1e3 t more words\nq Q0 c 9 -inf t\n")
    assert read_run(path).to_dict() == {"q": {"a": 0.5, "b": 1000.0, "c": float("-inf")}}


def test_ids_need_not_be_utf_8(write):
    """Invalid UTF-8 survives; an id may contain any bytes except white space."""
    path = write(b"q\xff 0 d\xe9\x00x 1\n")
    assert read_judgments(path).grades_of(b"q\xff") == {b"d\xe9\x00x": 1.0}


def zstd_compress(content: bytes) -> bytes:
    if sys.version_info >= (3, 14):
        from compression import zstd

        return zstd.compress(content)
    import zstandard

    return zstandard.compress(content)


@pytest.mark.parametrize("compress", [gzip.compress, zstd_compress])
def test_compression_is_detected_by_its_bytes(write, compress):
    """The file name does not matter."""
    path = write(compress(b"q 0 d 1\n"), "qrels.txt")
    assert read_judgments(path).to_dict() == {"q": {"d": 1}}


def test_zstd_without_its_library_names_the_package_to_install(write, monkeypatch):
    """The message contains a command."""
    path = write(zstd_compress(b"q 0 d 1\n"))
    monkeypatch.setitem(sys.modules, "compression", None)
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(MissingExtraError) as caught:
        read_judgments(path)
    assert (
        str(caught.value)
        == "Reading zstd requires an optional dependency: pip install 'berryeval[zstd]'"
    )


def test_a_damaged_zstd_file_is_an_error(write):
    """The message is one line, as for gzip."""
    content = zstd_compress(b"".join(b"q%d 0 d%d 1\n" % (i, i) for i in range(1000)))
    with pytest.raises(FormatError, match="cannot be read"):
        read_judgments(write(content[:20] + b"\0" * 30 + content[50:]))


LINES = [b"q%d 0 d%d 1\n" % (i, i * i * 7919 % 10007) for i in range(100_000)]


def test_several_zstd_frames_are_one_file(write):
    """The result is the same as with `cat`."""
    content = b"".join(zstd_compress(b"".join(part)) for part in (LINES[:7], LINES[7:8], LINES[8:]))
    assert read_judgments(write(content)) == read_judgments(write(b"".join(LINES), "plain"))


@pytest.mark.parametrize("n_missing", [1, 5, 1000, 200_000])
@pytest.mark.parametrize("n_frames", [1, 2])
def test_a_truncated_zstd_file_is_an_error(write, n_missing, n_frames):
    """This holds at every position, even after a complete frame."""
    content = zstd_compress(b"".join(LINES))
    first = zstd_compress(b"before 0 d 1\n") * (n_frames - 1)
    path = write(first + content[:-n_missing])
    with pytest.raises(FormatError, match=r"cannot be read: .* ended before "):
        read_judgments(path)


@pytest.mark.parametrize("compress", [bytes, gzip.compress, zstd_compress])
def test_a_dash_is_standard_input(monkeypatch, compress):
    """It may be compressed."""
    stdin = io.TextIOWrapper(io.BufferedReader(io.BytesIO(compress(b"q 0 d 1\n"))))
    monkeypatch.setattr(sys, "stdin", stdin)
    assert read_judgments("-").to_dict() == {"q": {"d": 1}}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            b"q 0 d 1\nq 0 d\n",
            ":2: expected 4 columns (query, iteration, document, grade), found 3",
        ),
        (b"q 0 d 1 x\n", ":1: expected 4 columns (query, iteration, document, grade), found 5"),
        (b"# c\nq 0 d one\n", ":2: expected a number as grade, found 'one'"),
        (b"q 0 d nan\n", ":1: expected a number as grade, found 'nan'"),
        (b"q 0 d inf\n", ":1: expected a number as grade, found 'inf'"),
        (b"q 0 d 1_0\n", ":1: expected a number as grade, found '1_0'"),
        (b"q 0 d " + b"9" * 400 + b"\n", f":1: expected a number as grade, found {'9' * 40!r}"),
        (b"q 0 d 1\nq 0 d 1\n", ":2: document 'd' is judged a second time for query 'q'"),
    ],
)
def test_an_invalid_line_of_judgments_is_reported(write, content, message):
    """The message has the file, the line, what was expected and found."""
    path = write(content)
    with pytest.raises(FormatError) as caught:
        read_judgments(path)
    assert str(caught.value) == f"{path}{message}"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            b"q Q0 d 1 0.5\n",
            ":1: expected 6 columns (query, Q0, document, rank, score, tag), found 5",
        ),
        (b"q Q0 d 1 nan t\n", ":1: expected a number as score, found 'nan'"),
        (
            b"q Q0 d 1 1,5 t\n",
            ":1: expected a number as score, found '1,5'; write decimals with a point",
        ),
        (
            b"q Q0 d 1 2 t\np Q0 d 1 2 t\nq Q0 d 1 2 t\n",
            ":3: document 'd' is retrieved a second time for query 'q'",
        ),
    ],
)
def test_an_invalid_line_of_a_run_is_reported(write, content, message):
    """NaN is also an error with its line, since it cannot be ordered."""
    path = write(content)
    with pytest.raises(FormatError) as caught:
        read_run(path)
    assert str(caught.value) == f"{path}{message}"
    assert (caught.value.path, caught.value.line) == (str(path), int(message.split(":")[1]))


def test_swapped_judgments_and_run_are_detected(write):
    """The first line decides; a later line is just invalid."""
    qrels, run = write(b"q 0 d 1\n", "qrels"), write(b"q Q0 d 1 2.5 t\n", "run")
    with pytest.raises(
        FormatError, match=r"found 6; if it is a run, swap the arguments: judgments come first$"
    ):
        read_judgments(run)
    with pytest.raises(
        FormatError,
        match=r"found 4; if these are judgments: they come before runs, or follow --judgments$",
    ):
        read_run(qrels)
    with pytest.raises(FormatError, match=r":2: .* found 4$"):
        read_run(write(b"q Q0 d 1 2.5 t\nq Q0 e 2\n"))


def test_the_best_of_duplicates_can_be_kept(write):
    """The higher score or grade counts."""
    run = read_run(write(b"q Q0 d 1 1 t\nq Q0 d 2 3 t\nq Q0 d 3 2 t\n"), duplicates="keep-best")
    assert run.to_dict() == {"q": {"d": 3.0}}


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda folder: folder / "missing", "No such file or directory"),
        (lambda folder: folder, "Is a directory"),
    ],
)
def test_an_unreadable_file_is_an_error_in_one_line(tmp_path, make, reason):
    """The message has the name and the system's reason."""
    path = make(tmp_path)
    with pytest.raises(FormatError) as caught:
        read_run(path)
    assert str(caught.value) == f"{path}: cannot be read: {reason}"
    assert caught.value.line is None


@pytest.mark.parametrize("damage", [lambda data: data[:-12], lambda data: data[:20] + b"\0" * 30])
def test_a_damaged_archive_is_an_error(write, damage):
    """The message says that it is truncated or overwritten."""
    content = gzip.compress(b"".join(b"q%d 0 d%d 1\n" % (i, i) for i in range(1000)))
    with pytest.raises(FormatError, match="cannot be read"):
        read_judgments(write(damage(content)))


@pytest.mark.parametrize("content", [b"", b"\n  \n", b"# nothing but a comment\n"])
def test_a_file_without_rows_is_an_error(write, content):
    """It is most likely the wrong file."""
    path = write(content)
    with pytest.raises(FormatError) as caught:
        read_judgments(path)
    assert str(caught.value) == f"{path}: expected judgments or a run, found nothing"


def test_a_binary_file_is_an_error_with_a_line(write):
    """There is no traceback and no decoding error."""
    with pytest.raises(FormatError, match=":1: expected 4 columns"):
        read_judgments(write(bytes(range(256)) * 4))


def test_a_line_of_a_million_characters_is_read(write):
    """Ids may be long."""
    doc_id = b"x" * 1_000_000
    assert read_judgments(write(b"q 0 " + doc_id + b" 1\n")).grades_of(b"q") == {doc_id: 1.0}
