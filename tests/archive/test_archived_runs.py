import math
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from berryeval import Run
from berryeval.archive import RunFacts, hash_of_run
from berryeval.archive.runs import pack_run, pieces_of
from berryeval.archive.tables import run_contents, run_pieces
from berryeval.core.id_column import decode_id
from berryeval.errors import (
    ArchiveError,
    ArgumentError,
    ConflictError,
    InputTypeError,
    NotFoundError,
)
from depth import examples

RUN = Run.from_dict({"q2": {"d1": 0.5, "d2": 0.25}, "q1": {"d9": 1.0}})

ids = st.binary(max_size=6).map(decode_id) | st.text(
    st.characters(exclude_categories=["Cs"]), max_size=6
)
scores = st.floats(allow_nan=False)
runs = st.dictionaries(ids, st.dictionaries(ids, scores, max_size=5), max_size=5)


def n_rows(archive, table):
    with archive._database.reading() as connection:
        return len(connection.execute(table.select()).all())


def test_a_run_is_loaded_as_it_was_stored(archive):
    """It is found by id, with all its metadata."""
    facts = RunFacts("bm25", {"k1": 1.2, "fields": ["title"]}, "c0ffee", ("nightly",), "1e2b1bc",
                     {"q1": 12.5})  # fmt: skip
    stored = archive.runs.put(RUN, facts)
    assert archive.runs.get(stored.run_id) == stored
    assert (stored.facts, stored.n_queries, stored.n_rows) == (facts, 2, 3)
    assert stored.content_hash == hash_of_run(RUN)
    assert archive.runs.load(stored.run_id) == RUN
    assert archive.runs.get("beef") is None
    with pytest.raises(NotFoundError, match="no run 'beef'"):
        archive.runs.load("beef")


def test_storing_the_same_run_again_changes_nothing(archive):
    """Equal rankings and metadata have the same id; durations do not matter."""
    first = archive.runs.put(RUN, RunFacts("bm25", durations={"q1": 1.0}))
    assert archive.runs.put(RUN, RunFacts("bm25", durations={"q1": 2.0})) == first
    assert [run.run_id for run in archive.runs.page().items] == [first.run_id]
    assert archive.runs.get(first.run_id) == first


def test_a_run_that_another_process_packed_is_the_same_run(archive):
    """It has the same id, and its rankings are loaded as they were."""
    stored = archive.runs.put(pack_run(RUN), RunFacts("bm25"))
    assert archive.runs.load(stored.run_id) == RUN
    assert archive.runs.put(RUN, RunFacts("bm25")) == stored
    assert archive.runs.put(pack_run(RUN), RunFacts("dense")).content_hash == stored.content_hash
    assert n_rows(archive, run_contents) == 1


@pytest.mark.parametrize("rows", [{"q" * 1025: {"d": 1}}, {"q": {"é" * 513: 1}}])
def test_ids_that_are_too_long_are_rejected(archive, rows):
    """The limit is that of judgments."""
    with pytest.raises(ArgumentError, match=r"ids of 1 to 1,024 bytes, got one of 1,02\d"):
        archive.runs.put(Run.from_dict(rows), RunFacts("bm25"))


def test_equal_rankings_of_two_commits_are_two_runs_stored_once(archive):
    """A commit without changes is a point in a trend, and takes no extra space."""
    first = archive.runs.put(RUN, RunFacts("bm25", commit="a"))
    second = archive.runs.put(RUN, RunFacts("bm25", commit="b"))
    assert first.run_id != second.run_id
    assert first.content_hash == second.content_hash
    assert n_rows(archive, run_contents) == n_rows(archive, run_pieces) == 1
    assert archive.runs.remove(first.run_id)
    assert archive.runs.load(second.run_id) == RUN
    assert archive.runs.remove(second.run_id)
    assert not archive.runs.remove(second.run_id)
    assert n_rows(archive, run_contents) == n_rows(archive, run_pieces) == 0


@examples(50, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=runs)
def test_any_run_is_loaded_as_it_was_stored(archive, rows):
    """Any ids, any scores and queries without documents keep their order."""
    run = Run.from_dict(rows)
    stored = archive.runs.put(run, RunFacts("x"))
    loaded = archive.runs.load(stored.run_id)
    assert loaded == run
    assert [math.copysign(1, score) for score in loaded.scores] == [
        math.copysign(1, score) for score in run.scores
    ]


def test_a_large_run_is_stored_in_pieces(archive, monkeypatch):
    """No database row is large, whatever the size of the run."""
    monkeypatch.setattr("berryeval.archive.runs._PIECE", 100)
    run = Run.from_dict({f"q{i}": {f"d{i * j % 97}": i / (j + 1) for j in range(20)}
                         for i in range(20)})  # fmt: skip
    stored = archive.runs.put(run, RunFacts("x"))
    assert n_rows(archive, run_pieces) > 5
    assert archive.runs.load(stored.run_id) == run


