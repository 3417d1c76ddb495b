"""Judgments listed on a page, with texts of queries and titles of documents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from berryeval.archive import Archive
from berryeval.archive.judgments.table import JudgmentTable, WantedJudgments
from berryeval.archive.records import StoredJudgment
from berryeval.service.paging import numbered_page
from berryeval.service.paths import address

__all__ = ["PAGE", "SHOWN", "Filter", "Found", "Line", "find_judgments"]

Shown: TypeAlias = Literal["all", "conflicts", "stale"]

SHOWN: Mapping[str, str] = {"all": "All", "conflicts": "Conflicts", "stale": "Stale"}
PAGE = 50


@dataclass(frozen=True, slots=True)
class Filter:
    """Which judgments to list."""

    show: str = "all"
    q: str = ""
    author: str = ""
    source: str | None = None
    grade: str = ""
    page: int = 1

    def address(self, **changes: str | int) -> str:
        """Return the address of the first page of this list with some parameters changed."""
        parts: dict[str, str | int | None] = {
            "show": "" if self.show == "all" else self.show,
            "q": self.q,
            "author": self.author,
            "source": self.source,
            "grade": self.grade,
        }
        found = address("/judgments", **parts | changes)
        if self.source == "" and "source" not in changes:  # judgments without a source
            found += f"{'&' if '?' in found else '?'}source="
        return found

    @property
    def is_any(self) -> bool:
        """Whether any filter besides the tab is set."""
        return bool(self.q or self.author or self.grade or self.source is not None)


@dataclass(frozen=True, slots=True)
class Line:
    """A judgment in a list."""

    judgment: StoredJudgment
    query: str
    """The text, or else the id."""
    title: str
    is_conflict: bool
    grades: Mapping[str, float]
    """Grades by judge, if they disagree."""


@dataclass(frozen=True, slots=True)
class Found:
    """A page of judgments."""

    lines: list[Line]
    n_found: int
    n_all: int
    n_conflicts: int
    n_stale: int
    page: int
    n_pages: int
    authors: Mapping[str, int]
    sources: Mapping[str | None, int]
    grades: Mapping[float, int]


def find_judgments(archive: Archive, table: JudgmentTable, wanted: Filter) -> Found:
    """Return the matching judgments, newest first."""
    rows = table.find(_wanted(archive, wanted))
    page = numbered_page(len(rows), wanted.page, PAGE)
    shown = rows[page.rows].tolist()
    states = archive.judgments.of_revisions(table.revisions[shown].tolist())
    pairs = {row: table.pair(row) for row in shown}
    queries = archive.queries.some({query_id for query_id, _ in pairs.values()})
    titles = archive.documents.titles({doc_id for _, doc_id in pairs.values()})
    lines = []
    for row in shown:
        query_id, doc_id = pairs[row]
        state = states.get(int(table.revisions[row]))
        if state is None:
            continue
        lines.append(
            Line(
                judgment=state,
                query=queries[query_id].text if query_id in queries else query_id,
                title=titles.get(doc_id, ""),
                is_conflict=bool(table.conflicts[row]),
                grades=table.opinions.get(int(table.revisions[row]), {}),
            )
        )
    return Found(
        lines=lines,
        n_found=len(rows),
        n_all=len(table),
        n_conflicts=table.n_conflicts,
        n_stale=table.n_stale,
        page=page.number,
        n_pages=page.n_pages,
        authors=table.counts_of("authors"),
        sources=table.counts_of("sources"),
        grades=table.counts_of("grades"),
    )


def _wanted(archive: Archive, wanted: Filter) -> WantedJudgments:
    text = wanted.q.strip()
    return WantedJudgments(
        text=text or None,
        query_ids=archive.queries.find(text) if text else (),
        doc_ids=archive.documents.find(text) if text else (),
        author=wanted.author or None,
        source=wanted.source,
        grade=_number(wanted.grade),
        is_stale=True if wanted.show == "stale" else None,
        is_conflict=True if wanted.show == "conflicts" else None,
    )


def _number(text: str) -> float | None:
    try:
        return float(text) if text else None
    except ValueError:
        return None
