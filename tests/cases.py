"""Random cases for property tests: a ranking and its judgments, in the form of each API."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from berryeval.core.lengths import SizedGrade
from berryeval.kernels.relevance import NOT_IN_POOL, UNJUDGED
from berryeval.measures import Measure
from berryeval.metrics import PADDING_ID


@dataclass(frozen=True)
class JudgedRanking:
    """Ids in rank order without repeats, and a grade per judged id."""

    retrieved: list[int]
    grades: dict[int, int]

    @property
    def relevant(self) -> set[int]:
        return {doc_id for doc_id, grade in self.grades.items() if grade >= 1}


@st.composite
def judged_rankings(draw, *, min_size: int = 0, max_grade: int = 4, min_grade: int = 0):
    """Draw a ranking of up to 30 documents out of 40, and grades for any of them."""
    documents = st.integers(0, 39)
    return JudgedRanking(
        draw(st.lists(documents, unique=True, min_size=min_size, max_size=30)),
        draw(st.dictionaries(documents, st.integers(min_grade, max_grade), max_size=30)),
    )


PARAMETERS = {
    "rel": st.sampled_from([0.0, 1.0, 1.5, 2.0]),
    "alpha": st.sampled_from([0.25, 0.5, 1.0]) | st.floats(0.01, 1.0),
    "beta": st.sampled_from([0.0, 0.5, 1.0, 3.0]) | st.floats(0.0, 100.0),
    "x": st.sampled_from([0.0, 0.25, 1.0]) | st.floats(0.0, 100.0),
    "recall": st.floats(0.0, 1.0),
    "times": st.floats(0.01, 10.0),
    "p": st.floats(0.01, 0.99),
    "max_grade": st.floats(0.5, 10.0),
    "optional max_grade": st.none() | st.floats(0.5, 10.0),
    "gain": st.sampled_from(["linear", "exp2"])
    | st.dictionaries(st.integers(0, 5).map(float), st.floats(0.0, 20.0), min_size=1),
    "worth": st.tuples(*[st.floats(-10.0, 10.0)] * 4),
    "n_documents": st.integers(0, 10**6),
    "rounding": st.sampled_from(["up", "nearest"]),
    "T": st.sampled_from([0.1, 0.5, 1.0, 2.0]) | st.floats(0.01, 50.0),
    "min_grade": st.sampled_from([0.0, 0.0, 0.25]),
    "normalise": st.booleans(),
    "halflife": st.sampled_from([224.0, 10.0]) | st.floats(0.1, 1e4),
    "scan": st.floats(0.0, 10.0),
    "page": st.floats(0.0, 10.0),
    "pace": st.floats(0.0, 1.0),
    "click": st.floats(0.0, 1.0),
    "stray": st.floats(0.0, 1.0),
    "save": st.floats(0.0, 1.0),
    "L": st.sampled_from([132_000.0, 500.0]) | st.floats(1.0, 1e6),
    "snippet": st.floats(0.0, 300.0),
    "read": st.floats(0.0, 1.0),
    "optional percentile": st.none() | st.sampled_from([50.0, 95.0, 99.9]) | st.floats(0.5, 100.0),
    "judged_only": st.sampled_from([False, False, True]),
}


@st.composite
def parameters_of(
    draw,
    measure: type[Measure],
    *,
    k: st.SearchStrategy | None = None,
    parameters: dict[str, st.SearchStrategy] = PARAMETERS,
):
    """Draw a measure of this kind with any parameters."""
    drawn = {
        field.name: draw(parameters["optional " * (field.default is None) + field.name])
        for field in fields(measure)
        if field.name != "k"
    }
    if "min_grade" in drawn and drawn["min_grade"] >= drawn["max_grade"]:
        drawn["min_grade"] = 0.0
    if measure.name in ("NRBP", "nNRBP"):  # beta is a probability there
        drawn["beta"] = draw(parameters["p"])
    if measure.at == "k":
        drawn["k"] = draw(st.none() | cutoffs() if k is None else k)
    return measure(**drawn)


def kernel_input(case: JudgedRanking) -> tuple[list[float], list[float]]:
    """Return grades in rank order, and the grades of all judged documents."""
    found = [float(case.grades.get(doc_id, NOT_IN_POOL)) for doc_id in case.retrieved]
    in_pool = [doc_id in case.grades for doc_id in case.retrieved]
    grades = [UNJUDGED if g < 0 and pool else g for g, pool in zip(found, in_pool, strict=True)]
    return grades, sorted(map(float, case.grades.values()), reverse=True)


LENGTHS = (120.0, 0.0, 31.5, 4000.0, 7.0)


def sized(grades: list[float]) -> list[float]:
    """Return grades with lengths, for measures that look at them; other measures see grades."""
    return [SizedGrade(grade, LENGTHS[i % len(LENGTHS)]) for i, grade in enumerate(grades)]


def score_ranking(measure: Measure, ranking: list[bytes], grades: dict[bytes, float]) -> float:
    """Score one query like the engine."""
    seen = [grades.get(doc_id, NOT_IN_POOL) for doc_id in ranking]
    usable = [UNJUDGED if g < 0 and d in grades else g for g, d in zip(seen, ranking, strict=True)]
    return measure.score(usable, sorted((g for g in grades.values() if g >= 0), reverse=True))


def cutoffs(most: int = 35) -> st.SearchStrategy[int]:
    return st.integers(1, most)


@dataclass(frozen=True)
class ArrayCase:
    """Arguments of the array metrics."""

    retrieved: np.ndarray
    relevant: np.ndarray
    grades: np.ndarray | None
    ks: tuple[int, ...]
    denominator: str


@st.composite
def array_cases(draw, *, max_columns: int = 80):
    """Draw arrays of any shape, with repeats, padding anywhere, and k at its limits."""
    n_rows = draw(st.integers(0, 4))
    n_retrieved = draw(st.integers(1, max_columns))
    n_relevant = draw(st.integers(0, max_columns))
    few = draw(st.booleans())
    ids = st.one_of(
        st.just(PADDING_ID),
        st.integers(-3, 9 if few else 60),
        st.sampled_from([-(2**31), 2**31 - 1, 0]),
    )
    shape = (n_rows, n_relevant)
    return ArrayCase(
        retrieved=draw(hnp.arrays(np.int32, (n_rows, n_retrieved), elements=ids)),
        relevant=draw(hnp.arrays(np.int32, shape, elements=ids)),
        grades=draw(st.none() | hnp.arrays(np.float64, shape, elements=_grades())),
        ks=tuple(sorted(draw(st.sets(st.integers(1, n_retrieved), min_size=1, max_size=4)))),
        denominator=draw(st.sampled_from(["returned", "k"])),
    )


def _grades() -> st.SearchStrategy[float]:
    return st.one_of(
        st.integers(-2, 5).map(float),
        st.floats(0, 1e6, allow_subnormal=True),
        st.sampled_from([5e-324, 1e290, -1e290, -0.0]),
    )
