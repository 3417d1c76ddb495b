"""The page of a session: every assertion about means as a guard of one gate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from berryeval.core.files import write_whole
from berryeval.core.judgments import Judgments
from berryeval.core.query import Query
from berryeval.core.run import Run
from berryeval.evaluation.comparing import compare
from berryeval.evaluation.comparison import Comparison
from berryeval.evaluation.evaluate import evaluate
from berryeval.evaluation.gating import combine_guards
from berryeval.evaluation.guards import MarginGuard
from berryeval.evaluation.memory import Memory
from berryeval.evaluation.model_judgments import ModelJudgments, combine, evaluate_with_model
from berryeval.evaluation.result import Evaluation
from berryeval.evaluation.verdict import GateResult, GuardResult
from berryeval.measures import Measure, ReciprocalRank
from berryeval.reports.evaluation import Shown, evaluations_tables
from berryeval.reports.html import gate_to_html, tables_to_html
from berryeval.suite.gate import CANDIDATE, guarded_measures
from berryeval.suite.settings import Settings

if TYPE_CHECKING:
    from berryeval.pytest_plugin.results import Results

__all__ = ["Record", "page_of", "write_page"]


@dataclass(frozen=True)
class Record:
    """The results of one process, which can be pickled."""

    judgments: Judgments
    run: Run
    queries: Mapping[str, Query]
    settings: Settings
    baseline: Run | None
    guards: tuple[GuardResult, ...]
    model: ModelJudgments | None = None
    memory: Memory | None = None

    @classmethod
    def of(cls, results: Results) -> Record:
        """Extract the content of a page from results."""
        return cls(
            judgments=results.judgments,
            run=results.run,
            queries=results.queries,
            settings=results.settings,
            baseline=results.baseline,
            guards=tuple(results.decided.values()),
            model=results.model,
            memory=results.memory,
        )

    def evaluate(self, measures: Sequence[Measure]) -> Evaluation:
        """Score the run with the judgments that verdicts are based on."""
        if self.model is None:
            return evaluate(self.judgments, self.run, measures, queries=self.queries.values())
        grades, draw = self.model.load()
        judgments = combine(self.judgments, grades, draw)
        return evaluate_with_model(
            judgments, grades, draw, self.run, measures, queries=self.queries
        )


def write_page(path: str, records: Sequence[Record]) -> None:
    """Write the page, and create its folder."""
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, [page_of(records).encode("utf-8", "replace")])


def page_of(records: Sequence[Record]) -> str:
    """Return one page with the results of all processes.

    They used the same queries: the run is that of the first, and each verdict comes from a test.
    Margins against baselines other than the first are left out. Without a verdict, the page has
    the usual measures, and every query, by people's judgments alone.
    """
    first = next((record for record in records if record.baseline is not None), records[0])
    guards: dict[str, GuardResult] = {}
    for record in records:
        is_other = record.baseline is not None and record.baseline != first.baseline
        for guard in record.guards:
            if not (is_other and isinstance(guard.guard, MarginGuard)):
                guards.setdefault(guard.name, guard)
    if not guards:
        return _tables(first)
    memory = next((record.memory for record in records if record.memory is not None), None)
    return gate_to_html(_gate(replace(first, memory=memory), tuple(guards.values())))


def _tables(record: Record) -> str:
    found = evaluate(record.judgments, record.run, queries=record.queries.values())
    (means,) = evaluations_tables({CANDIDATE: found})
    (by_query,) = evaluations_tables({CANDIDATE: found}, Shown(per_query=True))
    return tables_to_html("Search quality", [means, by_query._replace(title="Queries")])


def _gate(record: Record, guards: tuple[GuardResult, ...]) -> GateResult:
    """Combine verdicts that were reached separately; nothing is decided again."""
    rules = record.settings.gate
    measures = guarded_measures([guard.guard for guard in guards]) or (ReciprocalRank(),)
    comparison: Comparison | None = None
    if record.baseline is None:
        evaluation = record.evaluate(measures)
    else:
        comparison = compare(
            record.judgments,
            {"baseline": record.baseline, CANDIDATE: record.run},
            measures,
            queries=record.queries.values(),
            bounds=record.model is None,
            max_grade=rules.max_grade,
            model=record.model,
        )
        evaluation = comparison.evaluations[CANDIDATE]
    return combine_guards(
        guards,
        replace(rules, guards=tuple(guard.guard for guard in guards)),
        evaluation,
        *([] if comparison is None else [comparison]),
        system=CANDIDATE,
        memory=record.memory,
    )
