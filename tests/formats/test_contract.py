"""The contract of every format: written data can be read again."""

import gzip
import sys

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from berryeval.core.id_column import decode_id
from berryeval.core.judgments import Judgments
from berryeval.core.run import Run
from berryeval.errors import FormatError, InputError, MissingExtraError
from berryeval.formats import read_judgments, read_run, write_judgments, write_run
from berryeval.formats.registry import OWN_FORMATS


def fits_every_format(text: str) -> bool:
    """Return whether an id has no white space, comment, NUL or magic number."""
    written = text.encode("utf-8", "surrogateescape")
    begins_a_file = written.startswith(
        (b"#", b"\xef\xbb\xbf", b"\x1f\x8b\x08", b"\x28\xb5\x2f\xfd")
    )
    return written.split() == [written] and b"\0" not in written and not begins_a_file


ids = (
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=6)
    | st.binary(min_size=1, max_size=4).map(decode_id)
).filter(fits_every_format)
scores = st.floats(allow_nan=False)
grades = st.integers(-2, 10) | st.floats(-1e3, 1e3)


def by_query(values):
    return st.dictionaries(
        ids, st.dictionaries(ids, values, min_size=1, max_size=5), min_size=1, max_size=4
    )


in_temporary_folder = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])

every_format = pytest.mark.parametrize("name", OWN_FORMATS)
every_format_of_runs = pytest.mark.parametrize("name", sorted(OWN_FORMATS.keys() - {"letor"}))


@every_format_of_runs
@in_temporary_folder
@given(data=by_query(scores))
def test_a_written_run_can_be_read_again(name, data, tmp_path):
    """Every digit of every score and every supported id survive."""
    run = Run.from_dict(data)
    write_run(run, tmp_path / "run", format=name)
    assert read_run(tmp_path / "run", format=name) == run


@every_format
@in_temporary_folder
@given(data=by_query(grades))
def test_written_judgments_can_be_read_again(name, data, tmp_path):
    """Whole, fractional and negative grades survive."""
    assume(name != "letor" or not any("#" in query_id for query_id in data))
    judgments = Judgments.from_dict(data)
    write_judgments(judgments, tmp_path / "qrels", format=name)
    assert read_judgments(tmp_path / "qrels", format=name) == judgments


@in_temporary_folder
@given(data=st.dictionaries(ids, st.dictionaries(ids, grades, max_size=2), min_size=1, max_size=4))
def test_a_query_without_documents_is_kept_in_a_json_object(data, tmp_path):
    """A file gives the same result as a dict, for runs and judgments."""
    for noun, write, read in (
        (Run, write_run, read_run),
        (Judgments, write_judgments, read_judgments),
    ):
        write(noun.from_dict(data), tmp_path / "a.json")
        assert read(tmp_path / "a.json") == noun.from_dict(data)


ENDINGS = ["jsonl", "ndjson", "json", "csv", "tsv", "run", "txt", "", "parquet", "pq", "arrow"]
ENDINGS += ["arrows", "feather"]


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("suffix", ["", ".gz", ".zst"])
def test_the_extension_sets_the_format_and_the_content_is_detected(tmp_path, ending, suffix):
    """Writing uses the name, and reading the first line."""
    run = Run.from_dict({"q1": {"d1": 0.5, "d2": 1.0}, "q2": {"d1": 2.0}})
    path = tmp_path / f"file.{ending}{suffix}"
    write_run(run, path)
    assert read_run(path) == run
    assert path.read_bytes().startswith(b"\x1f\x8b") == (suffix == ".gz")
    assert path.read_bytes().startswith(b"\x28\xb5\x2f\xfd") == (suffix == ".zst")


def test_zstd_without_its_library_writes_nothing(tmp_path, monkeypatch):
    """The message contains a command to install it."""
    monkeypatch.setitem(sys.modules, "compression", None)
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(MissingExtraError) as caught:
        write_run(Run.from_dict({"q": {"d": 1.0}}), tmp_path / "a.run.zst")
    assert (
        str(caught.value)
        == "Writing zstd requires an optional dependency: pip install 'berryeval[zstd]'"
    )
    assert list(tmp_path.iterdir()) == []


def test_the_same_content_compresses_to_the_same_bytes(tmp_path):
    """Writing a file again does not change it in version control."""
    run = Run.from_dict({"q": {"d": 1.0}})
    write_run(run, tmp_path / "a.run.gz")
    write_run(run, tmp_path / "b.run.gz")
    assert (tmp_path / "a.run.gz").read_bytes() == (tmp_path / "b.run.gz").read_bytes()
    assert gzip.decompress((tmp_path / "a.run.gz").read_bytes()) == b"q Q0 d 1 1 berryeval\n"


@pytest.mark.parametrize("doc_id", ["", "a b", "a\tb", "a\n"])
def test_an_id_that_trec_cannot_represent_is_rejected_safely(tmp_path, doc_id):
    """An existing file is kept, and no partial file is left."""
    path = tmp_path / "run.txt"
    path.write_text("before")
    with pytest.raises(InputError, match="a TREC file cannot hold the id"):
        write_run(Run.from_dict({"q": {"d": 1, doc_id: 2}}), path)
    assert [(p.name, p.read_text()) for p in tmp_path.iterdir()] == [("run.txt", "before")]


def test_a_query_that_would_be_a_comment_is_rejected(tmp_path):
    """It could not be read again."""
    with pytest.raises(InputError, match="'#1' would be a comment in a TREC file"):
        write_judgments(Judgments.from_dict({"#1": {"d": 1}}), tmp_path / "qrels")


@pytest.mark.parametrize("first", ["\ufeff", "\x1f\udc8b\x08", "(\udcb5/\udcfd"])
def test_a_query_that_looks_like_a_magic_number_is_rejected(tmp_path, first):
    """A byte order mark would be dropped, and the file would be decompressed."""
    with pytest.raises(InputError, match="would make a TREC file look compressed"):
        write_run(Run.from_dict({f"{first}1": {"d": 1}}), tmp_path / "run")


def test_a_file_that_cannot_be_written_is_an_error(tmp_path):
    """The message contains the system's reason."""
    path = tmp_path / "no" / "such" / "folder"
    with pytest.raises(FormatError) as caught:
        write_run(Run.from_dict({}), path)
    assert str(caught.value) == f"{path}: cannot be written: No such file or directory"


def test_a_large_table_is_written_in_pieces(tmp_path):
    """It is larger than the buffer."""
    run = Run.from_dict({"q": {f"document-{i}": float(i) for i in range(10_000)}})
    write_run(run, tmp_path / "run.csv")
    assert read_run(tmp_path / "run.csv") == run
