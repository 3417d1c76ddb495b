"""The routes, one module a resource; each has a ``router``."""

from berryeval.service.routes import (
    baselines,
    comparisons,
    documents,
    evaluations,
    gates,
    history,
    holes,
    jobs,
    judgments,
    queries,
    runs,
)

__all__ = ["ROUTERS"]

ROUTERS = (
    queries.router,
    judgments.router,
    documents.router,
    runs.router,
    evaluations.router,
    comparisons.router,
    baselines.router,
    gates.router,
    holes.router,
    history.router,
    jobs.router,
)
"""All but those for operators, in the order of the description."""
