"""Names of a package that are loaded when they are first used: starting is most of a small job."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping

__all__ = ["loader_of"]


def loader_of(package: str, homes: Mapping[str, str]) -> Callable[[str], object]:
    """Return the ``__getattr__`` of a package, given the module that each name comes from."""

    def load(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(importlib.import_module(homes[name]), name)

    return load
