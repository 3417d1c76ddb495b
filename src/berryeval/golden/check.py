"""Whether a golden set can be trusted: errors, warnings, and the best possible scores."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from berryeval.core.run import Run
from berryeval.evaluation.power import Sensitivity, sensitivity
from berryeval.golden.agreement import Agreement, agreement_of
from berryeval.golden.faults import Fault, iter_faults, overlapping
from berryeval.golden.golden_set import DOCUMENTS, GoldenSet
from berryeval.golden.near_duplicates import (
    QueryGroup,
    find_query_groups,
    near_duplicates,
    normalised,
    shingles,
)
from berryeval.golden.reading import read_golden_set

__all__ = ["GoldenCheck", "check_golden_set"]

CHECKED_MEASURES = ("P@1", "P@5", "P@10", "R@5", "R@10", "RR@10", "nDCG@10")
"""The measures whose ceilings are reported."""

MIN_CEILING = 0.9
MIN_KAPPA = 0.7
MIN_RELEVANT = 2
_N_SHOWN = 3


@dataclass(frozen=True, eq=False)
class GoldenCheck:
    """The result of checking a golden set."""

    golden: GoldenSet
    findings: tuple[Fault, ...]
    """Errors and warnings, errors first."""
    counts: Mapping[str, Any]
    ceilings: Mapping[str, float]
    """The best mean that any system can reach, by measure."""
    agreements: Mapping[str, Agreement] = field(default_factory=dict)
    """Agreement of both judging passes, over all pairs and over those of grade 1 or more."""
    holes: Mapping[str, tuple[tuple[str, str], ...]] = field(default_factory=dict)
    """For each system, the pairs of query and chunk in its first ranks that are not judged."""
    sensitivities: tuple[Sensitivity, ...] = ()
    """The drops that the queries can rule out; requires the run of a system."""
    groups: tuple[QueryGroup, ...] = ()
    """Queries that ask almost the same thing, and do not share a group yet."""

    @property
    def errors(self) -> tuple[Fault, ...]:
        """Findings that make scores wrong."""
        return tuple(finding for finding in self.findings if finding.level == "error")

    @property
    def warnings(self) -> tuple[Fault, ...]:
        """Findings that make scores less meaningful."""
        return tuple(finding for finding in self.findings if finding.level == "warning")


def check_golden_set(
    golden: GoldenSet | str | os.PathLike[str],
    runs: Mapping[str, Run] | None = None,
    *,
    depth: int = 10,
) -> GoldenCheck:
    """Check a golden set.

    Parameters
    ----------
    golden : GoldenSet or path
        The golden set; a path is read with ``strict=False``.
    runs : mapping, optional
        What systems return for its queries, by name. Their first ranks are searched for
        unjudged chunks; power follows from the first, or from the first two.
    depth : int
        Number of ranks to search.

    Raises
    ------
    FormatError
        If the files cannot be read.
    """
    if not isinstance(golden, GoldenSet):
        golden = read_golden_set(golden, strict=False)
    systems = {name: golden.credit(run) for name, run in (runs or {}).items()}
    holes = {name: tuple(_holes(golden, run, depth)) for name, run in systems.items()}
    best = golden.ceilings(CHECKED_MEASURES)
    agreements = _agreements(golden)
    findings = [
        *iter_faults(golden),
        *_unanswered(golden),
        *_disorder(golden),
        *_repeated_spans(golden),
        *_unlike_duplicates(golden),
        *_repeated_queries(golden),
        *_unread_documents(golden),
        *_unreachable(best),
        *_disagreement(golden, agreements),
        *_unjudged(holes, depth),
    ]
    if not golden.texts:
        message = "there are none, so judgments are not compared with them"
        findings.append(_warning("documents", golden.name, message))
    if golden.guideline is None:
        findings.append(_warning("guideline", golden.name, "there is no judging guideline"))
    return GoldenCheck(
        golden=golden,
        findings=tuple(sorted(findings, key=lambda finding: finding.level != "error")),
        counts=_counts(golden),
        ceilings=best,
        agreements=agreements,
        holes=holes,
        sensitivities=_sensitivities(golden, [*systems.values()]),
        groups=find_query_groups(golden.queries),
    )


def _warning(kind: str, where: str, message: str) -> Fault:
    return Fault("warning", kind, where, message)


def _counts(golden: GoldenSet) -> dict[str, Any]:
    relevant = [len(golden.relevant_of(query.query_id)) for query in golden.queries]
    grades = Counter(grade for judged in golden.judged for _, grade in judged.iter_grades())
    return {
        "documents": len(golden.sources),
        "chunks": len(golden.chunks),
        "queries": len(golden.queries),
        "judgments": sum(grades.values()),
        "questions": golden.n_questions,
        "by_grade": {f"{grade:g}": n for grade, n in sorted(grades.items())},
        "by_category": _labels(query.category for query in golden.queries),
        "by_difficulty": _labels(query.difficulty for query in golden.queries),
        "relevant": {
            "fewest": min(relevant, default=0),
            "median": median(relevant) if relevant else 0,
            "most": max(relevant, default=0),
        },
    }


def _labels(labels: Iterator[str | None]) -> dict[str, int]:
    return dict(sorted(Counter(label for label in labels if label is not None).items()))


def _unanswered(golden: GoldenSet) -> Iterator[Fault]:
    if not golden.queries:
        yield Fault("error", "nothing", golden.name, "there are no queries")
    few = []
    for query in golden.queries:
        n_relevant = len(golden.relevant_of(query.query_id))
        if n_relevant == 0:
            message = f"no {golden.unit} is relevant, so every system scores 0"
            yield Fault("error", "nothing", query.query_id, message)
        elif n_relevant < MIN_RELEVANT:
            few.append(query.query_id)
    if len(few) == 1:
        message = f"a single {golden.unit} is relevant; look for others"
        yield _warning("few", few[0], message)
    elif few:
        shown = ", ".join(few[:_N_SHOWN])
        message = f"{len(few):,} queries have a single relevant {golden.unit}, such as {shown}"
        yield _warning("few", golden.name, f"{message}; look for others")


def _disorder(golden: GoldenSet) -> Iterator[Fault]:
    for judged in golden.judged:
        grades = [grade for _, grade in judged.relevant]
        if grades != sorted(grades, reverse=True):
            message = f"the most relevant {golden.unit} does not come first"
            yield _warning("order", judged.query_id, message)


def _repeated_spans(golden: GoldenSet) -> Iterator[Fault]:
    for judged in golden.judged:
        for a, b in overlapping(judged):
            if a.grade == b.grade:
                message = f"spans {a.span_id!r} and {b.span_id!r} overlap; their common text counts"
                yield _warning("overlap", judged.query_id, f"{message} twice")


def _unlike_duplicates(golden: GoldenSet) -> Iterator[Fault]:
    wanted = {chunk_id for judged in golden.judged for chunk_id, _ in judged.iter_grades()}
    known = {
        chunk.chunk_id: shingles(chunk.text) for chunk in golden.chunks if chunk.chunk_id in wanted
    }
    for judged in golden.judged:
        grades = dict(judged.iter_grades())
        pool = {chunk_id: known[chunk_id] for chunk_id in grades if chunk_id in known}
        for a, b, share in near_duplicates(pool):
            if grades[a] != grades[b]:
                message = (
                    f"{a!r} and {b!r} share {share:.0%} of their text but have the grades "
                    f"{grades[a]:g} and {grades[b]:g}"
                )
                yield _warning("near-duplicate", judged.query_id, message)


def _repeated_queries(golden: GoldenSet) -> Iterator[Fault]:
    seen: dict[str, str] = {}
    for query in golden.queries:
        text = normalised(query.text)
        if text in seen:
            yield _warning("repeated", query.query_id, f"has the same text as {seen[text]}")
        seen.setdefault(text, query.query_id)


def _unread_documents(golden: GoldenSet) -> Iterator[Fault]:
    folder = golden.folder / DOCUMENTS
    if not folder.is_dir():
        return
    files = (path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    unread = sorted(name for name in files if name not in golden.texts)
    if unread:
        others = f" and {len(unread) - 1:,} more" if len(unread) > 1 else ""
        yield _warning("unread", DOCUMENTS, f"{unread[0]!r}{others} is not Markdown or text")


def _unreachable(best: Mapping[str, float]) -> Iterator[Fault]:
    for name, value in best.items():
        if value < MIN_CEILING:
            yield _warning("ceiling", name, f"no system can score above {value:.3f}")


def _agreements(golden: GoldenSet) -> dict[str, Agreement]:
    if not golden.passes:
        return {}
    return {
        "all pairs": agreement_of(golden.passes),
        "grade 1 or more": agreement_of(golden.passes, least=1),
    }


def _disagreement(golden: GoldenSet, agreements: Mapping[str, Agreement]) -> Iterator[Fault]:
    for name, found in agreements.items():
        if found.kappa is not None and found.kappa < MIN_KAPPA:
            message = (
                f"the two passes agree with a kappa of only {found.kappa:.3f}; revise the guideline"
            )
            yield _warning("agreement", name, message)
    if golden.passes:
        n_once = sum(
            chunk_id not in golden.passes.get(judged.query_id, {})
            for judged in golden.judged
            for chunk_id, _ in judged.iter_grades()
        )
        if n_once:
            yield _warning("agreement", golden.name, f"{n_once:,} judgments are in no pass")


def _holes(golden: GoldenSet, run: Run, depth: int) -> Iterator[tuple[str, str]]:
    grades = golden.judgments.to_dict()
    for query in golden.queries:
        known = grades.get(query.query_id, {})
        for chunk_id in run.ranking(query.query_id, depth):
            if chunk_id not in known:
                yield query.query_id, chunk_id


def _unjudged(holes: Mapping[str, tuple[tuple[str, str], ...]], depth: int) -> Iterator[Fault]:
    for name, pairs in holes.items():
        if pairs:
            query_id, chunk_id = pairs[0]
            message = (
                f"unjudged chunks in its first {depth} ranks: {len(pairs):,}, "
                f"such as {chunk_id!r} for {query_id}"
            )
            yield _warning("unjudged", name, message)


def _sensitivities(golden: GoldenSet, runs: list[Run]) -> tuple[Sensitivity, ...]:
    if not runs:
        return ()
    against = runs[1] if len(runs) > 1 else None
    measures = golden.at_level(("P@5", "RR@10", "nDCG@10"))
    return tuple(
        sensitivity(golden.judgments, runs[0], measures, against=against, queries=golden.queries)
    )
