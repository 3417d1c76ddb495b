"""How many examples a property test tries: few by default, many with ``make test-deep``."""

from __future__ import annotations

import os
from typing import Any

from hypothesis import settings

__all__ = ["IS_DEEP", "examples"]

IS_DEEP = bool(os.environ.get("BERRYEVAL_DEEP_TESTS"))
"""Whether this is a deep run, as every night and after changes to arithmetic."""

_FEWEST = 5


def examples(n_deep: int, **others: Any) -> settings:
    """Return settings with this many examples in deep runs, and a twentieth otherwise."""
    return settings(max_examples=n_deep if IS_DEEP else max(_FEWEST, n_deep // 20), **others)
