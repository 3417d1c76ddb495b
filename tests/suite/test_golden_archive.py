"""From an archive to a golden set, and back."""

import pytest

from berryeval import Document, Query
from berryeval.archive import Archive, JudgmentEntry
from berryeval.errors import ArgumentError
from berryeval.golden import read_golden_set
from berryeval.golden.check import check_golden_set
from berryeval.golden.diff import diff_golden_sets
from berryeval.suite.golden_archive import export_golden_set, import_golden_set
from small_golden_set import GUIDE, JUDGMENTS, write_golden_set


@pytest.fixture
def archive(tmp_path):
    """Return an empty archive."""
    with Archive.open(tmp_path / "archive.db") as opened:
        yield opened


def test_a_golden_set_survives_the_way_through_an_archive(archive, tmp_path):
    """Documents, queries, grades, labels and the hash are the same afterwards."""
    labels = ["No", "A little", "Half", "All"]
    folder = write_golden_set(tmp_path / "a", pool_depth=None, labels=labels, relevant_from=2)
    golden = read_golden_set(folder)
    assert import_golden_set(archive, golden) == {"documents": 6, "queries": 2, "judgments": 6}
    exported = export_golden_set(archive, tmp_path / "b", relevant_from=2)
    assert (exported.n_documents, exported.n_queries, exported.n_judgments) == (6, 2, 6)
    after = read_golden_set(tmp_path / "b")
    found = diff_golden_sets(golden, after)
    assert found.declared == {"judges": (None, "first")}
    assert found.documents.is_empty
    assert found.queries.is_empty
    assert found.judgments.is_empty
    assert after.content_hash == golden.content_hash


def test_an_exported_archive_is_a_golden_set_already(archive, tmp_path):
    """Its judgments.jsonl, queries.jsonl and documents.jsonl are the parts of one."""
    golden = read_golden_set(write_golden_set(tmp_path / "a"))
    import_golden_set(archive, golden)
    archive.export(tmp_path / "b")
    after = read_golden_set(tmp_path / "b")
    assert after.judgments.to_dict() == JUDGMENTS
    assert after.content_hash == golden.content_hash


def test_importing_twice_changes_nothing(archive, tmp_path):
    """An equal grade keeps its author and history; another one is replaced."""
    golden = read_golden_set(write_golden_set(tmp_path))
    archive.judgments.put([JudgmentEntry("Q1", "tuning.md#bananas", 0)], author="ada")
    assert import_golden_set(archive, golden)["judgments"] == 5
    assert import_golden_set(archive, golden) == {"documents": 0, "queries": 0, "judgments": 0}
    assert archive.judgments.get("Q1", "tuning.md#bananas").author == "ada"
    assert archive.judgments.get("Q2", "guide.md#guide").author == "imported"


def test_the_archive_adopts_the_scale(archive, tmp_path):
    """Judges see the labels of the set."""
    labels = ["No", "A little", "Half", "All"]
    import_golden_set(archive, read_golden_set(write_golden_set(tmp_path, labels=labels)))
    assert archive.judging.get().labels == tuple(labels)


def test_judged_spans_become_documents(archive, tmp_path):
    """Their texts can be shown, and the exported set is consistent."""
    start = GUIDE.index("An OAuth token")
    span = {"document": "guide.md", "start": start, "end": start + 14, "grade": 3}
    folder = write_golden_set(tmp_path / "a", [{"query_id": "Q1", "relevant": [span]}])
    import_golden_set(archive, read_golden_set(folder))
    stored = archive.documents.get(f"guide.md@{start}-{start + 14}")
    assert stored.text == "An OAuth token"
    export_golden_set(archive, tmp_path / "b")
    assert read_golden_set(tmp_path / "b").relevant_of("Q1") == (stored.doc_id,)


def test_missing_texts_are_reported(archive, tmp_path):
    """The set is written; judgments without a text are listed."""
    archive.queries.put([Query("q1", "bread")])
    archive.documents.put([Document("d1", "dough")], hashes={"d9": "0" * 64})
    entries = [JudgmentEntry("q1", "d1", 1), JudgmentEntry("q2", "d9", 1)]
    archive.judgments.put(entries, author="ada")
    exported = export_golden_set(archive, tmp_path / "b")
    assert exported.missing_documents == ("d9",)
    assert exported.missing_queries == ("q2",)
    kinds = {finding.kind for finding in check_golden_set(tmp_path / "b").errors}
    assert kinds == {"dangling"}


def test_an_archive_without_texts_becomes_a_set_without_documents(archive, tmp_path):
    """Such a set tests systems that have their own documents."""
    archive.queries.put([Query("q1", "bread")])
    archive.judgments.put([JudgmentEntry("q1", "d1", 1)], author="ada")
    exported = export_golden_set(archive, tmp_path / "b")
    assert exported.missing_documents == ()
    assert read_golden_set(tmp_path / "b").judgments.to_dict() == {"q1": {"d1": 1}}


def test_subtopics_are_left_out_and_counted(archive, tmp_path):
    """Golden sets have one grade per document."""
    entries = [JudgmentEntry("q1", "d1", 1, subtopics={"a": 1}), JudgmentEntry("q1", "d2", 1)]
    archive.judgments.put(entries, author="ada")
    assert export_golden_set(archive, tmp_path / "b").n_by_subtopic == 1


def test_a_folder_with_files_is_not_overwritten(archive, tmp_path):
    """The target is new or empty."""
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "x").write_text("")
    with pytest.raises(ArgumentError, match="a new or empty folder"):
        export_golden_set(archive, tmp_path / "b")
