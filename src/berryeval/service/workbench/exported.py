"""The data of tables for export: full numbers and ids beside the texts that a page shows."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from datetime import datetime, timezone
from numbers import Integral, Real
from typing import Any, TypeAlias

from markupsafe import Markup

from berryeval.evaluation.differences import Difference
from berryeval.service.answers import json_bytes
from berryeval.stats.interval import Interval

__all__ = ["difference_facts", "ends", "facts", "prefixed", "query_facts", "run_facts"]

Facts: TypeAlias = Mapping[str, Any]


def facts(*parts: Facts | Iterable[tuple[object, Any]]) -> Markup:
    """Return the attribute of an element that makes it a row of the exported table.

    Examples
    --------
    >>> print(facts({"query_id": "q1", "score": 0.25, "judge": None}))
     data-facts="{&#34;query_id&#34;:&#34;q1&#34;,&#34;score&#34;:0.25,&#34;judge&#34;:null}"
    """
    row = {str(name): _plain(value) for part in parts for name, value in dict(part).items()}
    return Markup(' data-facts="{}"').format(json_bytes(row).decode())


def _plain(value: Any) -> Any:  # noqa: ANN401 - any fact
    """Return a value as JSON has it: a number without a value is missing."""
    if value is None or isinstance(value, (str, bool)):
        return value
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, datetime):
        return value.astimezone(timezone.utc).isoformat()
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in value]
    return str(value)


def ends(interval: Interval | Mapping[str, Any] | None, prefix: str = "") -> Facts:
    """Return the ends of an interval as two columns."""
    if interval is None:
        low = high = None
    elif isinstance(interval, Mapping):
        low, high = interval.get("low"), interval.get("high")
    else:
        low, high = interval.low, interval.high
    return {f"{prefix}low": low, f"{prefix}high": high}


def prefixed(
    prefix: str,
    names: Iterable[object],
    values: Mapping[Any, Any],
    default: object = None,
) -> Facts:
    """Return a column per name, whose heading starts with a prefix.

    Examples
    --------
    >>> prefixed("grade_of_", ["ada", "bob"], {"ada": 2})
    {'grade_of_ada': 2, 'grade_of_bob': None}
    """
    return {
        f"{prefix}{name:g}" if isinstance(name, float) else f"{prefix}{name}": values.get(
            name, default
        )
        for name in names
    }


def difference_facts(found: Difference | None) -> Facts:
    """Return the columns of a difference; all are empty without one."""
    if found is None:
        names = ("difference", "low", "high", "p_value", "better", "equal", "worse")
        return dict.fromkeys(names)
    return {
        "difference": found.mean,
        **ends(found.interval),
        "p_value": found.p_value,
        "better": found.wins,
        "equal": found.ties,
        "worse": found.losses,
    }


def query_facts(query_id: str, query: Any) -> Facts:  # noqa: ANN401 - a query, or None
    """Return the columns of a query, which may not be stored."""
    return {
        "query_id": query_id,
        "text": query and query.text,
        "category": query and query.category,
        "difficulty": query and query.difficulty,
    }


def run_facts(run: Any) -> Facts:  # noqa: ANN401 - a stored run, with or without its rows
    """Return the columns of a run."""
    return {
        "run_id": run.run_id,
        "name": run.facts.name,
        "stored_at": run.stored_at,
        "queries": run.n_queries,
        "commit": run.facts.commit,
        "tags": run.facts.tags,
    }
