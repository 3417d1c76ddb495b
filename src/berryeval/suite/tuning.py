"""Settings of a hybrid search, proposed by cross-validation over the queries of a golden set."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import gcd
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from berryeval.core.run import Run
from berryeval.errors import ArgumentError
from berryeval.evaluation.choosing import RunChoice, choose_run
from berryeval.evaluation.comparing import compare
from berryeval.evaluation.evaluate import MeasureLike, read_measure
from berryeval.evaluation.folds import check_averaged
from berryeval.golden import GoldenSet, handbook
from berryeval.search.hits import Hit
from berryeval.search.system import System
from berryeval.search.systems.hybrid import HybridSettings
from berryeval.suite.known_ids import find_unknown_hits
from berryeval.suite.quality import check_has_documents

if TYPE_CHECKING:
    from berryeval.evaluation.comparison import Comparison

__all__ = ["CURRENT", "WORDS", "HybridSystem", "HybridTuning", "settings_line", "tune_hybrid"]

CURRENT = "current search"
"""The name of the settings that a system has."""
WORDS = "search by words"
"""The name of the settings without vectors, tokens and feedback."""
_MIN_DEPTH = 10
_PARTS = 4
"""Weights are tried in steps of a quarter of their sum."""


@runtime_checkable
class HybridSystem(Protocol):
    """A system that fuses words, vectors and tokens, and can search with several settings."""

    settings: HybridSettings

    def search_each(self, query: str, k: int, several: Sequence[HybridSettings]) -> list[list[Hit]]:
        """Return the hits with each of several settings."""


@dataclass(frozen=True, eq=False)
class HybridTuning:
    """Proposed settings of a hybrid search, and what to expect of them."""

    system: str
    golden: GoldenSet
    tried: Mapping[str, HybridSettings]
    """All settings that were tried, by name: `CURRENT`, `WORDS`, and others by their values."""
    choice: RunChoice
    """The choice and its scores. The names of runs are those of the settings."""
    current_and_words: Comparison
    """The current settings compared with words alone."""

    @property
    def is_better(self) -> bool:
        """Whether tuned settings clearly beat the current ones on held-out queries."""
        return self.choice.beats(CURRENT)

    @property
    def recommended(self) -> str:
        """The name of the settings to use.

        The best ones if they are clearly better than the current ones on held-out queries;
        otherwise the current ones, unless words alone are clearly better than these.
        """
        if self.is_better:
            return self.choice.choice
        finding = self.current_and_words.differences[0].finding
        return WORDS if finding == "worse" else CURRENT

    @property
    def settings(self) -> HybridSettings:
        """The settings to use."""
        return self.tried[self.recommended]

    @property
    def sentences(self) -> tuple[str, ...]:
        """The result in words."""
        found = []
        for reference in (CURRENT, WORDS):
            compared = self.choice.comparisons[reference].sentence
            if not self.choice.beats(reference):
                compared = f"No settings tried clearly beat {reference}. {compared}"
            found.append(compared)
        if not self.is_better:
            sentence = self.current_and_words.sentence
            found.append(sentence[0].upper() + sentence[1:])
        return tuple(found)


def settings_line(settings: HybridSettings) -> str:
    """Return settings as options of commands.

    Examples
    --------
    >>> settings_line(HybridSettings((2, 1), late=0.5, feedback=0))
    '-s weights=2,1 -s late=0.5 -s feedback=0'
    """
    return " ".join(f"-s {setting}" for setting in _values(settings))


def tune_hybrid(
    system: System,
    golden: GoldenSet | None = None,
    measure: MeasureLike = "nDCG@10",
    *,
    n_folds: int = 5,
    level: float = 0.95,
    seed: int = 0,
    questions: bool = True,
    progress: Callable[[int, int], None] | None = None,
) -> HybridTuning:
    """Propose weights of words, vectors and tokens, and whether to use feedback.

    Parameters
    ----------
    system : System
        `Embedded` or `Postgres`, hybrid by scores. It indexes the documents of the golden set.
        Parts that its own settings turn off, with ``late=0`` or ``feedback=0``, are not tried.
    golden : GoldenSet, optional
        Default: the bundled one.
    measure : Measure or str
        What to improve: a measure that is averaged over queries.
    n_folds : int
        Parts that queries are divided into, at least 3.
    level : float
        Confidence level of intervals.
    seed : int
        Random seed for the folds.
    questions : bool
        Whether to index the chunks together with the questions of the golden set.
    progress : callable, optional
        Called with the number of queries so far and in total.

    Raises
    ------
    ArgumentError
        If the system is not a hybrid by scores, or there are fewer judged queries than folds.
    SystemUnderTestError
        If the system cannot index the documents, or fails for a query.
    """
    known = golden or handbook()
    is_by_scores = getattr(system, "mode", "") == "hybrid" and (
        getattr(system, "fusion", "") == "scores"
    )
    if not isinstance(system, HybridSystem) or not is_by_scores:
        expected = "hybrid, or postgres with an address, and fusion=scores"
        raise ArgumentError("system", expected, repr(system.name))
    check_has_documents(known, system)
    [at_level] = known.at_level(read_measure(measure))
    check_averaged(at_level)
    tried = dict(_candidates(system.settings))
    system.index(known.documents(questions=questions))
    depth = max(_MIN_DEPTH, at_level.depth or system.settings.depth)
    rankings: dict[str, dict[str, list[str]]] = {name: {} for name in tried}
    for number, query in enumerate(known.queries, start=1):
        found = system.search_each(query.text, depth, [*tried.values()])
        for name, hits in zip(tried, found, strict=True):
            rankings[name][query.query_id] = [hit.doc_id for hit in hits]
        if progress is not None:
            progress(number, len(known.queries))
    runs = {name: known.credit(Run.from_lists(own)) for name, own in rankings.items()}
    find_unknown_hits(known, runs[CURRENT], system.name, system.likely_id)
    return HybridTuning(
        system=system.name,
        golden=known,
        tried=tried,
        choice=choose_run(
            known.judgments,
            runs,
            at_level,
            references=(CURRENT, WORDS),
            queries=known.queries,
            n_folds=n_folds,
            level=level,
            seed=seed,
        ),
        current_and_words=compare(
            known.judgments,
            {name: runs[name] for name in (WORDS, CURRENT)},
            at_level,
            queries=known.queries,
            level=level,
            seed=seed,
        ),
    )


def _candidates(current: HybridSettings) -> Iterator[tuple[str, HybridSettings]]:
    """Yield settings to try, by name; the first of equally good ones is preferred."""
    yield CURRENT, current
    yield WORDS, replace(current, weights=(1.0, 0.0), late=0.0, feedback=0)
    for feedback in dict.fromkeys((0, current.feedback)):
        for words, vectors, tokens in _shares():
            if tokens and not current.late:
                continue
            settings = replace(
                current, weights=(words, vectors), late=float(tokens), feedback=feedback
            )
            is_words_alone = not vectors and not tokens and not feedback
            if settings != current and not is_words_alone:
                yield " ".join(_values(settings)), settings


def _shares() -> Iterator[tuple[int, int, int]]:
    """Yield weights of words, vectors and tokens; tokens alone find nothing."""
    yield 4, 1, 1
    yield 1, 1, 1
    for words in range(_PARTS, -1, -1):
        for vectors in range(_PARTS - words, -1, -1):
            tokens = _PARTS - words - vectors
            if words or vectors:
                common = gcd(words, vectors, tokens)
                yield words // common, vectors // common, tokens // common


def _values(settings: HybridSettings) -> tuple[str, str, str]:
    words, vectors = settings.weights
    return (
        f"weights={words:g},{vectors:g}",
        f"late={settings.late:g}",
        f"feedback={settings.feedback}",
    )
