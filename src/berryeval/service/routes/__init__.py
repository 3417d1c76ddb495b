"""The routes, one module per resource; each has a ``router``."""

from berryeval.service.routes import (
    baselines,
    collections,
    comparisons,
    documents,
    evaluation,
    evaluations,
    gates,
    history,
    holes,
    imports,
    jobs,
    judges,
    judging,
    judgment_files,
    judgments,
    label_draws,
    project_answers,
    projects,
    proposals,
    queries,
    rank_eval,
    runs,
    stores,
    systems,
)

__all__ = ["ROUTERS"]

ROUTERS = (
    evaluations.router,  # first, as these are read most often
    queries.router,
    judgment_files.router,  # before the next, which takes JSON only
    judgments.router,
    judging.router,
    imports.router,
    projects.router,
    project_answers.router,
    judges.router,
    label_draws.router,
    proposals.router,
    documents.router,
    runs.router,
    comparisons.router,
    baselines.router,
    gates.router,
    holes.router,
    history.router,
    stores.router,
    systems.router,
    evaluation.router,
    rank_eval.router,
    jobs.router,
    collections.router,
)
"""All routes except those for operators."""
