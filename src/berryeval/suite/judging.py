"""Lets a judge grade a pool of a golden set, and reports whether its grades count."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from berryeval.golden.golden_set import GoldenSet
from berryeval.judges.admissions import Standing, standing_of
from berryeval.judges.collecting import Collected, Task, ask_all
from berryeval.judges.drift import Drift, tasks_to_repeat
from berryeval.judges.model_grades import GRADES, GradeFile, Identity
from berryeval.judges.protocol import Guideline, Judge, Pair
from berryeval.suite.judge_overview import drift_since
from berryeval.suite.judged_pairs import documents_of, guideline_of

__all__ = ["Estimate", "Judged", "Plan", "estimate_calls", "judge_pool", "plan_pool"]

REPEATS = 5
"""Pairs that are judged again in every batch, to watch for drift."""


@dataclass(frozen=True)
class Estimate:
    """The cost of judging, without retries and repeated requests for an answer."""

    n_calls: int
    input_tokens: int
    """Estimated from the length of the prompts."""
    output_tokens: int
    """Maximum number of tokens in the answers."""


@dataclass(frozen=True)
class Plan:
    """The pairs that a judge will be asked about."""

    guideline: Guideline
    identity: Identity
    pool: tuple[Task, ...]
    """All pairs of the pool, including those with a stored grade."""
    repeats: tuple[Task, ...]
    """Pairs to judge again; none if the whole pool has stored grades."""
    n_stored: int
    """Pairs of the pool with a stored grade."""
    estimate: Estimate


@dataclass(frozen=True)
class Judged:
    """The result of a plan."""

    plan: Plan
    collected: Collected
    drift: Drift
    standing: Standing

    @property
    def by_grade(self) -> dict[float | None, int]:
        """The number of pairs of the pool by grade; None for those that cannot be judged."""
        given = [grade.grade for task, grade in self.collected.grades.items() if task.number == 0]
        return dict(sorted(Counter(given).items(), key=lambda one: (one[0] is None, one[0] or 0)))


def plan_pool(
    golden: GoldenSet, judge: Judge, pairs: Sequence[Pair], *, repeats: int = REPEATS
) -> Plan:
    """Return what a judge will be asked, and an estimate of the cost. Nothing is sent.

    Parameters
    ----------
    golden : GoldenSet
        The golden set, with the grades that are stored in its folder.
    judge : Judge
        The judge.
    pairs : sequence of Pair
        The pool, see `berryeval.suite.judged_pairs.find_pool`.
    repeats : int
        Number of pairs to judge again.
    """
    guideline = guideline_of(golden)
    identity = Identity.of(judge, guideline)
    store = GradeFile(golden.folder / GRADES)
    pool = tuple(map(Task, pairs))
    new = [task for task in pool if store.find(identity, task.pair) is None]
    again = tasks_to_repeat(_stored_pairs(golden, store, identity), store, identity, repeats)
    asked = [*new, *again] if new else []
    return Plan(
        guideline, identity, pool, tuple(again if new else ()), len(pool) - len(new),
        estimate_calls(judge, [task.pair for task in asked], guideline),
    )  # fmt: skip


def judge_pool(
    golden: GoldenSet,
    judge: Judge,
    plan: Plan,
    *,
    concurrency: int = 4,
    progress: Callable[[int, int], None] | None = None,
) -> Judged:
    """Carry out a plan, and store the grades in the golden set.

    They are stored as they arrive, so an interrupted call continues where it stopped. Pairs that
    are judged again come first: a judge that has drifted is noticed early.

    Parameters
    ----------
    golden, judge, plan
        As given to and returned by `plan_pool`.
    concurrency : int
        Calls at once.
    progress : callable, optional
        Called with the number of answers so far and in total.
    """
    with GradeFile(golden.folder / GRADES) as store:
        collected = ask_all(
            judge, (*plan.repeats, *plan.pool), plan.guideline, store,
            concurrency=concurrency, progress=progress,
        )  # fmt: skip
        models = frozenset(one.model for one in collected.grades.values() if one.model)
        standing = standing_of(golden.folder, plan.identity, models)
        drift = drift_since(standing.admission, store, plan.identity.digest)
    return Judged(plan, collected, drift, standing)


def _stored_pairs(golden: GoldenSet, store: GradeFile, identity: Identity) -> list[Pair]:
    """Return the pairs that a judge has graded and whose texts are known."""
    documents, queries = documents_of(golden), {query.query_id: query for query in golden.queries}
    keys = dict.fromkeys(one.key for one in store if one.identity == identity.digest)
    return [
        Pair(queries[query_id], documents[doc_id])
        for query_id, doc_id in keys
        if query_id in queries and doc_id in documents
    ]


def estimate_calls(judge: Judge, pairs: Sequence[Pair], guideline: Guideline) -> Estimate:
    """Return the calls for pairs without a stored grade, and about how many tokens they take."""
    of_pair = getattr(judge, "estimate", None)
    if of_pair is None:  # functions, commands and files have no tokens
        return Estimate(len(pairs), 0, 0)
    tokens = [of_pair(pair, guideline.text, guideline.scale) for pair in pairs]
    return Estimate(len(pairs), sum(one for one, _ in tokens), sum(most for _, most in tokens))
