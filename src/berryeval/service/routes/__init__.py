"""The routes, one module a resource; each has a ``router``."""

from berryeval.service.routes import (
    baselines,
    comparisons,
    documents,
    evaluation,
    evaluations,
    gates,
    history,
    holes,
    jobs,
    judging,
    judgments,
    queries,
    rank_eval,
    runs,
    stores,
)

__all__ = ["ROUTERS"]

ROUTERS = (
    evaluations.router,  # the first is found quickest, and these are read most
    queries.router,
    judgments.router,
    judging.router,
    documents.router,
    runs.router,
    comparisons.router,
    baselines.router,
    gates.router,
    holes.router,
    history.router,
    stores.router,
    evaluation.router,
    rank_eval.router,
    jobs.router,
)
"""All but those for operators."""
