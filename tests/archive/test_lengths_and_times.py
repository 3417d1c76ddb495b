"""The input of measures of cost: lengths of documents, and times of a run's queries."""

import json

import pytest

import berryeval as be
from berryeval.archive import Archive, JudgmentEntry, RunFacts
from berryeval.core.documents import Document
from berryeval.errors import (
    BerryEvalError,
    ConflictError,
    InputError,
    MismatchError,
    NotFoundError,
)

RUN = be.Run.from_lists({"q1": ["d1", "d2"], "q2": ["d2"]})


@pytest.fixture
def scored(archive):
    """Judgments and a run, whose id it returns."""
    archive.judgments.put(
        [JudgmentEntry("q1", "d1", 1), JudgmentEntry("q2", "d3", 1)], author="ada"
    )
    return archive.runs.put(RUN, RunFacts("words")).run_id


def test_costs_of_a_stored_run_are_those_of_files(archive, scored):
    """Lengths come with documents, texts or hashes, and times with the run."""
    archive.documents.put(
        [Document("d1", "A text.", length=120)], hashes={"d2": "1a"}, lengths={"d2": 900}
    )
    assert archive.runs.put_timings(scored, {"q1": 12.0, "q2": 31.5})
    names = ["tokens@2", "TBG", "U", "ms@p50", "nDCG@2"]
    found = archive.evaluations.score(scored, names)
    expected = be.evaluate(
        {"q1": {"d1": 1}, "q2": {"d3": 1}}, RUN, names,
        lengths={"d1": 120, "d2": 900}, timings={"q1": 12.0, "q2": 31.5},
    )  # fmt: skip
    assert found.means == expected.to_dict()
    assert archive.evaluations.load(found.evaluation_id).to_dict() == expected.to_dict()


def test_other_lengths_are_another_evaluation(archive, scored):
    """A stored score is never returned for lengths that have changed."""
    archive.documents.put([], hashes={"d1": "1a", "d2": "2b"}, lengths={"d1": 1, "d2": 2})
    before = archive.evaluations.score(scored, "tokens@1")
    hashed = archive.judgments.hash()
    assert archive.evaluations.score(scored, "tokens@1").evaluation_id == before.evaluation_id
    assert archive.evaluations.find(scored, "tokens@1", judgments_hash=hashed) is not None
    archive.documents.put([], hashes={"d1": "1a"}, lengths={"d1": 5})
    assert archive.evaluations.find(scored, "tokens@1", judgments_hash=hashed) is None
    assert archive.evaluations.score(scored, "tokens@1").means == {"tokens@1": 3.5}
    assert archive.evaluations.get(before.evaluation_id).means == {"tokens@1": 1.5}


def test_a_document_keeps_its_length_until_its_content_changes(archive):
    """The length of an old text does not apply to a new one."""
    archive.documents.put([Document("d1", "A text.", length=120)])
    assert archive.documents.put([Document("d1", "A text.")]) == 0
    assert archive.documents.get("d1").length == 120
    assert archive.documents.put([Document("d1", "A text.", length=121)]) == 1
    assert archive.documents.get("d1").length == 121
    archive.documents.put([Document("d1", "Another text.")])
    assert archive.documents.get("d1").length is None


@pytest.mark.parametrize("length", [-1, 1.5, True, 10**19])
def test_a_length_is_a_whole_number(archive, length):
    """It ranges from 0 to 1e18, as in files."""
    with pytest.raises(BerryEvalError, match="length of d1"):
        archive.documents.put([], hashes={"d1": "1a"}, lengths={"d1": length})
    assert archive.documents.get("d1") is None


def test_missing_lengths_are_an_error_with_a_way_out(archive, scored):
    """This holds if all lengths are missing, or that of one document."""
    with pytest.raises(InputError, match=r"TBG requires the lengths .* store documents with a"):
        archive.evaluations.score(scored, "TBG")
    archive.documents.put([Document("d1", "A text.", length=120)])
    with pytest.raises(InputError, match="found none for 'd2'"):
        archive.evaluations.score(scored, "TBG")


def test_missing_times_are_an_error(archive, scored):
    """A run without times, or a query without one, does not count as fast."""
    with pytest.raises(InputError, match=r"ms@p95 requires the times of queries"):
        archive.evaluations.score(scored, "ms@p95")
    archive.runs.put_timings(scored, {"q1": 12.0})
    with pytest.raises(MismatchError, match="found none for 'q2'"):
        archive.evaluations.score(scored, "ms@p95")


def test_the_times_of_a_run_never_change(archive, scored):
    """Verdicts and evaluations may be based on them."""
    assert archive.runs.put_timings(scored, {"q1": 12.0})
    assert not archive.runs.put_timings(scored, {"q1": 12})
    with pytest.raises(ConflictError, match="other times"):
        archive.runs.put_timings(scored, {"q1": 13.0})
    with pytest.raises(NotFoundError):
        archive.runs.put_timings("0" * 64, {"q1": 12.0})
    with pytest.raises(InputError, match="from 0 to 1e12"):
        archive.runs.put_timings(scored, {"q1": -1.0})
    assert archive.runs.load(scored).milliseconds == {"q1": 12.0}


def test_exports_have_lengths_and_times(archive, scored, tmp_path):
    """Scores are the same after an import, and documents can be read with their lengths."""
    archive.documents.put(
        [Document("d1", "A text.", length=120)], hashes={"d2": "1a"}, lengths={"d2": 900}
    )
    archive.runs.put_timings(scored, {"q1": 12.0, "q2": 31.5})
    archive.export(tmp_path / "export")
    first, _ = (tmp_path / "export" / "documents.jsonl").read_text().splitlines()
    assert json.loads(first)["length"] == 120
    with Archive.open(tmp_path / "copy.db") as copy:
        copy.import_(tmp_path / "export")
        names = ["tokens@2", "ms@p95"]
        assert copy.evaluations.score(scored, names).means == (
            archive.evaluations.score(scored, names).means
        )
