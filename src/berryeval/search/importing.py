"""Imports Python objects by name: ``module:name``."""

from __future__ import annotations

import importlib
import sys
from typing import Any

from berryeval.core.inputs import note_input
from berryeval.errors import ArgumentError

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
        if file := getattr(found, "__file__", None):
            note_input(file)
        for part in name.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError) as error:
        raise ArgumentError("function", "'module:function'", f"{place!r} ({error})") from error
    return found
