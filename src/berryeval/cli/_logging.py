"""The log of a command, on standard error."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from datetime import datetime, timezone
from typing import Any, TypeVar

import click

__all__ = ["logging_options"]

Command = TypeVar("Command", bound=Callable[..., Any])

_OFF = "off"
_PLAIN = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}


class _TextFormatter(logging.Formatter):
    """``12:00:00 info gate starts queries=50``, and the traceback of an exception below."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - logging's name
        moment = self.formatTime(record, "%H:%M:%S")
        return f"{moment} {record.levelname.lower()} {record.message}"


class _JsonFormatter(logging.Formatter):
    """One JSON object per line: time, level, event, and the facts of the event."""

    def format(self, record: logging.LogRecord) -> str:
        facts = {key: value for key, value in vars(record).items() if key not in _PLAIN}
        line = {
            "time": datetime.fromtimestamp(record.created, timezone.utc).isoformat(),
            "level": record.levelname.lower(),
            "event": record.getMessage(),  # replaced if the facts have an event
            **facts,
        }
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return json.dumps(line)


def logging_options(*, level: str = "off", format: str = "text") -> Callable[[Command], Command]:
    """Give a command ``--log-level`` and ``--log-format``, with these defaults.

    A command that shows its result on the console does not log by default.
    """
    level_option = click.option(
        "--log-level",
        type=click.Choice(["debug", "info", "warning", "error", _OFF]),
        default=level,
        show_default=True,
        expose_value=False,
        callback=_set_level,
        help="Log verbosity on standard error.",
    )
    format_option = click.option(
        "--log-format",
        type=click.Choice(["text", "json"]),
        default=format,
        show_default=True,
        expose_value=False,
        is_eager=True,
        callback=_set_format,
        help="Log as lines of text, or as one JSON object per line.",
    )
    return lambda command: level_option(format_option(command))


def _set_format(_context: click.Context, _option: click.Parameter, value: str) -> None:
    logger = logging.getLogger("berryeval")
    for handler in [*logger.handlers]:
        logger.removeHandler(handler)
    handler = logging.StreamHandler()
    handler.setFormatter(_JsonFormatter() if value == "json" else _TextFormatter())
    logger.addHandler(handler)
    logger.propagate = False


def _set_level(_context: click.Context, _option: click.Parameter, value: str) -> None:
    level = logging.CRITICAL + 1 if value == _OFF else value.upper()
    logging.getLogger("berryeval").setLevel(level)
