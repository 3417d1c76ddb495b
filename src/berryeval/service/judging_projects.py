"""Judging projects between requests and the archive: references to runs, judges, agreement."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from berryeval.archive import Archive
from berryeval.archive.projects.records import (
    PairSelection,
    ProjectBoard,
    SelectionKind,
    StoredProject,
)
from berryeval.core.query import Query
from berryeval.errors import ArgumentError
from berryeval.measures.parse import parse_measure
from berryeval.service.agreement import (
    Agreement,
    GradedPair,
    agreement_of_pairs,
    counts_of_pairs,
)
from berryeval.service.dependencies import Caller
from berryeval.service.problems import Problem, existing
from berryeval.service.stored_runs import find_run

__all__ = [
    "agreement_of_board",
    "check_judges",
    "judges_of",
    "plan_pairs",
    "project_for",
    "waiting_projects",
]

_MAX_WAITING = 20
"""Maximum number of running projects that are read for a judge."""


def judges_of(home: Archive, collection: str, caller: Caller) -> list[str] | None:
    """Return the names of tokens that may judge in a collection, and of the caller.

    None if there are no tokens: callers are then not known by name.
    """
    valid = [one for one in home.tokens.all() if one.revoked_at is None]
    judges = {one.name for one in valid if one.role != "read" and one.may_use(collection)}
    return sorted(judges | {caller.name}) if valid else None


def waiting_projects(archive: Archive, judge: str) -> list[tuple[str, int]]:
    """Return the running projects with documents for a judge, and the number of documents."""
    running = [
        one for one in archive.projects.all() if one.state == "running" and one.plan.includes(judge)
    ]
    found = [
        (one.name, len(archive.projects.board(one.name).open_for(judge)))
        for one in running[:_MAX_WAITING]
    ]
    return [(name, n) for name, n in found if n]


def check_judges(
    home: Archive, collection: str, caller: Caller, judges: Sequence[str] | None
) -> None:
    """Raise if a judge of a new project could not judge.

    Raises
    ------
    ArgumentError
        If a name is not that of a token, or its token may not judge in the collection.
    """
    known = judges_of(home, collection, caller)
    if known is None:
        return
    for name in judges or ():
        if name in known:
            continue
        token = next(
            (one for one in home.tokens.all() if one.name == name and one.revoked_at is None), None
        )
        if token is None:
            got = f"{name[:40]!r}, which no token has"
        elif token.role == "read":
            got = f"{name!r}, whose token may only read"
        else:
            got = f"{name!r}, whose token may not use this collection"
        expected = "names of tokens that may judge here"
        raise ArgumentError("judges", f"{expected} ({', '.join(known)})", got)


def plan_pairs(
    archive: Archive,
    *,
    kind: SelectionKind,
    runs: Sequence[str],
    baseline: str | None,
    verdict: int | None,
    depth: int,
    measure: str,
    limit: int | None,
    seed: int,
) -> PairSelection:
    """Return a selection of pairs with the ids of runs.

    Parameters
    ----------
    runs, baseline
        Ids of runs, or names of baselines.
    verdict : int, optional
        Number of a verdict, whose run and baseline are used instead.

    Raises
    ------
    NotFoundError
        If a run or a verdict does not exist.
    ArgumentError
        If the selection is invalid, or the verdict has no baseline.
    """
    parse_measure(measure)
    run_ids = [find_run(archive, reference).run_id for reference in runs]
    base_id = None if baseline is None else find_run(archive, baseline).run_id
    if verdict is not None:
        found = existing(archive.verdicts.get(verdict), "verdict", str(verdict))
        if found.baseline_id is None:
            raise ArgumentError("verdict", "one with a baseline", f"{verdict}, which has none")
        run_ids, base_id = [found.run_id], found.baseline_id
    return PairSelection(
        kind,
        tuple(dict.fromkeys(one for one in run_ids if one != base_id)),
        base_id,
        depth,
        measure,
        limit,
        seed,
    )


def project_for(archive: Archive, name: str, caller: Caller) -> StoredProject:
    """Return a project for a judge.

    Raises
    ------
    NotFoundError
        If it does not exist.
    Problem
        403 if the caller is not one of its judges.
    """
    project = existing(archive.projects.get(name), "project", name)
    if not project.plan.includes(caller.name):
        judges = ", ".join(project.plan.judges or ())
        raise Problem(
            403,
            f"{caller.name!r} is not a judge of project {name!r}, whose judges are {judges}",
            where="Authorization",
            expected=judges,
            found=caller.name,
            way_out="log in as one of its judges",
        )
    return project


def agreement_of_board(board: ProjectBoard, queries: Mapping[str, Query]) -> Agreement:
    """Return how well the judges of a project agree, overall and by category of the queries."""
    pairs = []
    for one in board.pairs:
        query = queries.get(one.asked.query_id)
        category = None if query is None else query.category
        pairs.append(GradedPair(one.asked.query_id, one.grades, category))
    shared = [one for one in pairs if len(one.grades) > 1]
    return agreement_of_pairs(shared, counts_of_pairs(pairs))
