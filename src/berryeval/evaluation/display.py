"""How results show themselves in a notebook.

What they look like is the business of `berryeval.reports`, which is above this package; it is
found by name, and only when a notebook asks.
"""

from __future__ import annotations

import importlib
from typing import Any

__all__ = ["Displayed"]

_HOOK = "berryeval.reports.notebook"


class Displayed:
    """A result that a notebook shows as a table, and a comparison with its chart."""

    def _repr_html_(self) -> str:
        shown: str = importlib.import_module(_HOOK).to_html(self)
        return shown

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, Any]:
        """Return everything; a notebook takes what it can show."""
        del include, exclude
        bundle: dict[str, Any] = importlib.import_module(_HOOK).to_mimebundle(self)
        return bundle
