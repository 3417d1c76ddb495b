"""ir_measures, computed by BerryEval: add one line, and leave the rest of the code unchanged.

After ``register()``, ``ir_measures.calc_aggregate``, ``iter_calc``, ``calc`` and ``evaluator`` use
BerryEval for every measure that it has, and their own providers for the others. Values equal those
of ir_measures' provider ``pytrec_eval``; these differ:

- All measures rank documents in one order: by score in 32 bits, ties by the higher document id. In
  ir_measures, ``RR@k``, ``Judged`` and ``RBP`` break ties differently from the others.
- ``ERR`` and ``nDCG(dcg='exp-log2')`` need no Perl, have all digits instead of five, and accept
  any query id and any grade.
- Measures of one call are independent. In ir_measures, ``nDCG`` may have the gains of
  ``nDCG(gains=…)``, and ``NumRet`` count judged documents only.
- ``RBP`` can have a cutoff, ``NumRel`` any ``rel``, and ``rel`` can be 0.
- A query without results scores 0 in ``IPrec``, not NaN.
- Diversity measures have any cutoff, not only 20 and less. ``alpha_nDCG``, ``nERR_IA`` and
  ``nNRBP`` are at most 1. ``ERR_IA@1`` and ``alpha_DCG@1``, which ndeval does not normalise, are
  left to ir_measures.

``Accuracy`` is left to ir_measures, since it leaves out queries without a relevant document in the
ranking.

Examples
--------
>>> from berryeval.compat.ir_measures import register
>>> register()  # doctest: +SKIP
>>> ir_measures.calc_aggregate([nDCG@10, AP(rel=2)], qrels, run)  # doctest: +SKIP
{nDCG@10: 0.6251, AP(rel=2): 0.4012}
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property, lru_cache
from typing import Any, Literal, TypeAlias

from berryeval.compat._scoring import read_judgments, read_run
from berryeval.core.judgments import Judgments
from berryeval.engine import score
from berryeval.errors import ArgumentError, BerryEvalError, InputError, InputTypeError
from berryeval.measures import Measure, find_measure
from berryeval.measures.judged_share import Judged
from berryeval.measures.relative_precision import RelativePrecision

__all__ = ["MissingToolError", "as_measure", "provider", "register", "unregister"]

_NAMES = frozenset((
    "alpha_DCG", "alpha_nDCG", "AP", "AP_IA", "BPM", "Bpref", "Compat", "ERR", "ERR_IA", "infAP",
    "INSQ", "INST", "IPrec", "Judged", "nDCG", "nERR_IA", "NERR8", "NERR9", "NERR10", "NERR11",
    "nNRBP", "NRBP", "NumQ", "NumRel", "NumRet", "P", "P_IA", "R", "RBP", "Rprec", "RR", "SDCG",
    "SetAP", "SetF", "SetP", "SetR", "StRecall", "Success",
))  # fmt: skip
"""ir_measures' names of the measures that it has in common with BerryEval."""

_Seen: TypeAlias = Literal["grades", "pool", "subtopics"]
"""The part of the judgments that a measure sees."""

_PARAMETERS = {
    "cutoff": "k",
    "gains": "gain",
    "min_rel": "min_grade",
    "max_rel": "max_grade",
    "normalize": "normalise",
}
_GAIN_OF_DCG = {"log2": "linear", "exp-log2": "exp2"}


class MissingToolError(BerryEvalError, ImportError):
    """ir_measures is not installed."""


def register() -> None:
    """Let ir_measures use BerryEval for every measure that it has; a second call changes nothing.

    ``ir_measures --provider berryeval`` and ``ir_measures.providers.registry["berryeval"]`` then
    exist, too.

    Raises
    ------
    MissingToolError
        If ir_measures is not installed.
    """
    tool = _tool()
    if provider() not in tool.DefaultPipeline.providers:
        tool.DefaultPipeline.providers.insert(0, provider())
        tool.providers.register(provider())


def unregister() -> None:
    """Undo `register`: ir_measures computes with its own providers again."""
    tool = _tool()
    if provider() in tool.DefaultPipeline.providers:
        tool.DefaultPipeline.providers.remove(provider())
        del tool.providers.registry[provider().NAME]


def as_measure(measure: Any) -> Measure | None:  # noqa: ANN401 - ir_measures may be missing
    """Return the measure of BerryEval that is the same as one of ir_measures; None if none is.

    Parameters
    ----------
    measure : ir_measures.Measure
        The measure, such as ``ir_measures.nDCG @ 10``.
    """
    if measure.NAME not in _NAMES or _is_not_normalised(measure):
        return None
    given = {
        _PARAMETERS.get(key, key): value
        for key, value in measure.params.items()
        if (measure.NAME, key) != ("SDCG", "dcg")  # log2 is the only one
    }
    kind = find_measure(measure.NAME)
    if measure.NAME == "SetP" and given.pop("relative", False):
        kind = RelativePrecision
    elif measure.NAME == "SetF" and "beta" in given:
        given["x"] = given.pop("beta")  # in fact the square of beta, which trec_eval calls x
    elif measure.NAME == "NumRet" and "rel" in given:
        kind = find_measure("NumRelRet")
    elif measure.NAME == "RBP" and "rel" not in given:
        return None  # graded relevance, which ir_measures does not define
    elif measure.NAME == "nDCG":
        gain = _GAIN_OF_DCG[given.pop("dcg", "log2")]
        if "gain" not in given:
            given["gain"] = gain
        elif gain != "linear" or not _are_usable(given["gain"]):
            return None
    try:
        return kind(**given)
    except (InputError, InputTypeError):
        return None


