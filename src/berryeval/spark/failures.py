"""Errors of Spark, as one line that says what is wrong and what to do."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from berryeval import errors
from berryeval.errors import BerryEvalError, InputError, MissingExtraError

__all__ = ["SparkError", "import_spark", "translated"]

# The last line of a traceback: the class with its module, a colon, and the message.
_OURS = re.compile(r"^(?:\w+: )?berryeval\.errors\.(\w+): (.+)$", re.MULTILINE)
_LONGEST = 300


class SparkError(BerryEvalError):
    """Spark failed: an executor is out of memory, the cluster unreachable, a package missing."""


def import_spark() -> None:
    """Raise `MissingExtraError` if Spark is not installed."""
    try:
        import pyspark.sql  # noqa: F401
    except ImportError:
        raise MissingExtraError("Spark", "spark") from None


@contextmanager
def translated() -> Iterator[None]:
    """Raise our own errors, which Spark carries as text, and one line in place of any other."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        yield
    except (PySparkException, Py4JError) as error:
        raise _translate(str(error)) from error


def _translate(text: str) -> BerryEvalError:
    ours = _OURS.search(text)
    if ours is not None:
        kind = getattr(errors, ours.group(1), InputError)
        is_input = isinstance(kind, type) and issubclass(kind, (InputError, errors.InputTypeError))
        message = ours.group(2).strip()
        return InputError(message) if is_input else SparkError(message)
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    cause = next((line for line in reversed(lines) if line.startswith("Caused by:")), None)
    missing = next((line for line in lines if "ModuleNotFoundError" in line), None)
    if missing is not None:
        way_out = "install berryeval and pyarrow on every executor"
        return SparkError(f"Spark: {missing.partition('ModuleNotFoundError: ')[2]}; {way_out}")
    shown = (cause or (lines[0] if lines else "failed without a message"))[:_LONGEST]
    return SparkError(f"Spark: {shown}")
