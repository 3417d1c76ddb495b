"""Fusion: several runs become one.

`fuse_runs` combines runs by one of the 25 `METHODS`, after one of the 7 `NORMS` has brought their
scores to one scale. `train` learns the parameters of a supervised method from each run. The methods
share these rules:

- A run ranks its documents by score, and ties break by document id, as everywhere.
- Queries are matched by id. A run that has no documents for a query takes no part in it.
- A document that a run lacks adds nothing, unless the method or the normalisation says otherwise.
- Sums run in the order of the runs.
- The fused ranking is ordered by the fused score, and ties break by document id.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from berryeval._lazy import loader_of

if TYPE_CHECKING:
    from berryeval.fusion.fuse import QuerySets, fuse_runs
    from berryeval.fusion.methods import METHODS, NORMS, Method, Norm, Parameter
    from berryeval.fusion.training import Training, train

__all__ = [
    "METHODS",
    "NORMS",
    "Method",
    "Norm",
    "Parameter",
    "QuerySets",
    "Training",
    "fuse_runs",
    "train",
]

_HOMES = {
    "METHODS": "methods",
    "NORMS": "methods",
    "Method": "methods",
    "Norm": "methods",
    "Parameter": "methods",
    "QuerySets": "fuse",
    "Training": "training",
    "fuse_runs": "fuse",
    "train": "training",
}

__getattr__ = loader_of(__name__, {name: f"{__name__}.{module}" for name, module in _HOMES.items()})
