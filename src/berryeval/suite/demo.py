"""The demonstration: three systems on the bundled golden set, a comparison and a verdict."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TypeAlias

from berryeval.core.documents import Document
from berryeval.errors import MissingExtraError
from berryeval.evaluation.comparing import compare
from berryeval.evaluation.comparison import Comparison
from berryeval.evaluation.gating import gate
from berryeval.evaluation.guards import DEFAULT_MARGIN
from berryeval.evaluation.verdict import GateResult
from berryeval.golden import GoldenSet, handbook
from berryeval.golden.reading import HANDBOOK
from berryeval.search.hits import Hit
from berryeval.search.opening import open_system
from berryeval.search.system import System
from berryeval.suite.quality import QualityResult, run_quality

__all__ = ["RECORDED", "SYSTEMS", "Demo", "Rankings", "RecordedSystem", "run_demo"]

SYSTEMS = ("bm25", "vector", "hybrid")
"""The systems; the first is the baseline, and the gate decides on the last."""

DEMO_MEASURES = ("nDCG@10", "RR@10", "P@5", "R@10")

GUARDED, MARGIN = "nDCG@10", DEFAULT_MARGIN
"""The guard of the gate: this measure must drop by less than the margin."""


@dataclass(frozen=True, eq=False)
class Demo:
    """The result of the demonstration."""

    golden: GoldenSet
    results: Mapping[str, QualityResult]
    comparison: Comparison
    gate: GateResult
    """Whether the last system can replace the first."""
    is_recorded: bool = False
    """Whether the answers come from a file, rather than from a search engine."""


RECORDED = Path(__file__).with_name("demo_rankings.json")
"""The systems' answers on the bundled golden set; `scripts/record_demo.py` writes them."""

Rankings: TypeAlias = dict[str, list[str]]
"""Document ids by query id, best first."""


class RecordedSystem(System):
    """Returns the recorded answers of a system on the bundled golden set, without its libraries.

    Parameters
    ----------
    name : str
        One of `SYSTEMS`.
    golden : GoldenSet
        The bundled golden set, whose queries were answered.
    """

    def __init__(self, name: str, golden: GoldenSet) -> None:
        self.name = name
        self._id_of = {query.text: query.query_id for query in golden.queries}
        self._plain = {document.doc_id: document.text for document in golden.documents()}
        self._answers: Rankings = {}

    def index(self, documents: Iterable[Document]) -> int:
        """Choose the answers with or without questions, by the texts of the documents."""
        texts = {document.doc_id: document.text for document in documents}
        which = "without questions" if texts == self._plain else "with questions"
        self._answers = _recorded()[self.name][which]
        return len(texts)

    def search(self, query: str, k: int) -> list[Hit]:
        """Return the first k recorded documents; scores only express their order."""
        found = self._answers[self._id_of[query]][:k]
        return [Hit(doc_id, float(len(found) - i)) for i, doc_id in enumerate(found)]


@cache
def _recorded() -> dict[str, dict[str, Rankings]]:
    recorded: dict[str, dict[str, Rankings]] = json.loads(RECORDED.read_text(encoding="utf-8"))
    return recorded


def run_demo(
    golden: GoldenSet | None = None,
    *,
    is_recorded: bool = False,
    report: Callable[[str], None] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Demo:
    """Run three embedded systems on a golden set, compare them, and decide on the last.

    Parameters
    ----------
    golden : GoldenSet, optional
        Default: the bundled one.
    is_recorded : bool
        Whether to use recorded answers, which exist for the bundled golden set. They are also used
        if the libraries of the embedded engine are not installed.
    report : callable, optional
        Called with a sentence about the current step.
    progress : callable, optional
        Called with the number of answers so far and in total, once per system.

    Raises
    ------
    MissingExtraError
        If the libraries are not installed, and the golden set is not the bundled one.
    """
    report = report or (lambda _text: None)
    known = golden or handbook()
    if not is_recorded and not _can_search(known):
        report("The search engine is not installed: showing recorded answers")
        is_recorded = True
    results = {}
    for name in SYSTEMS:
        if is_recorded:
            results[name] = run_quality(RecordedSystem(name, known), known, progress=progress)
            continue
        report(f"{name}: indexing {len(known.chunks)} chunks, sending {len(known.queries)} queries")
        with open_system(name) as system:
            results[name] = run_quality(system, known, progress=progress)
    report("Comparing")
    comparison = compare(
        known.judgments,
        {name: result.run for name, result in results.items()},
        known.at_level(DEMO_MEASURES),
        baseline=SYSTEMS[0],
        queries=known.queries,
        slices=["difficulty"] if any(query.difficulty for query in known.queries) else [],
        bounds=True,
        max_grade=known.scale,
    )
    decided = gate(
        comparison, margin={GUARDED: MARGIN}, candidate=SYSTEMS[-1], pool_depth=known.pool_depth
    )
    return Demo(known, results, comparison, decided, is_recorded)


def _can_search(golden: GoldenSet) -> bool:
    """Whether the libraries are installed; raise if not, and there are no recorded answers.

    One document is indexed by the system that needs all of them.
    """
    try:
        with open_system("hybrid") as system:
            system.index([Document("d1", "a document")])
    except MissingExtraError:
        if Path(golden.folder) != HANDBOOK:
            raise
        return False
    return True
