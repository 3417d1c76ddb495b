"""Evaluate, compare and gate on Apache Spark, with bit-for-bit the same results as on one machine.

Spark moves the rows of each query to one task, and each task scores its queries with the engine
that scores files. Requires ``pip install 'berryeval[spark]'`` on the driver and on the executors.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from berryeval._lazy import loader_of

if TYPE_CHECKING:
    from berryeval.spark.comparing import compare
    from berryeval.spark.scoring import collect, evaluate

__all__ = ["collect", "compare", "evaluate"]

_NAMES = {"comparing": ("compare",), "scoring": ("collect", "evaluate")}
__getattr__ = loader_of(
    __name__, {name: f"{__name__}.{home}" for home, names in _NAMES.items() for name in names}
)
