"""The judgments of the demo, with their history."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace

from berryeval.archive.judgments.opinions import SETTLED
from berryeval.archive.records import JudgmentEntry
from berryeval.core.documents import Document
from berryeval.golden.golden_set import GoldenSet

__all__ = [
    "FIRST_JUDGE",
    "SECOND_JUDGE",
    "THIRD_JUDGE",
    "JudgingSession",
    "earlier_documents",
    "judging_sessions",
]

FIRST_JUDGE, SECOND_JUDGE, THIRD_JUDGE = "ada", "ben", "cora"

N_HOLES, N_CONFLICTS, N_CHANGED = 40, 12, 6
"""Omitted grades, open conflicts, and documents that changed after judging."""

_IDEAL = 10
"""Documents in the ideal ranking of nDCG@10."""

_AT_A_TIME = 5
"""Queries per session."""


@dataclass(frozen=True)
class JudgingSession:
    """The judgments of one session."""

    author: str
    source: str
    days_ago: float
    entries: tuple[JudgmentEntry, ...]
    as_opinion: bool = False
    """Whether these are second opinions."""


def judging_sessions(
    golden: GoldenSet, retrieved: set[tuple[str, str]], unfinished: set[tuple[str, str]]
) -> Iterator[JudgingSession]:
    """Iterate over two passes of judging, some queries at a time, and settled conflicts.

    Some grades of retrieved documents are omitted, so that there is something to judge; some
    conflicts are left open, so that there is something to settle. Neither changes nDCG@10, nor a
    measure that counts from grade 2: the omitted grades are 0, and either grade of an open
    conflict leads to the same scores.

    Parameters
    ----------
    golden : GoldenSet
        The golden set, with the grades of both passes.
    retrieved : set of (str, str)
        Queries and documents in the top ten of the systems.
    unfinished : set of (str, str)
        Those of them whose grades may be omitted.
    """
    chance = random.Random("judging")  # noqa: S311 - invented data
    pairs = {
        (query_id, doc_id): grades
        for query_id, own in golden.passes.items()
        for doc_id, grades in own.items()
    }
    useless = sorted(pair for pair in unfinished & pairs.keys() if max(pairs[pair]) == 0)
    holes = set(chance.sample(useless, N_HOLES))
    different = sorted(pair for pair, (first, second, _) in pairs.items() if first != second)
    n_relevant = {
        query_id: sum(settled > 0 for *_, settled in own.values())
        for query_id, own in golden.passes.items()
    }
    harmless = [
        pair
        for pair in different
        if max(pairs[pair]) == 1 and pair not in retrieved and n_relevant[pair[0]] > _IDEAL
    ]
    still_open = set(chance.sample(harmless, N_CONFLICTS))
    queries = sorted(golden.passes)
    passes = ((FIRST_JUDGE, "first pass", 0, 44.0), (SECOND_JUDGE, "second pass", 1, 38.0))
    for author, source, which, days in passes:
        for number in range(0, len(queries), _AT_A_TIME):
            yield JudgingSession(author, source, days - 5 * number / len(queries), tuple(
                JudgmentEntry(query_id, doc_id, grades[which])
                for query_id in queries[number : number + _AT_A_TIME]
                for doc_id, grades in golden.passes[query_id].items()
                if (query_id, doc_id) not in holes
            ), as_opinion=author == SECOND_JUDGE)  # fmt: skip
    yield JudgingSession(THIRD_JUDGE, SETTLED, 32.0, tuple(
        JudgmentEntry(*pair, pairs[pair][2]) for pair in different if pair not in still_open
    ))  # fmt: skip


def earlier_documents(golden: GoldenSet) -> Iterator[Document]:
    """Iterate over the earlier versions of changed documents, without the last paragraph."""
    chance = random.Random("documents")  # noqa: S311 - invented data
    long_ones = [document for document in golden.documents() if "\n\n" in document.text.strip()]
    for document in chance.sample(long_ones, N_CHANGED):
        yield replace(document, text=document.text.strip().rpartition("\n\n")[0])
