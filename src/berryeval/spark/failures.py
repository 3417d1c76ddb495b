"""Errors of Spark, in one line that states what is wrong and how to fix it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from berryeval import errors
from berryeval.errors import BerryEvalError, InputError, MissingExtraError, SparkError

__all__ = ["import_spark", "translated"]

# The last line of a traceback: the class with its module, a colon, and the message.
_OURS = re.compile(r"\bberryeval\.errors\.(\w+): ([^\n]+)")
_NO_MODULE = re.compile(r"No module named '([\w.]+)'")
_NO_MEMORY = ("OutOfMemoryError", "ExecutorLostFailure", "Python worker exited unexpectedly")
_LONGEST = 300


def import_spark() -> None:
    """Raise `MissingExtraError` if Spark is not installed."""
    try:
        import pyspark.sql  # noqa: F401
    except ImportError:
        raise MissingExtraError("Spark", "spark") from None


@contextmanager
def translated() -> Iterator[None]:
    """Raise our own errors, which Spark passes on as text, and replace any other with one line."""
    from pyspark.errors import PySparkException

    try:
        yield
    except Exception as error:
        # Those of py4j, which Spark Connect does not use, are not PySparkExceptions.
        if not isinstance(error, PySparkException) and type(error).__module__ != "py4j.protocol":
            raise
        raise _translate(str(error)) from error


def _translate(text: str) -> BerryEvalError:
    ours = _OURS.search(text)
    if ours is not None:
        kind = getattr(errors, ours.group(1), InputError)
        is_input = issubclass(kind, (InputError, errors.InputTypeError))
        message = ours.group(2).strip()
        return InputError(message) if is_input else SparkError(message)
    module = _NO_MODULE.search(text)
    if module is not None:
        way_out = "install berryeval[spark] on every executor, in the version of the driver"
        return SparkError(f"Spark: an executor has no module {module.group(1)!r}; {way_out}")
    lines = [line.strip() for line in text.splitlines() if line.strip()] or ["no message"]
    causes = [line for line in lines if line.startswith("Caused by: ")]
    shown = (causes[-1].removeprefix("Caused by: ") if causes else lines[0])[:_LONGEST]
    if any(sign in text for sign in _NO_MEMORY):
        way_out = "raise spark.executor.memoryOverhead, or the number of partitions"
        return SparkError(f"Spark: an executor was lost, perhaps out of memory; {way_out}")
    return SparkError(f"Spark: {shown}")
