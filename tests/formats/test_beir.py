"""BEIR folders, and documents."""
# ruff: noqa: E501 - one case per line

import gzip

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import berryeval as be
from berryeval.formats import iter_documents, read_documents, write_documents


@pytest.fixture
def folder(tmp_path):
    """A folder with documents, queries and two splits."""
    (tmp_path / "qrels").mkdir()
    header = "query-id\tcorpus-id\tscore\n"
    (tmp_path / "qrels" / "test.tsv").write_text(f"{header}q1\td1\t2\n")
    (tmp_path / "qrels" / "dev.tsv").write_text(f"{header}q2\td2\t1\n")
    (tmp_path / "queries.jsonl").write_text(
        '{"_id": "q1", "text": "one", "metadata": {}}\n{"_id": "q2", "text": "two"}\n'
    )
    (tmp_path / "corpus.jsonl").write_text(
        '{"_id": "d1", "title": "One", "text": "first", "metadata": {}}\n'
        '{"_id": "d2", "title": null, "text": "second"}\n'
    )
    return tmp_path


def test_a_folder_has_judgments_queries_and_documents(folder):
    """The test split is the default."""
    assert be.read_judgments(folder).to_dict() == {"q1": {"d1": 2.0}}
    assert be.read_judgments(f"{folder}/", split="dev").to_dict() == {"q2": {"d2": 1.0}}
    assert be.read_queries(folder) == [be.Query("q1", "one"), be.Query("q2", "two")]
    documents = be.read_documents(folder)
    assert list(documents.values()) == [
        be.Document("d1", "first", title="One"),
        be.Document("d2", "second"),
    ]
    result = be.evaluate(folder, {"q1": ["d1"]}, ["RR"])
    assert result["RR"].mean == 1.0


def test_compressed_files_of_a_folder_are_found(folder):
    """Folders are often distributed with compressed files."""
    path = folder / "corpus.jsonl"
    (folder / "corpus.jsonl.gz").write_bytes(gzip.compress(path.read_bytes()))
    path.unlink()
    assert len(be.read_documents(folder)) == 2


def test_missing_files_of_a_folder_are_named(folder, tmp_path):
    """The message lists the existing splits."""
    with pytest.raises(be.FormatError) as caught:
        be.read_judgments(folder, split="train")
    assert str(caught.value) == (
        f"{folder}: expected qrels/train.tsv in the folder, found qrels/dev.tsv, qrels/test.tsv"
    )
    empty = tmp_path / "empty"
    empty.mkdir()
    for read, what in (
        (be.read_judgments, "expected qrels/test.tsv in the folder, found no qrels"),
        (be.read_queries, "expected queries.jsonl in the folder, found none"),
        (be.read_documents, "expected corpus.jsonl in the folder, found none"),
    ):
        with pytest.raises(be.FormatError, match=what):
            read(empty)
    (empty / "qrels").mkdir()
    with pytest.raises(be.FormatError, match="found no qrels"):
        be.read_judgments(empty)


texts = st.text(max_size=10)
documents = st.lists(
    st.builds(
        be.Document,
        st.text(min_size=1, max_size=5).filter(lambda name: name.isprintable()),
        texts,
        texts,
        st.none() | st.integers(0, 2**40),
    ),
    max_size=5,
    unique_by=lambda document: document.doc_id,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(found=documents)
def test_written_documents_can_be_read_again(found, tmp_path):
    """They are read one at a time, and as columns."""
    path = tmp_path / "corpus.jsonl.gz"
    write_documents(found, path)
    assert list(iter_documents(path)) == found
    collected = be.Documents.of(found)
    assert read_documents(path) == collected
    assert list(collected) == [document.doc_id for document in found]
    if all(document.length is not None for document in found):
        assert list(collected.values()) == found


def test_documents_are_streamed(write):
    """The first document is available before the second is read."""
    path = write(b'{"id": "d", "contents": "x", "length": 1}\nrubbish\n')
    stream = iter_documents(path)
    assert next(stream) == be.Document("d", "x", length=1)
    with pytest.raises(be.FormatError, match=":2: expected a JSON object"):
        next(stream)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"text": "x"}', "expected a key '_id', found 'text'"),
        ('{"_id": "d"}', "expected a key 'text', found '_id'"),
        ("{}", "expected a key '_id', found none"),
        ('{"_id": "", "text": "x"}', "expected an id, found ''"),
        ('{"_id": "d", "text": 1}', "expected text as text, found int"),
        ('{"_id": "d", "text": "x", "title": ["y"]}', "expected text as title, found list"),
        ('{"_id": "d", "text": "", "length": -1}', "expected a number of tokens as length, found -1"),
        ('{"_id": "d", "text": "", "length": true}', "expected a number of tokens as length, found True"),
        ('{"_id": "e", "text": ""}', "document 'e' occurs twice"),
    ],
)  # fmt: skip
def test_an_invalid_document_is_reported(write, line, message):
    """The message has the file, the line, what was expected and found."""
    path = write(b'{"_id": "e", "text": ""}\n' + line.encode())
    with pytest.raises(be.FormatError) as caught:
        read_documents(path)
    assert str(caught.value) == f"{path}:2: {message}"


def test_documents_in_memory_are_a_mapping():
    """Ids are keys, with columns; lengths exist only if all are known."""
    found = be.Documents.of([be.Document("a", "x", length=3), be.Document("b", "y", "t", 0)])
    assert (repr(found), len(found), "a" in found) == ("<Documents: 2 documents>", 2, True)
    assert list(found.length) == [3, 0]
    assert found["b"] == be.Document("b", "y", "t", 0)
    assert be.Documents.of([be.Document("a", "x", length=3), be.Document("b", "y")]).length is None
    assert be.Documents.of([]).length is None
    assert found != 1
    with pytest.raises(KeyError):
        _ = found["c"]
    with pytest.raises(be.ArgumentError, match="documents: expected each document once"):
        be.Documents.of([be.Document("a", "x"), be.Document("a", "y")])
