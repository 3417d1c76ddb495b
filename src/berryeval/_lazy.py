"""Lazy loading of the names of a package, since importing everything would slow down small jobs."""

from __future__ import annotations

TYPE_CHECKING = False  # importing `typing` takes longer than the rest of the package
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

__all__ = ["loader_of"]


def loader_of(
    package: str, homes: Mapping[str, str], modules: Collection[str] = ()
) -> Callable[[str], object]:
    """Return the ``__getattr__`` of a package.

    `homes` has the module of each name, `modules` the modules of the package that are names
    themselves.
    """

    def load(name: str) -> object:
        import importlib

        if name in modules:
            return importlib.import_module(f"{package}.{name}")
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(importlib.import_module(homes[name]), name)

    return load
