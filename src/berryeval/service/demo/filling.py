"""Fills an archive with the demo."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import Any

from berryeval.archive import Archive
from berryeval.archive.clock import backdated
from berryeval.archive.projects.records import PairSelection, ProjectPlan
from berryeval.archive.records import Page, RunFacts, StoredGate, StoredRun
from berryeval.core.run import Run
from berryeval.errors import ArgumentError
from berryeval.golden import GoldenSet, handbook
from berryeval.service.demo.invention import InventedRun, invent_runs
from berryeval.service.demo.judging import (
    FIRST_JUDGE,
    SECOND_JUDGE,
    THIRD_JUDGE,
    earlier_documents,
    judging_sessions,
)
from berryeval.service.demo.rankings import Rankings, ranked_by_system, real_rankings
from berryeval.service.jobs import no_progress
from berryeval.service.stored_runs import RunCache
from berryeval.service.stores.stores import DEFAULT
from berryeval.service.verdicts import decide_on
from berryeval.suite.judged_pairs import guideline_text_of

__all__ = [
    "BASELINE",
    "GATE",
    "MEASURES",
    "WITHOUT_QUESTIONS",
    "DemoFacts",
    "content_of",
    "fill_demo",
]

BASELINE, GATE, PROJECT = "main", "release", "two-judges"

DECIDED = "hybrid"
"""The series that the gate decides on."""

WITHOUT_QUESTIONS = "hybrid-no-questions"
"""The run of the same system with documents indexed without questions."""

MEASURES = ("nDCG@10", "RR(rel=2)@10", "P(rel=2)@5", "R(rel=2)@10")
"""The measures of `berryeval demo`, for pages that show the same figures."""

GUARDS = (
    {"measure": "nDCG@10", "margin": 0.03},
    {"measure": "AP", "margin": "8%"},
    {"measure": "RR(rel=2)@10", "at_least": 0.7},
)

_CHANGED_DAYS_AGO = 9.0
"""Age of the changes to documents in days; they make judgments stale."""

_KNOWN_DAYS_AGO = 46.0

_IN_PROJECT = 1000
"""Number of pairs in the project, enough for some conflicts."""

_COMPARED_DAYS_AGO = 0.9
"""Age in days of the run without questions, for comparison."""


@dataclass(frozen=True)
class DemoFacts:
    """The contents of the demo."""

    n_queries: int
    n_documents: int
    n_judgments: int
    n_runs: int
    n_verdicts: int
    is_searched: bool
    """Whether search systems produced the rankings behind the runs."""
    ndcg: Mapping[str, float]
    """nDCG@10 of the newest hybrid run, and of the one without questions, by name."""


def fill_demo(archive: Archive, *, today: datetime | None = None) -> DemoFacts:
    """Fill an empty archive with the bundled golden set and a month of invented runs.

    Parameters
    ----------
    archive : Archive
        Must be empty.
    today : datetime, optional
        End of the month. Default: now. Everything else is the same every time.

    Raises
    ------
    ArgumentError
        If the archive is not empty.
    """
    _check_empty(archive)
    golden = handbook()
    end = today or datetime.now(timezone.utc)
    found, is_searched = real_rankings(golden)
    plain = {}
    if is_searched:
        plain[WITHOUT_QUESTIONS] = ranked_by_system(golden, DECIDED, questions=False)
    n_judgments = _fill_golden(archive, golden, {**found, **plain}, end)
    invented = [
        run
        for series, rankings in found.items()
        for run in _invented(golden, series, rankings, "indexed" if is_searched else "none")
    ]
    compared = [_without_questions(golden, name, rankings) for name, rankings in plain.items()]
    runs = sorted(invented + compared, key=lambda run: -run.days_ago)
    with backdated(end - timedelta(days=_KNOWN_DAYS_AGO)):
        gate = archive.gates.put(GATE, {"guards": list(GUARDS), "baseline": BASELINE})
    n_verdicts = _fill_runs(archive, gate, runs, end)
    return DemoFacts(
        n_queries=len(golden.queries),
        n_documents=len(golden.chunks),
        n_judgments=n_judgments,
        n_runs=len(runs),
        n_verdicts=n_verdicts,
        is_searched=is_searched,
        ndcg={
            name: mean
            for name in (DECIDED, *plain)
            if (mean := archive.trend("nDCG@10", name=name)[-1].mean) is not None
        },
    )


def _check_empty(archive: Archive) -> None:
    name = content_of(archive)
    if name:
        way_out = "choose another one, or omit it for a temporary one"
        found = f"{name} in {archive.name}; {way_out}"
        raise ArgumentError("archive", "an empty archive for the demo", found)


def content_of(archive: Archive) -> str | None:
    """Return the first kind of data that an archive has; None if it is empty."""
    lists: dict[str, Page[Any]] = {
        "judgments": archive.judgments.page(limit=1),
        "queries": archive.queries.page(limit=1),
        "documents": archive.documents.page(limit=1),
        "runs": archive.runs.page(limit=1),
        "projects": archive.projects.page(limit=1),
        "gates": archive.gates.page(limit=1),
        "verdicts": archive.verdicts.page(limit=1),
    }
    return next((name for name, page in lists.items() if page.items), None)


def _fill_golden(
    archive: Archive, golden: GoldenSet, found: Mapping[str, Rankings], end: datetime
) -> int:
    """Store documents, queries and judgments, and return the number of judged pairs."""
    documents = {document.doc_id: document for document in golden.documents()}
    earlier = {document.doc_id: document for document in earlier_documents(golden)}
    with backdated(end - timedelta(days=_KNOWN_DAYS_AGO)):
        archive.documents.put({**documents, **earlier}.values())
        archive.queries.put(golden.queries)
        archive.judging.adopt_guideline(guideline_text_of(golden))
        archive.stores.create(DEFAULT, "hybrid")
        archive.stores.put_documents(DEFAULT, documents.values())
    tops = {name: _first_ten(rankings) for name, rankings in found.items()}
    pairs = set()
    for session in judging_sessions(golden, set().union(*tops.values()), tops[DECIDED]):
        with backdated(end - timedelta(days=session.days_ago)):
            archive.judgments.put(
                session.entries,
                author=session.author,
                source=session.source,
                as_opinion=session.as_opinion,
            )
        pairs |= {(entry.query_id, entry.doc_id) for entry in session.entries}
    with backdated(end - timedelta(days=_CHANGED_DAYS_AGO)):
        archive.documents.put(documents[doc_id] for doc_id in earlier)
    with backdated(end - timedelta(days=_KNOWN_DAYS_AGO)):
        judges = (FIRST_JUDGE, SECOND_JUDGE)
        sample = PairSelection("sample", limit=_IN_PROJECT)
        plan = ProjectPlan(sample, len(judges), judges)
        archive.projects.create(PROJECT, plan, author=THIRD_JUDGE)
    return len(pairs)


def _first_ten(rankings: Rankings) -> set[tuple[str, str]]:
    return {(query_id, doc_id) for query_id, own in rankings.items() for doc_id in own[:10]}


def _invented(
    golden: GoldenSet, series: str, rankings: Rankings, questions: str
) -> list[InventedRun]:
    known = [chunk.chunk_id for chunk in golden.chunks]
    unjudged = {
        query_id: [doc_id for doc_id in known if doc_id not in own and doc_id not in found]
        for query_id, own in golden.passes.items()
        for found in [rankings[query_id]]
    }
    grades: Mapping[str, Mapping[str, float]] = golden.judgments.to_dict()
    return list(
        invent_runs(
            series, rankings, golden.queries, grades, unjudged, golden.content_hash, questions
        )
    )


def _without_questions(golden: GoldenSet, name: str, rankings: Rankings) -> InventedRun:
    facts = RunFacts(
        name=name,
        settings={"questions": "none"},
        tags=("no-questions",),
        corpus_hash=golden.content_hash,
    )
    return InventedRun(0, _COMPARED_DAYS_AGO, rankings, facts)


def _fill_runs(archive: Archive, gate: StoredGate, runs: list[InventedRun], end: datetime) -> int:
    """Store runs in order, run the gate on each, and return the number of verdicts."""
    loaded = RunCache(archive)
    baseline: StoredRun | None = None
    n_verdicts = 0
    for run in runs:
        with backdated(end - timedelta(days=run.days_ago)):
            stored = archive.runs.put(Run.from_lists(run.rankings), run.facts)
            if run.facts.name != DECIDED:
                continue
            if baseline is not None:
                times = run.facts.durations
                decide_on(archive, loaded, gate, stored, baseline,
                          milliseconds=times, progress=no_progress)  # fmt: skip
                n_verdicts += 1
            if run.is_release:
                baseline = stored
                archive.baselines.put(BASELINE, stored.run_id)
    return n_verdicts
