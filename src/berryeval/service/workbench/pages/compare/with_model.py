"""The comparison of two runs that is based on people and on an admitted judge."""

from __future__ import annotations

from dataclasses import dataclass

from berryeval.archive import Archive
from berryeval.errors import BerryEvalError
from berryeval.evaluation.comparing import compare
from berryeval.evaluation.comparison import Difference
from berryeval.measures import Measure
from berryeval.service.workbench.state.comparisons import Compared
from berryeval.suite.archived_judges import depth_of_model, model_judgments_in

__all__ = ["WithModel", "compare_with_model"]


@dataclass(frozen=True)
class WithModel:
    """What people and a model find together, or why the model does not count."""

    draw: str
    sentence: str
    difference: Difference | None
    """None if the model does not count."""


def compare_with_model(
    archive: Archive, compared: Compared, measure: Measure, draw: str
) -> WithModel:
    """Compare the runs of a comparison again, by people and the admitted judge."""
    whole = compared.comparison
    runs = {name: whole.runs[name] for name in compared.names}
    try:
        model = model_judgments_in(archive, runs, draw, k=depth_of_model([measure]))
        found = compare(
            whole.judgments, runs, [measure], queries=whole.queries.values(), model=model
        )
    except BerryEvalError as error:
        return WithModel(draw, str(error).removeprefix(f"{archive.name}: "), None)
    return WithModel(draw, found.sentence, found.differences[0])
