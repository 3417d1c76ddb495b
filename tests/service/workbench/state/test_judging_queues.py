"""Queues of documents to judge, while runs are uploaded."""

import pytest

from berryeval import Run
from berryeval.archive import JudgmentEntry, RunFacts
from berryeval.service.stored_runs import RunCache
from berryeval.service.workbench.state import judging_queues
from berryeval.service.workbench.state.judging_modes import JudgingTask
from berryeval.service.workbench.state.judging_queues import Queues
from berryeval.service.workbench.state.scoring import Scoring


@pytest.mark.parametrize(("patience", "n_built"), [(20.0, 2), (-1.0, 1)])
def test_a_slow_list_is_not_rebuilt_for_every_upload(archive, monkeypatch, patience, n_built):
    """Only a quick list is; the slow one is shown, although a newer run has other documents."""
    archive.judgments.put([JudgmentEntry("q1", "d1", 1)], author="ada")
    archive.runs.put(Run.from_lists({"q1": ["d1", "d2"]}), RunFacts("one"))
    queues = Queues(archive, Scoring(archive, RunCache(archive), ["RR"]))
    monkeypatch.setattr(judging_queues, "_WAIT_SECONDS", 20.0)
    built, list_pairs = [], judging_queues.list_pairs

    def counted(*wanted):
        built.append(1)
        return list_pairs(*wanted)

    monkeypatch.setattr(judging_queues, "list_pairs", counted)
    queues.first(JudgingTask(), "ada")
    monkeypatch.setattr(judging_queues, "_WAIT_SECONDS", patience)  # a list above it is slow
    monkeypatch.setattr(judging_queues, "_REST", 1e9)
    archive.runs.put(Run.from_lists({"q1": ["d3"]}), RunFacts("two"))
    queues.first(JudgingTask(), "ada")
    queues.close()
    assert len(built) == n_built


def test_one_judge_cannot_reserve_every_document(archive, monkeypatch):
    """The limit on reservations applies to all open pages of a judge together."""
    archive.judgments.put([JudgmentEntry("q1", "d0", 1)], author="ada")
    documents = [f"d{number}" for number in range(10)]
    archive.runs.put(Run.from_lists({"q1": documents}), RunFacts("one"))
    queues = Queues(archive, Scoring(archive, RunCache(archive), ["RR"]))
    monkeypatch.setattr(judging_queues, "_WAIT_SECONDS", 20.0)
    monkeypatch.setattr(judging_queues, "MAX_TAKEN", 4)
    for session in "abc":
        queues.next(JudgingTask(), "ada", session=session, n=3)
    offered = queues.next(JudgingTask(), "bob", session="d", n=9).turns
    queues.close()
    assert len(offered) == 5  # of nine
