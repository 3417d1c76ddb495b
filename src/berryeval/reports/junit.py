"""JUnit XML, which every CI server shows: a test case for each guard, slice and failing query.

A guard that fails is a failure, an inconclusive one is an error, and one that is only watched
and does not pass is skipped.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape, quoteattr

from berryeval.core.text import printable
from berryeval.evaluation.figures import score, signed
from berryeval.evaluation.slices import find_slices
from berryeval.reports.gate import candidate_of, guard_figures, guard_kind
from berryeval.reports.wording import gate_note

if TYPE_CHECKING:
    from berryeval.core.query import Query
    from berryeval.evaluation.result import Evaluation
    from berryeval.evaluation.verdict import GateResult, GuardResult

__all__ = ["gate_to_junit"]

MAX_QUERIES = 20
"""Largest number of queries listed for a failing guard."""


def gate_to_junit(result: GateResult) -> str:
    """Return the guards as test cases, and under a failing guard the queries that lost most."""
    cases = [_case(guard) for guard in result.guards]
    queries = [case for guard in result.failed for case in _query_cases(result, guard)]
    notes = [result.sentence, result.losses_note, gate_note(result)]
    suites = [_suite("guards", cases, "\n".join(filter(None, notes)))]
    if queries:
        suites.append(_suite("queries", queries, "The queries that lost most."))
    totals = _totals(cases + queries)
    body = "\n".join(suites)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<testsuites name="berryeval gate"{totals}>\n{body}\n</testsuites>\n'
    )


def _suite(name: str, cases: list[str], output: str) -> str:
    inside = "\n".join(cases)
    return (
        f'  <testsuite name="{name}"{_totals(cases)}>\n{inside}\n'
        f"    <system-out>{_text(output)}</system-out>\n  </testsuite>"
    )


def _totals(cases: list[str]) -> str:
    counts = {
        "failures": sum("<failure" in case for case in cases),
        "errors": sum("<error" in case for case in cases),
        "skipped": sum("<skipped" in case for case in cases),
    }
    return f' tests="{len(cases)}"' + "".join(f' {name}="{n}"' for name, n in counts.items())


def _case(guard: GuardResult) -> str:
    value, limit, interval = guard_figures(guard)
    what = f"value {value}, limit {limit}, interval {interval}, {guard.n_queries} queries"
    inside = ""
    if guard.verdict != "pass":
        tag = {"fail": "failure", "inconclusive": "error"}[guard.verdict]
        if guard.is_watched:
            inside = f"<skipped message={_attribute(f'watched: {guard.reason}')}/>"
        else:
            inside = (
                f'<{tag} type="{guard.verdict}" message={_attribute(guard.reason)}>'
                f"{_text(what)}</{tag}>"
            )
    return _testcase("berryeval.gate", guard.name, inside or f"<system-out>{_text(what)}"
                     "</system-out>")  # fmt: skip


def _testcase(class_name: str, name: str, inside: str) -> str:
    return f'    <testcase classname="{class_name}" name={_attribute(name)}>{inside}</testcase>'


def _query_cases(result: GateResult, guard: GuardResult) -> list[str]:
    """Return the queries that lost most, or that score lowest where there is no baseline."""
    if guard_kind(guard) == "latency":
        return []
    measure = guard.guard.measure  # type: ignore[union-attr]
    found = []
    for query_id, text, message in _losers(result, guard, str(measure)):
        name = f"{guard.name}: {query_id}" + (f" {text}" if text else "")
        found.append(
            _testcase("berryeval.gate.queries", name,
                      f'<failure type="query" message={_attribute(message)}/>')
        )  # fmt: skip
    return found


def _losers(
    result: GateResult, guard: GuardResult, measure: str
) -> list[tuple[str, str | None, str]]:
    comparison, system = result.comparison, candidate_of(result)
    if comparison is None or system is None:
        return _lowest(result.evaluation, guard, measure)
    wanted = _guarded(guard, comparison.queries, comparison.query_ids)
    return [
        (
            change.query_id,
            change.text,
            f"{measure} {score(change.baseline)} to {score(change.candidate)} "
            f"({signed(change.difference)})",
        )
        for change in comparison.changes(system, measure)
        if change.outcome == "worse" and change.query_id in wanted
    ][:MAX_QUERIES]


def _lowest(
    evaluation: Evaluation, guard: GuardResult, measure: str
) -> list[tuple[str, str | None, str]]:
    scores = evaluation[measure].by_query
    wanted = _guarded(guard, evaluation.queries, evaluation.scores.query_ids)
    below = [query_id for query_id in wanted if scores[query_id] < guard.limit]
    found = []
    for query_id in sorted(below, key=scores.__getitem__)[:MAX_QUERIES]:
        query = evaluation.queries.get(query_id)
        text = None if query is None else query.text
        found.append((query_id, text, f"{measure} {score(scores[query_id])}"))
    return found


def _guarded(
    guard: GuardResult, queries: Mapping[str, Query], query_ids: Sequence[str]
) -> dict[str, None]:
    """Return the ids of the queries that a guard looks at, each once and in their order."""
    if guard.slice is None:
        return dict.fromkeys(query_ids)
    positions = find_slices(queries, guard.slice.label, query_ids)[guard.slice]
    return dict.fromkeys(query_ids[position] for position in positions)


def _text(text: str) -> str:
    return escape(printable(text))


def _attribute(text: str) -> str:
    return quoteattr(printable(text))