@pytest.mark.parametrize("data", [b"", b"no zlib", None, b"\x78\x01cut"])
def test_a_damaged_run_is_rejected(archive, data):
    """The hash is checked whenever a run is loaded."""
    stored = archive.runs.put(RUN, RunFacts("x"))
    with archive._database.writing() as connection:
        if data is None:  # valid, but another run
            data = b"".join(pieces_of(Run.from_dict({"q": {"d": 1.0}})))
        connection.execute(run_pieces.update().values(data=data))
    with pytest.raises(ArchiveError, match=f"content of run {stored.run_id} is damaged; restore"):
        archive.runs.load(stored.run_id)


@pytest.mark.parametrize(
    ("facts", "error", "words"),
    [
        (RunFacts(""), ArgumentError, "name"),
        (
            RunFacts("x", {"k": float("nan")}),
            InputTypeError,
            "settings: expected a JSON value",
        ),
        (
            RunFacts("x", {"k": object()}),
            InputTypeError,
            "settings: expected a JSON value",
        ),
        (RunFacts("x", []), InputTypeError, "settings: expected a mapping, got list"),
        (RunFacts("x", tags="nightly"), ArgumentError, "tags: expected several"),
        (RunFacts("x", tags=[1]), InputTypeError, "tags"),
        (RunFacts("x", durations={"q": float("inf")}), ArgumentError, "durations"),
    ],
)
def test_invalid_metadata_is_rejected(archive, facts, error, words):
    """Nothing is written."""
    with pytest.raises(error, match=words):
        archive.runs.put(RUN, facts)
    assert archive.runs.page().items == ()


def test_runs_are_listed_by_time_and_by_name(archive):
    """Oldest first, or newest first."""
    stored = [archive.runs.put(RUN, RunFacts("ab"[i % 2], commit=str(i))) for i in range(5)]
    assert list(archive.runs.page().items) == stored
    assert list(archive.runs.page(newest_first=True).items) == stored[::-1]
    first = archive.runs.page(name="a", limit=2)
    assert [run.facts.commit for run in first.items] == ["0", "2"]
    rest = archive.runs.page(name="a", limit=2, after=first.next)
    assert ([run.facts.commit for run in rest.items], rest.next) == (["4"], None)


def test_a_baseline_cannot_be_removed(archive):
    """Its name would refer to no run."""
    stored = archive.runs.put(RUN, RunFacts("x"))
    archive.baselines.put("main", stored.run_id)
    with pytest.raises(ConflictError, match="a run that is not a baseline, found baseline 'main'"):
        archive.runs.remove(stored.run_id)
    archive.baselines.remove("main")
    assert archive.runs.remove(stored.run_id)


def test_rankings_removed_while_a_run_is_stored_are_written_again(archive, monkeypatch):
    """The only other run with these rankings is removed concurrently."""
    stored = archive.runs.put(RUN, RunFacts("x"))
    before = archive.runs._has_content

    def remove_concurrently(content):
        found = before(content)
        archive.runs.remove(stored.run_id)
        return found

    monkeypatch.setattr(archive.runs, "_has_content", remove_concurrently)
    second = archive.runs.put(RUN, RunFacts("y"))
    assert archive.runs.load(second.run_id) == RUN


def test_lists_omit_durations(archive):
    """A run has one per query; listing fifty runs of 7,000 queries would be slow."""
    stored = archive.runs.put(RUN, RunFacts("bm25", durations={"q1": 1.5}))
    assert stored.facts.durations == {"q1": 1.5}
    assert archive.runs.get(stored.run_id) == stored
    assert archive.runs.page().items[0].facts == RunFacts("bm25")


def test_a_run_can_be_read_without_durations(archive):
    """Everything else is there; most pages need no more."""
    stored = archive.runs.put(RUN, RunFacts("bm25", tags=("a",), durations={"q1": 1.5}))
    found = archive.runs.get(stored.run_id, with_durations=False)
    assert found == replace(stored, facts=replace(stored.facts, durations=None))
    assert archive.runs.get("0" * 64, with_durations=False) is None


def test_the_directory_lists_every_run_without_durations(archive):
    """Runs are in stored order, and the directory's mark changes when a run is added or removed."""
    assert archive.runs.directory() == ()
    assert archive.runs.mark() == (0, None)
    first = archive.runs.put(RUN, RunFacts("bm25", tags=("a",), durations={"q1": 1.0}))
    second = archive.runs.put(RUN, RunFacts("dense", {"k": 1}))
    listed = archive.runs.directory()
    assert [run.run_id for run in listed] == [first.run_id, second.run_id]
    assert listed[0].facts == RunFacts("bm25", tags=("a",))
    assert listed[1] == second
    assert archive.runs.mark() == (2, second.stored_at)
    archive.runs.remove(first.run_id)
    assert archive.runs.mark() == (1, second.stored_at)
