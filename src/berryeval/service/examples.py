"""Examples for the description."""

from __future__ import annotations

from typing import Any

from pydantic import ConfigDict

__all__ = ["EXAMPLE_RUN", "OTHER_RUN", "with_examples"]

EXAMPLE_RUN = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
OTHER_RUN = "60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752"


def with_examples(*examples: dict[str, Any]) -> ConfigDict:
    """Return the settings of a model that shows these examples."""
    return ConfigDict(json_schema_extra={"examples": [*examples]})
