"""The directory of all runs."""

import pytest

from berryeval import Run
from berryeval.archive import RunFacts
from berryeval.service.workbench.state.run_directory import RunDirectory

RUN = Run.from_dict({"q1": {"d1": 1.0}})


@pytest.fixture
def put(archive):
    """Return a function that stores a run with a name, tags and a commit."""

    def put_it(name, tags=(), commit=None):
        facts = RunFacts(name, tags=tags, commit=commit, durations={"q1": 3.0})
        return archive.runs.put(RUN, facts).run_id

    return put_it


def found(archive, words="", series=None):
    return [run.run_id for run in RunDirectory(archive).current().search(words, series)]


def test_series_are_sorted_by_their_newest_run(archive, put):
    """The runs of each series are in stored order."""
    first, other, second = put("bm25", commit="a"), put("dense"), put("bm25", commit="b")
    series = RunDirectory(archive).current().series
    assert list(series) == ["bm25", "dense"]
    assert [run.run_id for run in series["bm25"].runs] == [first, second]
    assert series["bm25"].newest.run_id == second
    assert series["dense"].newest.run_id == other


def test_a_search_covers_names_tags_commits_and_ids(archive, put):
    """Every word must match; commits and ids match by prefix."""
    nightly, pull = put("bm25", ("Nightly",), "4f1c2d3"), put("bm25", ("pull",), "aa4f1")
    dense = put("dense", ("nightly",), "4f1c2d3")
    assert found(archive) == [dense, pull, nightly]
    assert found(archive, "NIGHT bm") == [nightly]
    assert found(archive, "4f1c") == [dense, nightly]
    assert found(archive, pull[:12]) == [pull]
    assert found(archive, "nightly", series="dense") == [dense]
    assert found(archive, series="nobody") == []
    assert found(archive, "nothing") == []


def test_the_previous_run_is_of_the_same_series(archive, put):
    """It is the default reference of a candidate."""
    first, _, second = put("bm25", commit="a"), put("dense"), put("bm25", commit="b")
    directory = RunDirectory(archive).current()
    assert directory.before(directory.by_id[second]).run_id == first
    assert directory.before(directory.by_id[first]) is None


def test_added_and_removed_runs_are_noticed(archive, put):
    """Otherwise nothing is reread."""
    directory = RunDirectory(archive)
    assert directory.current().runs == ()
    first = put("bm25")
    assert directory.current() is directory.current()
    second = put("dense")
    assert [run.run_id for run in directory.current().runs] == [first, second]
    archive.runs.remove(first)
    assert [run.run_id for run in directory.current().runs] == [second]


def test_durations_are_not_loaded(archive, put):
    """They are most of a run, and no list shows them."""
    run_id = put("bm25")
    assert RunDirectory(archive).current().by_id[run_id].facts.durations is None
    assert archive.runs.get(run_id).facts.durations == {"q1": 3.0}
