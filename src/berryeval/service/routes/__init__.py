"""The routes, one module per resource; each has a ``router``."""

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
    judgment_files,
    judgments,
    queries,
    rank_eval,
    runs,
    stores,
)

__all__ = ["ROUTERS"]

ROUTERS = (
    evaluations.router,  # first, as these are read most often
    queries.router,
    judgment_files.router,  # before the next, which takes JSON only
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
"""All routes except those for operators."""
