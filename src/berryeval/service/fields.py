"""Fields that several request bodies share, with their limits."""

from __future__ import annotations

from typing import Annotated

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    FailFast,
    Field,
    StringConstraints,
    WithJsonSchema,
)

from berryeval.core.grade import MAX_GRADE
from berryeval.evaluation.slices import SliceLabel
from berryeval.measures import Measure
from berryeval.service.answers import EXAMPLE_RUN
from berryeval.service.paths import MAX_ID, NAME
from berryeval.service.problems import Problem

__all__ = [
    "LONGEST_QUERY",
    "Body",
    "Grade",
    "Id",
    "Label",
    "Many",
    "MaxGrade",
    "MeasureNames",
    "RunReference",
    "Seed",
    "ShortText",
    "SliceLabels",
    "Weight",
    "check_hits",
    "check_measures",
]

MAX_MEASURES = 200
MAX_HITS = 5_000_000
"""Maximum number of hits per request, since its response is built in memory."""
LONGEST_QUERY = 10_000
"""Maximum length of a query's text, in characters."""


Many = FailFast()
"""For lists of many records: only the first invalid one is reported, as reporting all takes long.
"""


def _in_range(number: float) -> float:
    if abs(number) > MAX_GRADE:
        raise ValueError(f"a number of at most {MAX_GRADE:g}")
    return number


def _as_text(value: object) -> object:
    """Return the decimal text of an integer, as in files and in Python."""
    return str(value) if type(value) is int else value  # True is not an id


Id = Annotated[
    str,
    StringConstraints(min_length=1, max_length=MAX_ID),
    BeforeValidator(_as_text),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "string", "minLength": 1, "maxLength": MAX_ID},
                {"type": "integer"},
            ],
            "examples": ["q1"],
        },
        mode="validation",
    ),
    Field(examples=["q1"]),
]
"""Integers are read as text; responses have text only."""
ShortText = Annotated[str, StringConstraints(min_length=1, max_length=1000)]
Label = Annotated[str, StringConstraints(min_length=1, max_length=200)]
Grade = Annotated[
    float,
    AfterValidator(_in_range),
    Field(allow_inf_nan=False, examples=[2],
          description="Higher is better; relevant from 1. Below 0: unjudged."),
]  # fmt: skip
Weight = Annotated[float, Field(gt=0, allow_inf_nan=False)]
MeasureNames = Annotated[
    list[Annotated[str, StringConstraints(min_length=1, max_length=200)]],
    Field(
        min_length=1,
        max_length=MAX_MEASURES,
        description="Measures, by any name of the library.",
        examples=[["nDCG@10", "AP", "R@100"]],
    ),
]
RunReference = Annotated[
    str,
    StringConstraints(pattern=NAME),
    Field(description="The id of a run, or the name of a baseline.", examples=[EXAMPLE_RUN]),
]
Seed = Annotated[int, Field(ge=0, lt=2**63, description="Random seed for resampling.")]
MaxGrade = Annotated[
    Annotated[float, AfterValidator(_in_range), Field(gt=0, allow_inf_nan=False)] | None,
    Field(description="The highest grade of the scale. Default: the highest grade in use."),
]
SliceLabels = Annotated[
    list[SliceLabel],
    Field(max_length=3, description="Labels to slice by; each value is reported."),
]


class Body(BaseModel):
    """A request body: unknown keys are rejected, and nothing is converted."""

    model_config = ConfigDict(extra="forbid", strict=True)


def check_measures(measures: tuple[Measure, ...]) -> tuple[Measure, ...]:
    """Parse measures, unless there are too many; one name may mean several.

    Raises
    ------
    Problem
        422, if there are too many.
    """
    if len(measures) > MAX_MEASURES:
        raise Problem(
            422,
            f"measures: expected at most {MAX_MEASURES}, found {len(measures):,}",
            kind="input",
            where="measures",
            expected=f"at most {MAX_MEASURES}",
            found=str(len(measures)),
        )
    return measures


def check_hits(n_queries: int, k: int) -> None:
    """Raise if a request would make stores return too many hits for memory.

    Raises
    ------
    ValueError
        If it would; Pydantic adds the place.
    """
    if n_queries * k > MAX_HITS:
        raise ValueError(
            f"at most {MAX_HITS:,} hits in total, not {n_queries:,} queries with {k:,} hits each; "
            "send fewer queries or request fewer hits"
        )
