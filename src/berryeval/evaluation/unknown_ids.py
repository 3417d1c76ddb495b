"""Suspicions that judgments and a run name documents differently.

A search that is only weak returns relevant documents for other queries, or has many documents that
it never returned. So relevant documents that a run never has are suspicious only if their ids look
different from those of the run, or if the run seems to have nearly every document: Chao's estimate
of the unseen ones, from those that occur once and twice, is far below their number. On real runs,
complete and with one relevant document per query, this rule raised no false alarm.

If only some queries of a run have other ids, the relevant documents may still occur for the rest.
So queries are also compared with each other: it is suspicious if none of the results of many
queries is judged for any query, and their ids look different from all others, or become judged ids
without the text that they all start with.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from os.path import commonprefix

from berryeval.core.id_column import decode_id
from berryeval.core.judgments import Judgments
from berryeval.core.run import Run
from berryeval.core.scores import Scores
from berryeval.evaluation.result import holes_measure
from berryeval.evaluation.sources import RunSource, load_run
from berryeval.formats import Duplicates
from berryeval.measures import Measure

__all__ = ["find_other_ids", "find_unknown_ids"]

N_NAMED = 3
MIN_QUERIES = 3
MIN_SHARE = 0.2
"""Share of the queries that has to be affected."""
_UNSEEN_FACTOR = 2
_MAX_ROWS = 500_000
"""Larger runs are not examined: it would take longer than scoring them."""
_MAX_BYTES = 10_000_000
_MIN_IDS = 20
"""Ids of one form, and of the others, below which different forms may be chance."""
_MIN_MATCHES = 3
"""Ids that have to be judged without their prefix."""

_LETTERS = re.compile(rb"[A-Za-z\x80-\xff]+")
_DIGITS = re.compile(rb"[0-9]+")


def find_other_ids(
    scores: Scores, measures: Sequence[Measure], judged_ids: Iterable[str] = ()
) -> tuple[str, ...]:
    """Return a caution if every score is 0 and documents are unjudged: the ids may not match.

    `judged_ids` are documents of the judgments, which the caution names, if they are known.
    """
    ranked = [measure for measure in measures if not measure.uses_timings]
    if scores.counts.no_relevant == scores.counts.judged or not ranked:
        return ()
    if any(any(scores.values[str(measure)]) for measure in ranked):
        return ()
    if not any(any(scores.values.get(str(holes_measure(measure)), ())) for measure in ranked):
        return ()
    examples = ", ".join(map(repr, [*dict.fromkeys(judged_ids)][:N_NAMED]))
    such_as = f", such as {examples}" if examples else ""
    return (f"every score is 0; check that the run has the document ids of the judgments{such_as}",)


def find_unknown_ids(
    scores: Scores,
    measures: Sequence[Measure],
    judgments: Judgments,
    run: RunSource,
    duplicates: Duplicates = "error",
) -> tuple[str, ...]:
    """Return a caution if ids of the judgments, or some of them, do not seem to be those of a run.

    Another one is that a run has no documents. The run is examined only if many queries scored 0,
    so this takes no time otherwise.
    """
    ranked = [measure for measure in measures if not measure.uses_timings]
    found = find_other_ids(scores, measures, judgments.doc_ids)
    if found or not ranked:
        return found
    scored, nothing = _without_scores(scores, ranked)
    if not _is_many(len(scored), nothing) or _is_large(run):
        return ()
    loaded = load_run(run, duplicates)
    if len(loaded.doc_ids) == 0:
        return ("the search returned no documents for any query",)
    if len(loaded.doc_ids) > _MAX_ROWS:
        return ()
    return _unknown_in(loaded, judgments, scored, nothing)


def _unknown_in(
    loaded: Run, judgments: Judgments, scored: Sequence[bytes], nothing: Sequence[bytes]
) -> tuple[str, ...]:
    """Return a caution about the queries with nothing but zeros, if their ids are unknown."""
    is_many = partial(_is_many, len(scored))
    counts = Counter(loaded.doc_ids.iter_bytes())
    relevant = {query_id: _relevant_in(judgments, query_id) for query_id in scored}
    unlike = _unlike_all_others(judgments, loaded, counts.keys(), nothing)
    unknown = [one for one in nothing if counts.keys().isdisjoint(relevant[one])]
    if is_many([*unlike]):
        judged = _examples(relevant[one][0] for one in unlike)
        returned = _examples(ids[0] for ids in unlike.values())
        return (
            f"{len(unlike):,} of {len(scored):,} queries: none of their results is judged for any "
            f"query; their ids, such as {returned}, look different from those of the judgments, "
            f"such as {judged}",
        )
    if not is_many(unknown):
        return ()
    forms = {_form(doc_id) for doc_id in counts}
    other = [one for one in unknown if forms.isdisjoint(map(_form, relevant[one]))]
    n_never = len({one for ids in relevant.values() for one in ids if one not in counts})
    if is_many(other):
        unknown = other
    elif n_never <= _UNSEEN_FACTOR * _estimate_unseen(counts) + MIN_QUERIES:
        return ()
    judged, returned = _examples(relevant[one][0] for one in unknown), _examples(counts)
    verb = "has" if len(unknown) == 1 else "have"
    return (
        f"{len(unknown):,} of {len(scored):,} queries {verb} no relevant document that the run "
        f"returns for any query; check their document ids, such as {judged} in the judgments and "
        f"{returned} in the run",
    )


def _unlike_all_others(
    judgments: Judgments, run: Run, returned: Collection[bytes], nothing: Iterable[bytes]
) -> dict[bytes, list[bytes]]:
    """Return queries and their results, if these seem to be named differently from all others.

    None of them is judged for any query.
    """
    judged = {*judgments.doc_ids.iter_bytes()}
    rankings = {query_id: run.ranked_ids(query_id) for query_id in nothing}
    found = {one: ids for one, ids in rankings.items() if judged.isdisjoint(ids)}
    own = {doc_id for ids in found.values() for doc_id in ids}
    forms = {_form(doc_id) for doc_id in judged.union(returned).difference(own)}
    other = {one: ids for one, ids in found.items() if forms.isdisjoint(map(_form, ids))}
    n_other = len({doc_id for ids in other.values() for doc_id in ids})
    if len(other) >= MIN_QUERIES and min(n_other, len(judged)) >= _MIN_IDS:
        return other
    prefix = commonprefix([*own])  # noqa: RUF071 - ids, not paths
    for length in range(len(prefix), 0, -1):
        if prefix[:length].isdigit():
            break
        if sum(doc_id[length:] in judged for doc_id in own) >= _MIN_MATCHES:
            return found
    return {}


def _without_scores(scores: Scores, measures: Sequence[Measure]) -> tuple[list[bytes], list[bytes]]:
    """Return the queries that could score, and those of them with nothing but zeros."""
    columns = [scores.values[str(measure)] for measure in measures]
    scored, nothing = [], []
    for place, query_id in enumerate(scores.query_ids.iter_bytes()):
        if scores.is_missing[place] or scores.lacks_relevant[place]:
            continue
        scored.append(query_id)
        if not any(column[place] for column in columns):
            nothing.append(query_id)
    return scored, nothing


def _is_many(n_scored: int, queries: Sequence[bytes]) -> bool:
    return len(queries) >= max(MIN_QUERIES, MIN_SHARE * n_scored)


def _is_large(run: RunSource) -> bool:
    """Whether a run takes long to read, or cannot be read once more."""
    if isinstance(run, (str, os.PathLike)):
        return not os.path.isfile(run) or os.path.getsize(run) > _MAX_BYTES  # noqa: PTH113, PTH202
    return isinstance(run, Iterator)


def _relevant_in(judgments: Judgments, query_id: bytes) -> list[bytes]:
    return [doc_id for doc_id, grade in judgments.grades_of(query_id).items() if grade >= 1]


def _form(doc_id: bytes) -> tuple[bool, bool, frozenset[int]]:
    """Return whether an id has letters and digits, and its other characters."""
    others = _DIGITS.sub(b"", _LETTERS.sub(b"", doc_id))
    return bool(_LETTERS.search(doc_id)), bool(_DIGITS.search(doc_id)), frozenset(others)


def _estimate_unseen(counts: Counter[bytes]) -> float:
    """Return Chao's estimate of how many documents a run could return, but never did."""
    times = Counter(counts.values())
    return times[1] ** 2 / (2 * max(times[2], 1))


def _examples(ids: Iterable[bytes]) -> str:
    return ", ".join(repr(decode_id(one)) for one in islice(dict.fromkeys(ids), N_NAMED))
