"""The table of all judgments, as pages ask for it."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from fastapi import Depends, Request

from berryeval.archive.judgment_table import JudgmentTable
from berryeval.service.workbench.background import Latest

__all__ = ["TableDep"]


async def _table(request: Request) -> Latest[JudgmentTable]:
    table: Latest[JudgmentTable] = request.app.state.judgment_table
    return table


TableDep: TypeAlias = Annotated[Latest[JudgmentTable], Depends(_table)]
