"""Folders of Parquet files, as Spark and other engines write one table.

Files are read in the order of their names, in subfolders too; names that begin with a dot or an
underscore (``_SUCCESS``) are not part of the table. What is written here has whole queries in each
file, so that an engine can read a file without the others.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress

from berryeval.core.arrow_table import import_pyarrow
from berryeval.core.files import write_whole
from berryeval.core.inputs import refuse_input
from berryeval.core.run import Run
from berryeval.errors import ArgumentError, FormatError
from berryeval.formats._arrow_files import table_of
from berryeval.formats.lines import Kept, PathLike

__all__ = ["MAX_PARTITIONS", "files_in", "is_parquet_folder", "write_run_folder"]

MAX_PARTITIONS = 10_000
_ENDINGS = (".parquet", ".parq", ".pq")


def is_parquet_folder(path: PathLike) -> bool:
    """Whether a path leads to a folder with Parquet files."""
    is_folder = not isinstance(path, Kept) and os.path.isdir(path)  # noqa: PTH112 - pathlib is slow
    return is_folder and next(_iter_files(os.fspath(path)), None) is not None


def files_in(folder: PathLike) -> list[str]:
    """Return the Parquet files of a folder, in the order of their paths."""
    return sorted(_iter_files(os.fspath(folder)))


def _iter_files(folder: str) -> Iterator[str]:
    for place, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith((".", "_"))]
        for name in names:
            if name.lower().endswith(_ENDINGS) and not name.startswith((".", "_")):
                yield os.path.join(place, name)  # noqa: PTH118


def write_run_folder(run: Run, path: PathLike, n_files: int) -> None:
    """Write a run as a folder of Parquet files, all or none of them.

    Each query is in one file, and files have about the same number of rows. There are fewer files
    if there are fewer queries. A folder of Parquet files that is there already is replaced.

    Raises
    ------
    ArgumentError
        If the number of files is not from 1 to 10,000.
    FormatError
        If the folder cannot be written, or the path leads to something else.
    """
    if not 1 <= n_files <= MAX_PARTITIONS:
        expected = f"a whole number from 1 to {MAX_PARTITIONS:,}"
        raise ArgumentError("partitions", expected, repr(n_files))
    pyarrow = import_pyarrow("Writing Parquet")
    from pyarrow import parquet

    name = os.path.realpath(path)
    refuse_input(name)
    _check_replaceable(name, os.fspath(path))
    table = table_of(run)
    partial = f"{name}.{os.urandom(4).hex()}.partial"
    try:
        os.mkdir(partial)  # noqa: PTH102
        for number, (first, last) in enumerate(_parts(run, n_files)):
            output = pyarrow.BufferOutputStream()
            parquet.write_table(table.slice(first, last - first), output, compression="zstd")
            file = os.path.join(partial, f"part-{number:05}.parquet")  # noqa: PTH118
            write_whole(file, [output.getvalue()])
        _replace(partial, name)
    except OSError as error:
        raise FormatError(f"cannot be written: {error.strerror}", os.fspath(path)) from error
    finally:
        _remove(partial)


def _parts(run: Run, n_files: int) -> Iterator[tuple[int, int]]:
    """Iterate over the first row of each file, and that of the next."""
    first = 0
    for number in range(n_files):
        goal = run.n_rows * (number + 1) // n_files
        last = next((start for start in run.starts if start >= goal), run.n_rows)
        if last > first:
            yield first, last
            first = last
    if run.n_rows == 0:
        yield 0, 0


def _check_replaceable(name: str, given: str) -> None:
    """Reject replacing anything but a folder of Parquet files, or an empty one."""
    if not os.path.lexists(name):
        return
    if not os.path.isdir(name):  # noqa: PTH112
        raise FormatError("is a file; name a folder that does not exist yet", given)
    parts = {os.path.join(name, entry) for entry in os.listdir(name)}  # noqa: PTH118, PTH208
    known = {*files_in(name), os.path.join(name, "_SUCCESS")}  # noqa: PTH118
    if not parts <= known:
        other = os.path.basename(min(parts - known))  # noqa: PTH119
        message = f"has other files than Parquet ({other}); name a folder that does not exist yet"
        raise FormatError(message, given)


def _replace(partial: str, name: str) -> None:
    before = f"{name}.{os.urandom(4).hex()}.before"
    is_there = os.path.lexists(name)
    if is_there:
        os.rename(name, before)  # noqa: PTH104
    try:
        os.rename(partial, name)  # noqa: PTH104
    except OSError:
        if is_there:
            with suppress(OSError):
                os.rename(before, name)  # noqa: PTH104
        raise
    _remove(before)


def _remove(folder: str) -> None:
    import shutil  # slow to import, and not needed for reading

    shutil.rmtree(folder, ignore_errors=True)
