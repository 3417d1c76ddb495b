"""The parameters in the address of the page Try: a query, systems, and changed settings."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from berryeval.archive import Archive
from berryeval.core.query import Query
from berryeval.errors import ArgumentError
from berryeval.measures import Measure
from berryeval.search.tuning import Tunable, read_changes
from berryeval.service.dependencies import Caller, check_role
from berryeval.service.fields import LONGEST_QUERY
from berryeval.service.paths import address, quoted
from berryeval.service.stores.store import Store
from berryeval.service.stores.stores import DEFAULT, Stores
from berryeval.service.workbench.choosing import choose_measure, read_number

__all__ = ["MAX_HITS", "NONE", "Letter", "TrySide", "TryView", "read_view"]

Letter: TypeAlias = Literal["a", "b"]
"""Baseline and candidate, as on other pages."""

MAX_HITS = 200
NONE = "-"
"""Stands for no second system; no store has this name."""
_HITS = 20


@dataclass(frozen=True)
class TrySide:
    """A system, and the settings to search it with."""

    letter: Letter
    store: Store
    tunables: tuple[Tunable, ...]
    changes: Mapping[str, str]
    """Settings that differ from those of the system."""
    given: Mapping[str, str] = field(default_factory=dict)
    """The values in the form, by setting."""
    problem: str | None = None
    """Why a value is invalid."""

    @property
    def title(self) -> str:
        """Its name on the page."""
        return "Baseline" if self.letter == "a" else "Candidate"

    @property
    def label(self) -> str:
        """Its name in comparisons, which differs from that of the other side."""
        return f"{self.title}: {self.store.name}"

    @property
    def run_name(self) -> str:
        """A name for its run; runs of the same name form a series."""
        return f"{self.store.name}-tuned" if self.changes else self.store.name

    def value_of(self, one: Tunable) -> str:
        """Return the text in the field of a setting."""
        return self.given.get(one.name) or one.value or ""

    @property
    def words(self) -> str:
        """The changed settings."""
        return ", ".join(f"{name} {value}" for name, value in self.changes.items())


@dataclass(frozen=True)
class TryView:
    """A query, one or two sides, and the measure that is explained."""

    query: Query
    is_stored: bool
    """Whether the query is in the golden set."""
    sides: tuple[TrySide, ...]
    k: int
    measure: Measure

    @property
    def query_id(self) -> str:
        """The id of the query; for a new one, the id that it would get."""
        return self.query.query_id

    @property
    def is_judgeable(self) -> bool:
        """Whether documents can be judged: judgments of an unknown query would be lost."""
        return self.is_stored

    def parameters(self) -> dict[str, str]:
        """Return the parameters of its address."""
        found = {"id": self.query_id} if self.is_stored else {"q": self.query.text}
        for side in self.sides:
            found[side.letter] = side.store.name
            found |= {f"{side.letter}.{name}": text for name, text in side.changes.items()}
        if len(self.sides) == 1:
            found["b"] = NONE
        return found | {"k": str(self.k), "measure": str(self.measure)}

    def address(self, **changes: str) -> str:
        """Return the address of the page with some parameters changed."""
        return address("/try", **self.parameters() | changes)

    def part(self, name: str) -> str:
        """Return the address of a part of the page."""
        return address(f"/try/{name}", **self.parameters())

    def document(self, doc_id: str) -> str:
        """Return the address of a document, whose text may be known only to a store."""
        path = f"/queries/{quoted(self.query_id)}/documents/{quoted(doc_id)}"
        return address(path, store=self.sides[0].store.name)

    def judgment(self, doc_id: str) -> str:
        """Return the address of the judgment of a document."""
        return f"/v1/judgments/{quoted(self.query_id)}/{quoted(doc_id)}"


def read_view(
    given: Mapping[str, str],
    caller: Caller,
    archive: Archive,
    stores: Stores,
    measures: Sequence[Measure],
) -> TryView:
    """Read an address. By default, both sides are the same store: one that can be searched.

    Raises
    ------
    NotFoundError
        If there is no such system.
    ArgumentError
        For an unknown measure, or a query that is too long.
    Problem
        403 for changed settings without the role judge.
    """
    query, is_stored = _query(given, archive)
    first = given.get("a") or _first(stores.searchable())
    names = {"a": first, "b": given.get("b") or first}
    sides = tuple(
        _side(letter, stores.find(name), given)  # type: ignore[arg-type] # one of both
        for letter, name in names.items()
        if name != NONE
    )
    if any(side.changes or side.problem for side in sides):
        check_role(caller, "judge")
    k = min(max(1, read_number(given.get("k", ""), _HITS)), MAX_HITS)
    return TryView(query, is_stored, sides, k, choose_measure(measures, given.get("measure", "")))


def _first(names: Sequence[str]) -> str:
    return DEFAULT if DEFAULT in names or not names else names[0]


def _side(letter: Letter, store: Store, given: Mapping[str, str]) -> TrySide:
    tunables = store.tunables()
    known = {one.name for one in tunables}
    prefix = f"{letter}."
    # Fields of another system, which was chosen before, are left over in a form.
    values = {
        name.removeprefix(prefix): text
        for name, text in given.items()
        if name.startswith(prefix) and name.removeprefix(prefix) in known
    }
    try:
        return TrySide(letter, store, tunables, read_changes(tunables, values), values)
    except ArgumentError as error:
        return TrySide(letter, store, tunables, {}, values, str(error))


def _query(given: Mapping[str, str], archive: Archive) -> tuple[Query, bool]:
    """Return the query of the golden set with this id or text; a new one if there is none."""
    text = " ".join(given.get("q", "").split())
    if len(text) > LONGEST_QUERY:
        raise ArgumentError("q", f"at most {LONGEST_QUERY:,} characters", f"{len(text):,}")
    known = archive.queries.get(given["id"]) if given.get("id") else None
    if known is not None and text in ("", " ".join(known.text.split())):
        return known, True
    for query in archive.queries.all().values() if text else ():
        if " ".join(query.text.split()) == text:
            return query, True
    digest = hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()
    return Query(f"try-{digest[:12]}", text), False
