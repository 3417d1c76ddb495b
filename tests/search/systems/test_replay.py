"""Stored runs as systems under test."""

import pytest

import berryeval as be
from berryeval.core import Query
from berryeval.errors import ArgumentError, SystemUnderTestError
from berryeval.formats import write_run
from berryeval.search.systems.embedded import Embedded
from berryeval.search.systems.replay import Replay
from search.contract import DOCUMENTS, QUERIES, Contract

ODD = ["zzyzx qwrtp", "", " ", "!!!", "'; DROP TABLE", 'AND OR "', "a:b (c", "\u0000", "oauth"]


class TestReplay(Contract):
    """Results of the embedded engine, from a file."""

    can_index = False

    @pytest.fixture
    def system(self, tmp_path):
        engine = Embedded("bm25")
        engine.index(DOCUMENTS)
        queries = [Query(f"q{i}", text) for i, text in enumerate([*QUERIES, *ODD])]
        found = {q.query_id: dict(engine.search(q.text, 100)) for q in queries}
        write_run(be.Run.from_dict(found), tmp_path / "run.json")
        return Replay(tmp_path / "run.json", queries)


def test_without_texts_a_query_is_looked_up_by_id():
    """No queries have to be passed."""
    system = Replay({"q1": {"a": 1.0, "b": 1.0}})
    assert system.search("q1", 5) == [("b", 1.0), ("a", 1.0)]


def test_a_query_that_was_not_stored_is_an_error():
    """An empty answer would look like a score of 0."""
    with pytest.raises(SystemUnderTestError, match="replay: the run has no query 'q2'"):
        Replay({"q1": {"a": 1.0}}).search("q2", 5)


def test_different_runs_have_different_fingerprints():
    """The fingerprint depends on the content of the run."""
    same = [Replay({"q1": {"a": 1.0}}).fingerprint() for _ in range(2)]
    assert same[0] == same[1] != Replay({"q1": {"a": 2.0}}).fingerprint()


def test_queries_with_the_same_text_but_different_hits_are_rejected():
    """A system receives texts, so one query would get the hits of the other."""
    run = {"q1": {"a": 1.0}, "q2": {"b": 1.0}, "q3": {"a": 1.0}}
    same = [Query("q1", "oauth"), Query("q3", "oauth")]
    assert Replay(run, same).search("oauth", 1) == [("a", 1.0)]
    with pytest.raises(ArgumentError, match="of the run, got 'oauth' for 'q1' and 'q2'"):
        Replay(run, [Query("q1", "oauth"), Query("q2", "oauth")])
