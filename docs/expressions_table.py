"""Every expression in the tests of ir_measures and ranx, compared with their stored values.

``tests/compat/make_expression_values.py`` wrote the values; `generate` writes the page.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from berryeval.compat.ranx import Qrels, Run
from berryeval.compat.ranx import evaluate as evaluate_as_ranx
from berryeval.core.judgments import Judgments
from berryeval.errors import BerryEvalError
from berryeval.evaluation import evaluate
from berryeval.measures import parse_measure

__all__ = [
    "OUTCOMES",
    "REASONS",
    "STORED",
    "Compared",
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
}
"""Why a value differs, by the name of the reason."""

_REASON_OF = {"SetP(rel=2)@5": "sets", "SetR(rel=2)@5": "sets"}
_BY_SUBTOPIC = ("alpha_", "AP_IA", "P_IA", "ERR_IA", "nERR_IA", "NRBP", "nNRBP", "StRecall")
_DIGITS = 5
"""Of gdeval, which prints its values."""


@dataclass(frozen=True)
class Compared:
    """An expression with the values of another tool and ours; None if there are none."""

    expression: str
    theirs: Sequence[float] | None
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
        is_printed = all(round(value, _DIGITS) == value for value in self.theirs)
        tolerance = 0.51 * 10**-_DIGITS if is_printed else 1e-9
        pairs = zip(self.theirs, self.ours, strict=True)
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
        highest = 1 if "max_rel=1" in name else 3
        judged = {
            query: {
                document: min(max(grades.values()), highest) for document, grades in own.items()
            }
            for query, own in qrels.items()
        }
    try:
        measure = parse_measure(name)
    except BerryEvalError:
        return None
    by_query = evaluate(Judgments.from_dict(judged), run, measure)[str(measure)].by_query
    return [by_query[query] for query in qrels]


def compare_ranx() -> list[Compared]:
    """Return every call of a metric in the tests of ranx, in the order of its metric."""
    found = [
        Compared(call["metric"], call["values"], _of_ranx(call)) for call in STORED["ranx"]["calls"]
    ]
    return sorted(found, key=lambda one: one.expression)


def _of_ranx(call: dict[str, Any]) -> list[float] | None:
    names = [f"q{number:03}" for number in range(len(call["qrels"]))]
    qrels = {name: dict(own) for name, own in zip(names, call["qrels"], strict=True)}
    # Its functions take documents in the order of their ranks.
    run = {
        name: {document: -rank for rank, document in enumerate(own)}
        for name, own in zip(names, call["run"], strict=True)
    }
    try:
        values = evaluate_as_ranx(Qrels(qrels), Run(run), call["metric"], return_mean=False)
    except BerryEvalError:
        return None
    return [float(value) for value in values]


def expressions_page(notice: str) -> str:
    """Return the page of all expressions."""
    of_ir_measures, of_ranx = compare_ir_measures(), compare_ranx()
    versions = STORED["ir_measures"]["versions"]
    return "\n".join(
        [
            "# Expressions of other tools",
            "",
            notice,
            "",
            "This page lists every measure in the tests of ir_measures and ranx, and whether its "
            "value is the same here.",
            "`tests/compat/make_expression_values.py` stores the values of both tools, "
            "`tests/compat/test_expressions.py` compares them with ours, and `make reference` "
            "writes this page.",
            "",
            "| tool | expressions | same value | for a reason | nothing to compare | different |",
            "|---|---|---|---|---|---|",
            _row_of_counts("ir_measures", of_ir_measures),
            _row_of_counts("ranx", of_ranx),
            "",
            *(f"- *{name}*: {text}" for name, text in REASONS.items()),
            "",
            "## ir_measures",
            "",
            f"Version {versions['ir_measures']}, with its providers, such as cwl-eval "
            f"{versions['cwl-eval']} and pyndeval {versions['pyndeval']}.",
            "Each expression is computed for the same made-up queries; those that are a part of "
            "another one, such as `nDCG` in `nDCG@10`, are counted, too.",
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
            f"Version {STORED['ranx']['versions']['ranx']}.",
            "These are the calls of its metrics while its own tests run, each with the data of the "
            "test; calls of a metric with the same data are counted once.",
            "",
            "| metric | calls | same value |",
            "|---|---|---|",
            *_rows_of_ranx(of_ranx),
            "",
        ]
    )


def _row_of_counts(tool: str, compared: Sequence[Compared]) -> str:
    counts = counts_of(compared)
    numbers = [len(compared), *(counts.get(name, 0) for name in OUTCOMES)]
    return f"| {tool} | {' | '.join(map(str, numbers))} |"


def _name_here(one: Compared) -> str:
    try:
        return f"`{parse_measure(one.expression)}`"
    except BerryEvalError:
        return ""


def _result(one: Compared) -> str:
    if one.outcome == "reason":
        return f"*{one.reason}*"
    if one.outcome == "nothing":
        return "no value there" + ("" if one.ours else ", and none here")
    return one.outcome


def _rows_of_ranx(compared: Sequence[Compared]) -> Iterator[str]:
    calls = Counter(one.expression for one in compared)
    same = Counter(one.expression for one in compared if one.outcome == "same")
    for name in calls:
        yield f"| `{name}` | {calls[name]} | {same[name]} |"


def counts_of(compared: Iterable[Compared]) -> dict[str, int]:
    """Return the number of expressions by outcome."""
    return dict(Counter(one.outcome for one in compared))
