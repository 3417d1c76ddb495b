"""Judgments and runs with everything that could change numbers, and comparisons of results."""

from __future__ import annotations

import random

import pyarrow as pa

MEASURES = [
    "nDCG@10", "AP", "RR", "P@5", "R@100", "Bpref", "RBP(p=0.7)", "nDCG(gain=exp2)@5", "GMAP",
    "ERR@10", "Rprec", "Judged@5", "P(rel=2)@3", "NumRelRet",
]  # fmt: skip


def table(rows, number, id_type=None):
    """Return rows of query, document and number as an Arrow table."""
    id_type = id_type or pa.string()
    columns = [*zip(*rows, strict=True)]
    types = (id_type, id_type, pa.float64())
    arrays = [pa.array(column, kind) for column, kind in zip(columns, types, strict=True)]
    return pa.table(arrays, names=["query_id", "doc_id", number])


def tricky(seed, n_queries=150):
    """Return judgments and a run: ties, fractions, negative grades, infinities, odd ids.

    Some queries are missing from the run, some are not judged, some have nothing relevant.
    """
    draw = random.Random(seed)  # noqa: S311 - no secret
    names = ["é", "a b", "Q", "q"]
    documents = [f"d{i}" for i in range(40)] + ["ü", "D1", "doc with spaces"]
    judgments, run = [], []
    for i in range(n_queries):
        query = f"{draw.choice(names)}{i}"
        kind = draw.random()
        if kind < 0.9:
            grades = [0.0] if kind < 0.1 else [-1.0, 0.0, 0.5, 1.0, 2.0, 3.0, 1 / 3]
            judgments += [
                (query, one, draw.choice(grades))
                for one in draw.sample(documents, draw.randint(1, 15))
            ]
        if not 0.1 < kind < 0.2:
            scores = [1.0, 1.0, 2.0, draw.random(), float("inf"), float("-inf"), -0.0, 1e-300]
            run += [
                (query, one, draw.choice(scores))
                for one in draw.sample(documents, draw.randint(1, 30))
            ]
    draw.shuffle(judgments)
    draw.shuffle(run)
    return judgments, run


def assert_same(found, expected):
    """Require that two evaluations have the same bits and the same counts."""
    assert found.counts == expected.counts
    assert found.scores.query_ids == expected.scores.query_ids
    assert [*found.scores.is_missing] == [*expected.scores.is_missing]
    assert [*found.scores.lacks_relevant] == [*expected.scores.lacks_relevant]
    assert found.scores.ignored_ids == expected.scores.ignored_ids
    for name, values in expected.scores.values.items():
        assert found.scores.values[name].tobytes() == values.tobytes(), name
    means = [[result.mean.hex() for result in one.values()] for one in (found, expected)]
    assert means[0] == means[1]


def figures(comparison):
    """Return every number of a comparison that affects a decision."""
    return [
        (
            d.system,
            str(d.measure),
            d.slice,
            d.mean,
            d.interval,
            d.p_value,
            d.reason,
            d.wins,
            d.losses,
        )
        for d in (*comparison.differences, *comparison.common, *comparison.sliced)
    ]
