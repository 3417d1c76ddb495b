"""Random cases for property tests: a ranking and its judgments, in the form of each door."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from berryeval.metrics import PADDING_ID


@dataclass(frozen=True)
class JudgedRanking:
    """Ids in rank order without repeats, and a grade for each judged id."""

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
    """Draw arrays of any shape: with repeats, padding in any place, k at its limits."""
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
