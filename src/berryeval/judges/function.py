"""Python functions as judges."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from berryeval.core.documents import Document
from berryeval.core.query import Query
from berryeval.errors import InputTypeError
from berryeval.judges.metering import Meter
from berryeval.judges.protocol import Answer, Given, Scale, hash_of
from berryeval.search.asynchronous import resolve
from berryeval.search.failures import failures_of

__all__ = ["FunctionJudge"]


class FunctionJudge:
    """A function, or any object with ``judge``, as a judge; both may be asynchronous.

    Parameters
    ----------
    function : callable
        Called with query, intent, document, guideline and scale, see `berryeval.judges.Judge`.
    name : str
        The name under which grades are stored.
    fingerprint : mapping, optional
        What its grades depend on. Default: the source text of the function, if there is any.
        What it calls is not included; give the object a ``fingerprint`` for that.
    meter : Meter, optional
        Budget and rate.
    """

    def __init__(
        self,
        function: Callable[..., Given | Awaitable[Given]],
        name: str,
        *,
        fingerprint: Mapping[str, str] | None = None,
        meter: Meter | None = None,
    ) -> None:
        if not callable(function):
            raise InputTypeError("judge", "a function", type(function).__name__)
        self.name = name
        self.meter = meter or Meter()
        self._function = function
        self._fingerprint = fingerprint

    def fingerprint(self) -> Mapping[str, str]:
        """Return its name, and a hash of its source text."""
        if self._fingerprint is not None:
            return {"judge": self.name, **self._fingerprint}
        try:
            source: str | None = inspect.getsource(self._function)
        except (OSError, TypeError):
            source = None
        return {"judge": self.name, "source": hash_of(source)}

    def judge(
        self, query: Query, intent: str | None, document: Document, guideline: str, scale: Scale
    ) -> Answer | Any:  # noqa: ANN401 - checked where opinions are collected
        """Call the function, and await its result if necessary."""
        self.meter.begin()
        with failures_of(self.name):
            return resolve(self._function(query, intent, document, guideline, scale))
