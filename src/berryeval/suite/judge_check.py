"""Checks a judge against people, and stores whether it is admitted to a golden set."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timezone
from typing import Any

from berryeval.core.run import Run
from berryeval.errors import ArgumentError, FormatError, MismatchError
from berryeval.golden.golden_set import GoldenSet
from berryeval.judges.admissions import StoredAdmission, store_admission
from berryeval.judges.collecting import Collected, Task, ask_all
from berryeval.judges.model_grades import GRADES, GradeFile, Identity, ModelGrade
from berryeval.judges.protocol import Judge, Pair
from berryeval.judges.sampling import allocate, draw_stratified
from berryeval.search.stop_words import STOP_WORDS
from berryeval.stats import Admission, AdmissionRule, CheckedPairs, check_judge, pairs_needed
from berryeval.stats.validation import check_choice
from berryeval.suite.judged_pairs import HumanPair, guideline_of, human_pairs, ranks_of
from berryeval.suite.judging import Plan, estimate_calls
from berryeval.suite.settings import FILE_NAME, read_settings

__all__ = [
    "REPEATS",
    "WIDTH",
    "Check",
    "Sample",
    "ask_sample",
    "draw_sample",
    "plan_check",
    "rule_of",
    "store_check",
]

WIDTH = 0.2
"""Width of the interval of kappa that the sample should reach."""

REPEATS = 20
"""Pairs that are judged twice, to see whether the judge agrees with itself."""

_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class Sample:
    """Pairs that people judged, drawn to check a judge."""

    pairs: tuple[HumanPair, ...]
    strata: tuple[str, ...]
    probabilities: tuple[float, ...]
    """The probability with which each pair was drawn."""
    ranks: tuple[Mapping[str, int], ...]
    """By system, the rank of each document within the ranks considered."""
    systems: tuple[str, ...]
    n_judged: int
    """All pairs that people judged."""
    n_wanted: int
    """Pairs that the wanted width requires."""


@dataclass(frozen=True)
class Check:
    """The result of a check."""

    identity: Identity
    sample: Sample
    admission: Admission | None
    """None if the judge was not asked about all pairs."""
    collected: Collected
    models: tuple[str, ...]
    n_changed: int
    """Pairs judged twice that got two grades."""
    n_repeated: int


def rule_of(golden: GoldenSet) -> AdmissionRule:
    """Return the rule of a golden set: the table ``[admission]`` of its ``berryeval.toml``.

    Defaults apply without one.

    Raises
    ------
    FormatError
        If the file is invalid.
    """
    path = golden.folder / FILE_NAME
    if not path.is_file():
        return AdmissionRule()
    table = read_settings(path).admission
    try:
        check_choice("weights", table.get("weights", "linear"), ("linear", "quadratic"))
        return AdmissionRule(**table)
    except ArgumentError as error:
        raise FormatError(f"admission.{error}", str(path)) from None


def draw_sample(
    golden: GoldenSet,
    runs: Mapping[str, Run],
    *,
    k: int = 10,
    n: int | None = None,
    width: float = WIDTH,
    rule: AdmissionRule | None = None,
) -> Sample:
    """Draw pairs that people judged, from strata of equal grades and of equal systems.

    The sample depends on the set alone, so the pairs of a check cannot be hand-picked.

    Parameters
    ----------
    golden : GoldenSet
        The set.
    runs : mapping of str to Run
        What systems returned. Without runs, a bias towards a system cannot be seen.
    k : int
        Ranks of each run to consider.
    n : int, optional
        Pairs to draw. Default: as many as the width requires.
    width : float
        Desired width of the interval of kappa.
    rule : AdmissionRule, optional
        Its confidence and weights apply to the width.

    Raises
    ------
    MismatchError
        If people judged no pair, or gave one grade only.
    """
    judged = human_pairs(golden)
    counts = Counter(one.grade for one in judged)
    if len(counts) < 2:  # noqa: PLR2004 - agreement on one grade is no evidence
        message = "expected pairs that people judged with at least two grades"
        raise MismatchError(f"{golden.folder}: {message}, found {len(judged):,} with {len(counts)}")
    credited = {name: golden.credit(run) for name, run in runs.items()}
    ranks = ranks_of(golden, credited, k)
    own = [ranks.get(one.pair.key, {}) for one in judged]
    strata = [
        f"{one.grade:g} {'+'.join(sorted(at)) or 'none'}"
        for one, at in zip(judged, own, strict=True)
    ]
    wanted = n or _n_needed(strata, counts, width, rule or AdmissionRule())
    drawn = draw_stratified(strata, wanted, seed=golden.content_hash)
    rows = [position for position, _ in drawn]
    return Sample(
        tuple(judged[row] for row in rows),
        tuple(strata[row] for row in rows),
        tuple(chance for _, chance in drawn),
        tuple(own[row] for row in rows),
        tuple(runs),
        len(judged),
        wanted,
    )


def _n_needed(
    strata: Sequence[str], counts: Mapping[float, int], width: float, rule: AdmissionRule
) -> int:
    """Return the pairs that a width requires; unequal probabilities require more (Kish)."""
    shares = [counts[grade] for grade in sorted(counts)]
    how: dict[str, Any] = {
        "shares": shares, "confidence": rule.confidence, "weights": rule.weights,
    }  # fmt: skip
    first = pairs_needed(width, **how)
    sizes = Counter(strata)
    weights = [
        sizes[name] / taken for name, taken in allocate(sizes, first).items() for _ in range(taken)
    ]
    effect = len(weights) * sum(one * one for one in weights) / sum(weights) ** 2
    return pairs_needed(width, design_effect=effect, **how)


def plan_check(golden: GoldenSet, judge: Judge, sample: Sample, *, repeats: int = REPEATS) -> Plan:
    """Return what `ask_sample` will ask, and an estimate of the cost. Nothing is sent."""
    guideline = guideline_of(golden)
    identity = Identity.of(judge, guideline)
    store = GradeFile(golden.folder / GRADES)
    tasks, twice = _tasks(golden, sample, repeats)
    first = [task for task in tasks if store.find(identity, task.pair) is None]
    again = [task for task in twice.values() if store.find(identity, task.pair, 1) is None]
    asked = [task.pair for task in (*first, *again)]
    return Plan(
        guideline, identity, tuple(tasks), tuple(again), len(tasks) - len(first),
        estimate_calls(judge, asked, guideline),
    )  # fmt: skip


def _tasks(golden: GoldenSet, sample: Sample, repeats: int) -> tuple[list[Task], dict[int, Task]]:
    """Return the pairs to grade, and by position those to grade twice."""
    pairs = [one.pair for one in sample.pairs]
    again = draw_stratified([0] * len(pairs), repeats, seed=f"{golden.content_hash} again")
    twice = {row: Task(pairs[row], 1, "check") for row, _ in again}
    return [Task(pair, 0, "check") for pair in pairs], twice


def ask_sample(
    golden: GoldenSet,
    judge: Judge,
    sample: Sample,
    *,
    rule: AdmissionRule | None = None,
    repeats: int = REPEATS,
    concurrency: int = 4,
    progress: Callable[[int, int], None] | None = None,
) -> Check:
    """Have a judge grade a sample blind, and compare it with people.

    There is no admission unless the judge was asked about every pair: the pairs that an expensive,
    slow or unavailable judge leaves out are not a random sample.

    Parameters
    ----------
    golden : GoldenSet
        The set.
    judge : Judge
        The judge. It does not see the grades of people, nor systems and ranks.
    sample : Sample
        What to grade, see `draw_sample`.
    rule : AdmissionRule, optional
        Default: that of the set.
    repeats : int
        Pairs to grade twice.
    concurrency : int
        Calls at once.
    progress : callable, optional
        Called with the number of answers so far and in total.
    """
    guideline = guideline_of(golden)
    identity = Identity.of(judge, guideline)
    pairs = [one.pair for one in sample.pairs]
    tasks, twice = _tasks(golden, sample, repeats)
    with GradeFile(golden.folder / GRADES) as store:
        collected = ask_all(
            judge, [*tasks, *twice.values()], guideline, store,
            concurrency=concurrency, progress=progress,
        )  # fmt: skip
    grades = collected.grades
    models = tuple(sorted({one.model for one in grades.values() if one.model}))
    repeated = [(grades.get(tasks[row]), grades.get(task)) for row, task in twice.items()]
    n_changed = sum(_grade(one) != _grade(other) for one, other in repeated)
    if collected.n_left:
        return Check(identity, sample, None, collected, models, n_changed, len(repeated))
    checked = CheckedPairs(
        people=[one.grade for one in sample.pairs],
        judge=[_number(grades[task]) for task in tasks],
        query_ids=[pair.query.query_id for pair in pairs],
        systems={
            name: [name in at for at in sample.ranks] for name in sample.systems
        },
        lengths=[float(len(pair.document.text)) for pair in pairs],
        ranks=[min(at.values(), default=math.nan) for at in sample.ranks],
        overlaps=[_overlap(pair) for pair in pairs],
        strata=sample.strata,
        probabilities=sample.probabilities,
        repeats=[
            [_number(grades[twice[row]])] if row in twice else [] for row in range(len(pairs))
        ],
    )  # fmt: skip
    admission = check_judge(checked, rule or rule_of(golden), scale=guideline.scale.highest)
    return Check(identity, sample, admission, collected, models, n_changed, len(repeated))


def store_check(golden: GoldenSet, check: Check, result: Mapping[str, Any]) -> None:
    """Store the outcome of a check in the golden set, with its figures for JSON."""
    assert check.admission is not None
    store_admission(
        golden.folder,
        StoredAdmission(
            check.identity.name,
            check.identity.fingerprint,
            check.identity.guideline,
            check.models,
            datetime.now(timezone.utc).isoformat(timespec="seconds"),
            check.admission.is_admitted,
            check.admission.reasons,
            asdict(check.admission.rule),
            check.admission.n_pairs,
            check.n_changed,
            check.n_repeated,
            result,
        ),
    )


def _grade(given: ModelGrade | None) -> float | None:
    return None if given is None else given.grade


def _number(given: ModelGrade) -> float:
    return math.nan if given.grade is None else given.grade


def _overlap(pair: Pair) -> float:
    """Return the share of the query's words that the document contains, without stop words."""
    words = {*_WORD.findall(pair.query.text.lower())} - {*STOP_WORDS}
    if not words:
        return math.nan
    text = {*_WORD.findall(f"{pair.document.title} {pair.document.text}".lower())}
    return len(words & text) / len(words)
