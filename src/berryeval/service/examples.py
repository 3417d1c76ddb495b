"""Examples for the description."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel, ConfigDict

__all__ = ["EXAMPLE_RUN", "OTHER_RUN", "examples_of_models", "with_examples"]

EXAMPLE_RUN = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
OTHER_RUN = "60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752"


def with_examples(*examples: dict[str, Any]) -> ConfigDict:
    """Return the configuration of a model with these examples."""
    return ConfigDict(json_schema_extra={"examples": [*examples]})


def examples_of_models(base: type[BaseModel] = BaseModel) -> Iterator[tuple[str, list[Any]]]:
    """Iterate over the names of our models and their examples."""
    for model in base.__subclasses__():
        extra = model.model_config.get("json_schema_extra")
        if model.__module__.startswith("berryeval.") and isinstance(extra, dict):
            yield model.__name__, [*extra["examples"]]  # type: ignore[misc]  # as written above
        yield from examples_of_models(model)
