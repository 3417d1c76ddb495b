"""The pairs of a golden set: those that people judged, and those that a judge should judge."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from berryeval.core.documents import Document
from berryeval.core.id_column import decode_id, encode_id
from berryeval.core.run import Run
from berryeval.errors import ArgumentError, FormatError, MismatchError
from berryeval.evaluation.evaluate import MeasureLike, read_measures
from berryeval.evaluation.holes import find_holes, highest_grade
from berryeval.golden.golden_set import GUIDELINE, GoldenSet
from berryeval.judges.protocol import Guideline, Pair, Scale, guideline_text
from berryeval.judges.sampling import draw_stratified

__all__ = [
    "POOLS",
    "HumanPair",
    "Pool",
    "PoolName",
    "documents_of",
    "find_pool",
    "guideline_of",
    "guideline_text_of",
    "human_pairs",
    "ranks_of",
]

PoolName: TypeAlias = Literal["holes", "deciding", "sample", "all"]
POOLS: tuple[str, ...] = get_args(PoolName)
"""Unjudged documents of runs; those that could change a difference; a random sample of what the
runs return, judged or not; and all of it."""


@dataclass(frozen=True)
class HumanPair:
    """A pair with the grade that people gave it."""

    pair: Pair
    grade: float


@dataclass(frozen=True)
class Pool:
    """Pairs to judge."""

    pairs: tuple[Pair, ...]
    n_without_text: int = 0
    """Pairs left out, since the set does not have the text of the document."""


def guideline_text_of(golden: GoldenSet) -> str:
    """Return the text of the guideline of a golden set; empty if there is none.

    Raises
    ------
    FormatError
        If it is too long.
    """
    path = golden.guideline
    if path is None:
        return ""
    try:
        return guideline_text(path.read_text(encoding="utf-8", errors="replace"))
    except ArgumentError as error:
        raise FormatError.unexpected(error.expected, error.got, str(path)) from None


def guideline_of(golden: GoldenSet) -> Guideline:
    """Return the guideline and the scale of a golden set.

    Raises
    ------
    MismatchError
        If the set has neither a guideline nor labels, so that nothing defines the grades; or
        if its scale has grades that are not whole numbers.
    """
    text = guideline_text_of(golden)
    if not text and golden.labels is None:
        raise MismatchError(
            f"{golden.folder}: a judge needs to know what a grade means; write {GUIDELINE}, or "
            'declare "labels" with the judgments'
        )
    highest = float(highest_grade(golden.judgments))
    if not highest.is_integer():
        message = f"a judge gives whole grades, and the highest here is {highest:g}"
        raise MismatchError(f'{golden.folder}: {message}; declare another "scale"')
    return Guideline(text, Scale(int(highest), golden.labels))


def documents_of(golden: GoldenSet) -> dict[str, Document]:
    """Return the texts of all chunks and judged spans, by the ids of judgments and runs."""
    found = {document.doc_id: document for document in golden.documents()}
    for span, _ in golden.matched_spans:
        text = golden.texts.get(span.source)
        if text is not None:
            found[span.span_id] = Document(span.span_id, text[span.start : span.end], span.source)
    return found


def human_pairs(golden: GoldenSet) -> list[HumanPair]:
    """Return every pair that people judged, in the order of the file.

    Pairs of unknown queries and without a text are left out, as are negative grades.
    """
    documents, queries = documents_of(golden), {query.query_id: query for query in golden.queries}
    found: dict[tuple[str, str], HumanPair] = {}
    for judged in golden.judged:
        query = queries.get(judged.query_id)
        for doc_id, grade in judged.iter_grades():
            document = documents.get(doc_id)
            if query is not None and document is not None and grade >= 0:
                pair = Pair(query, document)
                found.setdefault(pair.key, HumanPair(pair, grade))
    return [*found.values()]


def find_pool(
    golden: GoldenSet,
    runs: Mapping[str, Run],
    pool: PoolName,
    *,
    measures: Sequence[MeasureLike] = (),
    baseline: str | None = None,
    k: int = 10,
    limit: int | None = None,
    seed: int = 0,
) -> Pool:
    """Return the pairs that a judge should judge.

    Parameters
    ----------
    golden : GoldenSet
        Queries, documents and judgments.
    runs : mapping of str to Run
        What systems returned, with the ids of the set.
    pool : {"holes", "deciding", "sample", "all"}
        ``"holes"`` are unjudged documents in the first k of any run, the most decisive first;
        ``"deciding"`` those of them that could change the difference from the baseline;
        ``"all"`` everything in the first k, judged or not, and ``"sample"`` a random part of it.
    measures : sequence of measures
        The measures that determine how decisive a hole is. Default: nDCG@k.
    baseline : str, optional
        The name of the run to compare with; required for ``"deciding"``.
    k : int
        Ranks to consider.
    limit : int, optional
        Maximum number of pairs; required for ``"sample"``.
    seed : int
        Random seed for the sample.

    Raises
    ------
    ArgumentError
        If an argument is missing, or there is no run.
    """
    if pool not in POOLS:
        raise ArgumentError("pool", f"one of {', '.join(POOLS)}", repr(pool))
    if not runs:
        raise ArgumentError("runs", "at least one run, whose documents are judged", "none")
    if pool == "deciding" and baseline is None:
        raise ArgumentError("baseline", "a run to compare with, for deciding documents", "none")
    if pool == "sample" and limit is None:
        raise ArgumentError("limit", "the size of the sample", "none")
    credited = {name: golden.credit(run) for name, run in runs.items()}
    if pool in ("holes", "deciding"):
        holes = find_holes(
            golden.judgments,
            credited,
            read_measures(measures or [f"nDCG@{k}"]),
            baseline=baseline if pool == "deciding" else None,
            k=k,
            queries={query.query_id: query for query in golden.queries},
        )
        keys = [(one.query_id, one.doc_id) for one in holes if one.effect or pool == "holes"]
    else:
        keys = [*ranks_of(golden, credited, k)]
    documents, queries = documents_of(golden), {query.query_id: query for query in golden.queries}
    pairs = [
        Pair(queries[query_id], documents[doc_id])
        for query_id, doc_id in keys
        if doc_id in documents
    ]
    n_without_text = len(keys) - len(pairs)
    if pool == "sample" and limit is not None:
        drawn = draw_stratified([0] * len(pairs), limit, seed)
        pairs = [pairs[position] for position, _ in drawn]
    return Pool(tuple(pairs[:limit]), n_without_text)


def ranks_of(
    golden: GoldenSet, runs: Mapping[str, Run], k: int
) -> dict[tuple[str, str], dict[str, int]]:
    """Return the documents in the first k of any run, each with its rank in every such run.

    Only queries of the set are included. Runs have the ids of the judgments, see
    `GoldenSet.credit`.
    """
    found: dict[tuple[str, str], dict[str, int]] = {}
    for query_id, name, ranking in _rankings(golden, runs, k):
        for rank, doc_id in enumerate(ranking, start=1):
            found.setdefault((query_id, decode_id(doc_id)), {})[name] = rank
    return found


def _rankings(
    golden: GoldenSet, runs: Mapping[str, Run], k: int
) -> Iterator[tuple[str, str, Sequence[bytes]]]:
    for query in golden.queries:
        for name, run in runs.items():
            yield query.query_id, name, run.ranked_ids(encode_id(query.query_id), k)