def _is_not_normalised(measure: Any) -> bool:  # noqa: ANN401
    """Whether ndeval does not normalise the value, since its normalisation begins at rank 2."""
    return measure.NAME in ("ERR_IA", "alpha_DCG") and measure.params.get("cutoff") == 1


def _are_usable(gains: Mapping[int, int]) -> bool:
    """Whether gains neither give documents without a grade a gain, nor take one away."""
    return min((0, *gains, *gains.values())) >= 0


def _tool() -> Any:  # noqa: ANN401 - it may be missing
    try:
        return importlib.import_module("ir_measures")
    except ImportError:
        message = "berryeval.compat.ir_measures requires ir_measures: pip install ir-measures"
        raise MissingToolError(message) from None


@lru_cache(maxsize=1)
def provider() -> Any:  # noqa: ANN401 - its base class may be missing
    """Return the only ``ir_measures.Provider`` that computes with BerryEval.

    Raises
    ------
    MissingToolError
        If ir_measures is not installed.
    """
    tool = _tool()

    class BerryEvalProvider(tool.Provider):  # type: ignore[misc, name-defined]
        """BerryEval: trec_eval's measures and others, with one order of ties."""

        NAME = "berryeval"

        def supports(self, measure: Any) -> bool:  # noqa: ANN401
            """Whether BerryEval has the measure."""
            measure.validate_params()
            return as_measure(measure) is not None

        def _evaluator(self, measures: Iterable[Any], qrels: object) -> Any:  # noqa: ANN401
            return BerryEvalEvaluator(list(measures), qrels)

    class BerryEvalEvaluator(tool.Evaluator):  # type: ignore[misc, name-defined]
        """Scores runs with the same judgments."""

        def __init__(self, measures: list[Any], qrels: object) -> None:
            converter = tool.util.QrelsConverter(qrels)
            by_subtopic = None
            if any(_uses_intents(measure) for measure in measures):
                rows = list(converter.as_namedtuple_iter())
                converter = tool.util.QrelsConverter(rows)
                by_subtopic = _by_subtopic(rows)
            grades = converter.as_dict_of_dict()
            super().__init__(measures, set(grades))
            self.scorer = _Scorer(measures, grades, by_subtopic)

        def _iter_calc(self, run: object) -> Iterator[Any]:
            documents = tool.util.RunConverter(run).as_dict_of_dict()
            for query, measure, value in self.scorer.iter_values(documents):
                yield tool.Metric(query_id=query, measure=measure, value=value)

    return BerryEvalProvider()


def _uses_intents(measure: Any) -> bool:  # noqa: ANN401
    ours = as_measure(measure)
    return ours is not None and ours.uses_intents


def _by_subtopic(rows: Iterable[Any]) -> dict[str, dict[str, dict[str, int]]]:
    """Return the grades of qrels by query, document and iteration, which is the subtopic."""
    found: dict[str, dict[str, dict[str, int]]] = {}
    for row in rows:
        documents = found.setdefault(row.query_id, {})
        documents.setdefault(row.doc_id, {})[getattr(row, "iteration", "0")] = row.relevance
    return found


class _Scorer:
    """Measures of ir_measures, in groups that see the same judgments."""

    def __init__(
        self,
        measures: list[Any],
        grades: Mapping[str, Mapping[str, int]],
        by_subtopic: Mapping[str, Mapping[str, Mapping[str, int]]] | None = None,
    ) -> None:
        self._judgments = read_judgments(grades, "qrels")
        self._by_subtopic = read_judgments(by_subtopic or {}, "qrels")
        self._groups: dict[_Seen, dict[Any, Measure]] = {}
        for measure in measures:
            ours = as_measure(measure)
            if ours is None:
                raise ArgumentError("measures", "measures that BerryEval has", str(measure))
            seen: _Seen = "pool" if isinstance(ours, Judged) else "grades"
            if ours.uses_intents:
                seen = "subtopics"
            self._groups.setdefault(seen, {})[measure] = ours

    def iter_values(self, run: object) -> Iterator[tuple[str, Any, float]]:
        """Iterate over query, measure and value of all queries that have a ranking."""
        if not len(self._judgments):
            return
        ranked = read_run(run, "run")
        for seen, measures in self._groups.items():
            judgments = self._seen(seen)
            wanted = list(dict.fromkeys(measures.values()))
            found = score(judgments, ranked, wanted, missing="skip")
            for measure, ours in measures.items():
                for query, value in zip(found.query_ids, found.values[str(ours)], strict=True):
                    yield query, measure, value

    def _seen(self, seen: _Seen) -> Judgments:
        if seen == "subtopics":
            return self._by_subtopic
        return self._pool if seen == "pool" else self._judgments

    @cached_property
    def _pool(self) -> Judgments:
        """The judgments in which a grade below 0 also counts as one, as in ir_measures."""
        pool = {
            query: {document: max(grade, 0.0) for document, grade in documents.items()}
            for query, documents in self._judgments.to_dict().items()
        }
        return read_judgments(pool, "qrels")
