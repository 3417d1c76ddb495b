"""Imports Python objects by name: ``module:name``."""

from __future__ import annotations

import importlib
import os
import sys
import traceback
from typing import Any

from berryeval.core.inputs import note_input
from berryeval.errors import ArgumentError
from berryeval.search.failures import describe_exception

__all__ = ["import_object"]


def import_object(place: str) -> object:
    """Return the object named by ``"module:name"``.

    Raises
    ------
    ArgumentError
        If it cannot be imported, with the reason.
    """
    module_name, colon, name = place.partition(":")
    if not (module_name and colon and name):
        raise ArgumentError("function", "'module:function'", repr(place))
    if "" not in sys.path:
        sys.path.insert(0, "")
    try:
        found: Any = importlib.import_module(module_name)
    except Exception as error:  # a module can raise anything
        got = f"{describe_exception(error)}{_line_of(error)}{_way_out(error, module_name)}"
        raise ArgumentError(place, "a module that can be imported", got) from error
    if file := getattr(found, "__file__", None):
        note_input(file)
    try:
        for part in name.split("."):
            found = getattr(found, part)
    except AttributeError as error:
        raise ArgumentError(place, f"{name} in {module_name}", f"none ({error})") from error
    return found


def _way_out(error: Exception, module_name: str) -> str:
    """Return how to import a module that is part of a package, if that was the problem."""
    if "attempted relative import" not in str(error):
        return ""
    package = os.path.basename(os.getcwd())  # noqa: PTH109, PTH119 - pathlib is slow to import
    return f"; it is part of a package: from the folder above, name {package}.{module_name}"


def _line_of(error: Exception) -> str:
    """Return the line of the imported code that failed; nothing if none of its lines ran."""
    machinery = (__file__, importlib.__file__)
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if frame.filename not in machinery and not frame.filename.startswith("<frozen ")
    ]
    if not frames:
        return ""
    return f" ({os.path.basename(frames[-1].filename)}, line {frames[-1].lineno})"  # noqa: PTH119
