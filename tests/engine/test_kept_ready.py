"""The lookup table for judgments is cached if they are used often."""

import pytest

from berryeval.backend import backend
from berryeval.core.judgments import Judgments
from berryeval.core.run import Run
from berryeval.engine import score
from berryeval.measures import parse_measure

MEASURES = [parse_measure("nDCG@10"), parse_measure("RR")]
RUNS = [Run.from_lists({"q1": ["d1", "d9"], "q2": ["d3"]}), Run.from_lists({"q1": ["d2", "d1"]})]


def judged():
    return Judgments.from_dict({"q1": {"d1": 2, "d2": 1}, "q2": {"d3": 1, "d4": 0}})


def test_scores_are_the_same_with_and_without_the_cache():
    """Several runs are scored in any order."""
    kept = judged()
    kept.is_kept_ready = True
    for run in (*RUNS, *reversed(RUNS)):
        found = score(kept, run, MEASURES)
        assert found.values == score(judged(), run, MEASURES).values


@pytest.mark.skipif(backend().name != "native", reason="the Python twin has nothing to keep")
def test_the_table_is_built_once(monkeypatch):
    """It is not kept for judgments that are used once."""
    from berryeval import _native

    once, often = judged(), judged()
    often.is_kept_ready = True
    score(often, RUNS[0], MEASURES)
    score(once, RUNS[0], MEASURES)
    monkeypatch.setattr(_native, "Pools", None)
    assert score(often, RUNS[1], MEASURES).counts.judged == 2
    with pytest.raises(TypeError):
        score(once, RUNS[1], MEASURES)
