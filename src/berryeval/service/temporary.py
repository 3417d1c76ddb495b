"""Temporary folders of the service, and those that a killed service left behind."""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["sweep", "temporary_folder"]

_PREFIX = "berryeval-service-"
_in_use: set[Path] = set()


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """Create a folder that exists within the block. Its name has the id of this process."""
    with tempfile.TemporaryDirectory(prefix=f"{_PREFIX}{os.getpid()}-") as name:
        folder = Path(name)
        _in_use.add(folder)
        try:
            yield folder
        finally:
            _in_use.discard(folder)


def sweep() -> None:
    """Remove the folders of processes that have ended."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*-*"):
        process = folder.name.removeprefix(_PREFIX).partition("-")[0]
        if folder not in _in_use and process.isdecimal() and not _is_running(int(process)):
            shutil.rmtree(folder, ignore_errors=True)


def _is_running(process: int) -> bool:
    """Whether a process may still use its folders: it is another one that runs, or may run."""
    if process == os.getpid():  # in a container, an earlier start may have had the same id
        return False
    if os.name == "nt":  # where os.kill would end it
        return True
    try:
        os.kill(process, 0)
    except OSError as error:
        return error.errno == errno.EPERM  # it belongs to another user
    except OverflowError:
        return False
    return True
