"""What code of others raises, as errors of a system."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from berryeval.errors import BackendError, BackendTimeout, BerryEvalError

__all__ = ["failures_of"]


@contextmanager
def failures_of(system: str) -> Iterator[None]:
    """Turn what is raised inside into errors of a system; broken connections may heal.

    Errors of ours stay as they are, and so do those that end a program.
    """
    try:
        yield
    except BerryEvalError:
        raise
    except (TimeoutError, asyncio.TimeoutError) as error:
        raise BackendTimeout(system, _said(error)) from error
    except ConnectionError as error:
        raise BackendError(system, _said(error), transient=True) from error
    except Exception as error:
        raise BackendError(system, _said(error)) from error


def _said(error: BaseException) -> str:
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
