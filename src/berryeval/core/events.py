"""Log records that carry their facts twice: in the message, and as attributes."""

from __future__ import annotations

import logging
from collections.abc import MutableMapping
from typing import TYPE_CHECKING, Any

__all__ = ["event_logger"]

if TYPE_CHECKING:
    _Adapter = logging.LoggerAdapter[logging.Logger]
else:  # it can be subscripted from Python 3.11 on
    _Adapter = logging.LoggerAdapter


class _EventLogger(_Adapter):
    """Writes ``extra`` into the message as well, so that any logging set-up shows it."""

    def process(
        self, msg: object, kwargs: MutableMapping[str, Any]
    ) -> tuple[str, MutableMapping[str, Any]]:
        facts = kwargs.get("extra") or {}
        words = (f"{name}={_shown(fact)}" for name, fact in facts.items())
        # Formatters that write structured lines need the event without its facts.
        return " ".join((str(msg), *words)), {**kwargs, "extra": {**facts, "event": str(msg)}}


def event_logger(name: str) -> logging.LoggerAdapter[logging.Logger]:
    """Return a logger whose messages end in the facts that they are given as ``extra``.

    The record has the facts as attributes, too, and the bare message as ``record.event``. A float
    has at least three digits after the point: round it to three where more would not be read.

    Examples
    --------
    >>> import logging, sys
    >>> logger = logging.getLogger("example")
    >>> logger.addHandler(logging.StreamHandler(sys.stdout))
    >>> event_logger("example").error("threshold not met", extra={"measure": "P@5", "value": 0.3})
    threshold not met measure=P@5 value=0.300
    """
    return _EventLogger(logging.getLogger(name))


def _shown(fact: object) -> str:
    """Return a fact as one word, so that it cannot be mistaken for another fact or line."""
    if isinstance(fact, float):
        text = f"{fact:.3f}"
        return text if float(text) == fact else repr(fact)
    text = str(fact)
    return text if text.isprintable() and " " not in text else repr(text)
