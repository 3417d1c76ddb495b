"""The table of all judgments and how well judges agree, as pages need them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, NamedTuple, TypeAlias

from fastapi import Depends, Request

from berryeval.archive import Archive
from berryeval.archive.judgments.table import JudgmentTable
from berryeval.service.lru_cache import LruCache
from berryeval.service.workbench.background import Latest
from berryeval.service.workbench.judged.agreement import Agreement, agreement_of

__all__ = ["Agreed", "AgreedDep", "TableDep", "latest_agreement"]


class Agreed(NamedTuple):
    """How well judges agree, and the judgments that show it."""

    table: JudgmentTable
    agreement: Agreement


def latest_agreement(archive: Archive, is_in_vain: Callable[[], bool]) -> Latest[Agreed]:
    """Return what computes agreement again after each change."""
    counted: LruCache[JudgmentTable, Agreed] = LruCache(1)

    def count() -> Agreed:
        table = archive.judgment_index.table()
        return counted.get_or_make(table, lambda: Agreed(table, agreement_of(table)))

    return Latest(count, is_in_vain)


async def _table(request: Request) -> Latest[JudgmentTable]:
    table: Latest[JudgmentTable] = request.app.state.judgment_table
    return table


async def _agreed(request: Request) -> Latest[Agreed]:
    agreed: Latest[Agreed] = request.app.state.agreement
    return agreed


AgreedDep: TypeAlias = Annotated[Latest[Agreed], Depends(_agreed)]
TableDep: TypeAlias = Annotated[Latest[JudgmentTable], Depends(_table)]
