"""How well the judges of an archive agree, over the table of all judgments."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, NamedTuple, TypeAlias

from berryeval.archive import Archive
from berryeval.archive.judgments.table import JudgmentTable
from berryeval.core.id_column import decode_id
from berryeval.core.query import Query
from berryeval.service.agreement import Agreement, GradedPair, agreement_of_pairs
from berryeval.service.dependencies import from_state
from berryeval.service.lru_cache import LruCache
from berryeval.service.shared_work import Latest

__all__ = ["Agreed", "AgreedDep", "TableDep", "agreement_of", "latest_agreement"]


def agreement_of(table: JudgmentTable, queries: Mapping[str, Query]) -> Agreement:
    """Return how well the judges of a table agree, overall and by category of the queries."""
    rows = table.rows_of(table.opinions)
    query_of = dict(zip(table.revisions[rows].tolist(), table.queries[rows].tolist(), strict=True))

    def category(number: int | None) -> str | None:
        query = None if number is None else queries.get(decode_id(table.query_ids[number]))
        return None if query is None else query.category

    shared = [
        GradedPair(number := query_of.get(revision), opinions, category(number))
        for revision, opinions in table.opinions.items()
        if len(opinions) > 1
    ]
    return agreement_of_pairs(shared, table.counts_by_author())


class Agreed(NamedTuple):
    """How well judges agree, and the judgments behind it."""

    newest: int
    """Revision of the newest judgment."""
    n_judgments: int
    n_conflicts: int
    n_stale: int
    agreement: Agreement


def latest_agreement(archive: Archive, skip_wait: Callable[[], bool]) -> Latest[Agreed]:
    """Return a value that is recomputed after each change."""
    counted: LruCache[tuple[int, object], Agreement] = LruCache(1)

    def count() -> Agreed:  # holds no table: one in memory is enough
        table, known = archive.judgment_index.table(), archive.queries.snapshot()
        agreement = counted.get_or_compute(
            (table.newest, known.stamp), lambda: agreement_of(table, known.queries)
        )
        return Agreed(table.newest, len(table), table.n_conflicts, table.n_stale, agreement)

    return Latest(count, skip_wait)


AgreedDep: TypeAlias = Annotated[Latest[Agreed], from_state("agreement")]
TableDep: TypeAlias = Annotated[Latest[JudgmentTable], from_state("judgment_table")]
