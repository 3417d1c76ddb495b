"""The expressions of ir_measures and ranx, compared with their stored values.

``tests/compat/make_expression_values.py`` wrote the values; `generate` writes the page.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from berryeval.compat.ranx import Qrels, Run, as_measure
from berryeval.compat.ranx import evaluate as evaluate_as_ranx
from berryeval.core.judgments import Judgments
from berryeval.errors import BerryEvalError
from berryeval.evaluation import evaluate
from berryeval.measures import InterpolatedPrecision, Measure, parse_measure

__all__ = [
    "OUTCOMES",
    "REASONS",
    "STORED",
    "Compared",
    "compare_calls_of_ranx",
    "compare_ir_measures",
    "compare_ranx",
    "counts_of",
    "expressions_page",
]

_FILE = Path(__file__).parents[1] / "tests" / "compat" / "expression_values.json"
STORED: dict[str, Any] = json.loads(_FILE.read_text(encoding="utf-8"))

OUTCOMES = {
    "same": "the same value for every query",
    "reason": "another value, or none, for a reason below",
    "nothing": "no value in the other tool either: a required parameter is missing",
    "different": "another value without a reason",
}
"""Outcomes, in words."""

REASONS = {
    "sets": "`SetP` and `SetR` are of the whole result, so that a cutoff is an error; its tests "
    "parse this, and ir_measures has no provider for it. Use `P@5` and `R@5`.",
    "grades": "ranx multiplies by the grade, so that `rbp` can exceed 1. Its documentation defines "
    "a relevant document to count as 1, which it does here. With grades 0 and 1, as in the tests "
    "of ranx, the values are the same.",
    "no non-relevant": "For a query without documents that were judged not relevant, `bpref` of "
    "ranx is NaN. Here it is defined, as in trec_eval. For other queries the values are the same.",
}
"""Why a value differs, by the name of the reason."""

_REASON_OF = {
    "SetP(rel=2)@5": "sets",
    "SetR(rel=2)@5": "sets",
    "bpref": "no non-relevant",
    **dict.fromkeys(("rbp.50", "rbp.80", "rbp.95"), "grades"),
}
_BY_SUBTOPIC = ("alpha_", "AP_IA", "P_IA", "ERR_IA", "nERR_IA", "NRBP", "nNRBP", "StRecall")
_CURVE = "interpolated_precision_at_recall"
_LEVELS = [InterpolatedPrecision(recall=tenths / 10) for tenths in range(11)]
_DIGITS = 5
"""Of gdeval, which prints its values."""


@dataclass(frozen=True)
class Compared:
    """An expression with the values of another tool and ours; None if there are none."""

    expression: str
    theirs: Sequence[float | None] | None
    """None instead of a number is NaN."""
    ours: Sequence[float] | None

    def __str__(self) -> str:
        return self.expression

    @property
    def reason(self) -> str | None:
        """The name of the reason for another value."""
        return _REASON_OF.get(self.expression)

    @property
    def outcome(self) -> str:
        """One of `OUTCOMES`."""
        if self._is_same:
            return "same"
        if self.reason is not None:
            return "reason"
        return "nothing" if self.theirs is None else "different"

    @property
    def _is_same(self) -> bool:
        if self.theirs is None or self.ours is None:
            return False
        numbers = [value for value in self.theirs if value is not None]
        if len(numbers) < len(self.theirs):
            return False
        is_printed = all(round(value, _DIGITS) == value for value in numbers)
        tolerance = 0.51 * 10**-_DIGITS if is_printed else 1e-9
        pairs = zip(numbers, self.ours, strict=True)
        return all(abs(one - other) <= tolerance for one, other in pairs)


def compare_ir_measures() -> list[Compared]:
    """Return every measure in the tests of ir_measures, by its name."""
    stored = STORED["ir_measures"]
    return [
        Compared(name, theirs, _of_ir_measures(name, stored["qrels"], stored["run"]))
        for name, theirs in stored["values"].items()
    ]


def _of_ir_measures(name: str, qrels: dict[str, Any], run: dict[str, Any]) -> list[float] | None:
    judged: dict[str, Any] = qrels
    if not name.startswith(_BY_SUBTOPIC):
        judged = _without_subtopics(qrels, 1 if "max_rel=1" in name else 3)
    try:
        measure = parse_measure(name)
    except BerryEvalError:
        return None
    by_query = evaluate(Judgments.from_dict(judged), run, measure)[str(measure)].by_query
    return [by_query[query] for query in qrels]


def _without_subtopics(qrels: dict[str, Any], highest: int = 3) -> dict[str, dict[str, int]]:
    return {
        query: {document: min(max(grades.values()), highest) for document, grades in own.items()}
        for query, own in qrels.items()
    }


def compare_ranx() -> list[Compared]:
    """Return every name of a metric in the text of ranx, with the made-up data."""
    qrels, run = (STORED["ir_measures"][part] for part in ("qrels", "run"))
    given = Qrels(_without_subtopics(qrels)), Run(run)
    return [
        Compared(name, theirs, _of_ranx(name, *given))
        for name, theirs in STORED["ranx"]["values"].items()
    ]


def compare_calls_of_ranx() -> list[Compared]:
    """Return every call of a metric in the tests of ranx, in the order of its metric."""
    found = [
        Compared(call["metric"], call["values"], _of_call(call)) for call in STORED["ranx"]["calls"]
    ]
    return sorted(found, key=lambda one: one.expression)


def _of_call(call: dict[str, Any]) -> list[float] | None:
    names = [f"q{number:03}" for number in range(len(call["qrels"]))]
    qrels = {name: dict(own) for name, own in zip(names, call["qrels"], strict=True)}
    # Its functions take documents in the order of their ranks.
    run = {
        name: {document: -rank for rank, document in enumerate(own)}
        for name, own in zip(names, call["run"], strict=True)
    }
    return _of_ranx(call["metric"], Qrels(qrels), Run(run))


def _of_ranx(name: str, qrels: Qrels, run: Run) -> list[float] | None:
    if name == _CURVE:
        by_level = [_values(measure, qrels, run) for measure in _LEVELS]
        return [value for one in zip(*by_level, strict=True) for value in one]
    try:
        values = evaluate_as_ranx(qrels, run, name, return_mean=False)
    except BerryEvalError:
        return None
    return [float(value) for value in values]


def _values(measure: Measure, qrels: Qrels, run: Run) -> list[float]:
    return [*evaluate(qrels.to_dict(), run.to_dict(), measure)[str(measure)].by_query.values()]


def expressions_page(notice: str) -> str:
    """Return the page of all expressions."""
    of_ir_measures, of_ranx, calls = compare_ir_measures(), compare_ranx(), compare_calls_of_ranx()
    versions = STORED["ir_measures"]["versions"]
    return "\n".join(
        [
            "# Expressions of other tools",
            "",
            notice,
            "",
            "This page lists every measure in the tests of ir_measures, and in the tests, "
            "notebooks, documentation and code of ranx, and whether its value is the same here.",
            "`tests/compat/make_expression_values.py` stores the values of both tools, "
            "`tests/compat/test_expressions.py` compares them with ours, and `make reference` "
            "writes this page.",
            "",
            "| compared | number | same value | for a reason | nothing to compare | different |",
            "|---|---|---|---|---|---|",
            _row_of_counts("expressions of ir_measures", of_ir_measures),
            _row_of_counts("names of ranx", of_ranx),
            _row_of_counts("calls in the tests of ranx", calls),
            "",
            *(f"- *{name}*: {text}" for name, text in REASONS.items()),
            "",
            "Expressions and names are computed for the same made-up queries, with grades from 0 "
            "to 3, and calls with the data of the test.",
            "",
            "## ir_measures",
            "",
            f"Version {versions['ir_measures']}, with its providers, such as cwl-eval "
            f"{versions['cwl-eval']} and pyndeval {versions['pyndeval']}.",
            "Different expressions are counted, by their canonical names; those that are a part of "
            "another one, such as `nDCG` in `nDCG@10`, are counted, too.",
            f"Of the {len(of_ir_measures)}, {sum(map(_is_known, of_ir_measures))} are measures "
            "here, too.",
            "Values are the same to 9 digits, and to 5 where ir_measures reads those that gdeval "
            "prints.",
            "Where ir_measures has no value, a parameter is missing there, such as a cutoff.",
            "",
            "| expression | here | result |",
            "|---|---|---|",
            *(f"| `{one}` | {_name_here(one)} | {_result(one)} |" for one in of_ir_measures),
            "",
            "## ranx",
            "",
            f"Version {STORED['ranx']['versions']['ranx']}, by `berryeval.compat.ranx`.",
            "Names are all words in its files that name a metric, with their parameters, and those "
            "that its tests put together while they run.",
            f"Its tests call metrics in {STORED['ranx']['n_calls_in_text']} places. Calls of the "
            f"same metric with the same data are counted once, which leaves {len(calls)}.",
            f"`{_CURVE}` is the curve that ranx plots; here it is `IPrec` at 11 levels of recall.",
            "ranx has no value for `rbp` without a persistence, nor for `r_precision`, as its "
            "documentation calls `r-precision`.",
            "",
            "| name | here | result | calls in its tests | with the same value |",
            "|---|---|---|---|---|",
            *_rows_of_ranx(of_ranx, calls),
            "",
        ]
    )


def _row_of_counts(tool: str, compared: Sequence[Compared]) -> str:
    counts = counts_of(compared)
    numbers = [len(compared), *(counts.get(name, 0) for name in OUTCOMES)]
    return f"| {tool} | {' | '.join(map(str, numbers))} |"


def _is_known(one: Compared) -> bool:
    return _name_here(one) != ""


def _name_here(one: Compared, parse: Callable[[str], Measure] = parse_measure) -> str:
    try:
        return f"`{parse(one.expression)}`"
    except BerryEvalError:
        return ""


def _result(one: Compared) -> str:
    if one.outcome == "reason":
        return f"*{one.reason}*"
    if one.outcome == "nothing":
        return "no value there" + ("" if one.ours else ", and none here")
    return one.outcome


def _rows_of_ranx(names: Iterable[Compared], calls: Iterable[Compared]) -> Iterator[str]:
    by_name = {one.expression: [call for call in calls if str(call) == str(one)] for one in names}
    for one in names:
        own = by_name[one.expression]
        counts = f"{len(own)} | {counts_of(own).get('same', 0)}" if own else "|"
        here = "`IPrec@0` … `IPrec@1`" if str(one) == _CURVE else _name_here(one, as_measure)
        yield f"| `{one}` | {here} | {_result(one)} | {counts} |"


def counts_of(compared: Iterable[Compared]) -> dict[str, int]:
    """Return the number of expressions by outcome."""
    return dict(Counter(one.outcome for one in compared))
