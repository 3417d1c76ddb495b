"""Addresses of the pages about two runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from berryeval.measures import Measure
from berryeval.service.paths import quoted

if TYPE_CHECKING:
    from berryeval.service.workbench.pages.compare.listing import ComparedQueries

__all__ = ["Pair"]


@dataclass(frozen=True)
class Pair:
    """Both runs as the address names them."""

    a: str
    b: str

    def address(self, measure: Measure | None = None, rest: str = "") -> str:
        """Return the address of their comparison."""
        return f"/compare?{self._runs(measure)}{'&' if rest else ''}{rest}"

    def with_(self, wanted: ComparedQueries, **changes: object) -> str:
        """Return the address with some parameters changed."""
        return self.address(rest=wanted.address(**changes))

    @property
    def swapped(self) -> str:
        """Return the address with baseline and candidate swapped."""
        return Pair(self.b, self.a).address()

    @property
    def judging(self) -> str:
        """Return the address where the holes of both are judged."""
        return f"/judge?{self._runs(None)}"

    def query(self, query_id: str, measure: Measure) -> str:
        """Return the address of the results of both for a query."""
        return f"/queries/{quoted(query_id)}?{self._runs(measure)}"

    def holes(self, measure: Measure) -> str:
        """Return the address of the effect of unjudged documents."""
        return f"/compare/holes?{self._runs(measure)}"

    def _runs(self, measure: Measure | None) -> str:
        given = {"a": self.a, "b": self.b}
        if measure is not None:
            given["measure"] = str(measure)
        return urlencode(given, errors="surrogateescape")
