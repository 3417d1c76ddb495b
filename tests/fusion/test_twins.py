"""Native fusion is bit-for-bit identical to Python.

On a build without the extension both sides are the Python twin, and the tests still run.
"""

import math
import random
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from berryeval.core.run import Run
from berryeval.errors import InputError
from berryeval.fusion import METHODS, NORMS, _python, fuse_runs
from berryeval.fusion import fuse as fuse_module
from depth import examples
from fusion.fusion_cases import SCORES, settings, several_runs


def in_python(runs, **given):
    """Return what the Python twin computes, whatever the build."""
    with patch.object(fuse_module, "_fuse", _python.fuse):
        return outcome(runs, **given)


def outcome(runs, **given):
    """Return the bytes of a fused run, or the message of the error."""
    try:
        run = fuse_runs(runs, **given)
    except InputError as error:
        return str(error)
    return (
        [*run.query_ids.iter_bytes()],
        run.starts.tobytes(),
        run.doc_ids.data,
        run.doc_ids.offsets.tobytes(),
        run.values.tobytes(),
    )


@examples(800)
@given(data=st.data())
def test_both_twins_fuse_with_identical_bytes(data):
    """Any runs, method, normalisation, weights and depth give the same bytes, or the same error."""
    runs = data.draw(several_runs())
    given_settings = data.draw(settings(len(runs)))
    assert outcome(runs, **given_settings) == in_python(runs, **given_settings)


@examples(300)
@given(data=st.data())
def test_both_twins_reject_the_same_scores(data):
    """Infinite and enormous scores are an error of the same query and run, or fused alike."""
    extremes = st.sampled_from([math.inf, -math.inf, 1e308, -1e308]) | SCORES
    runs = data.draw(several_runs(extremes))
    given_settings = data.draw(settings(len(runs)))
    assert outcome(runs, **given_settings) == in_python(runs, **given_settings)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("norm", [None, *NORMS])
def test_both_twins_agree_on_long_rankings(method, norm):
    """Many queries are shared among threads, and rankings of 25 documents have many ties."""
    draw = random.Random(3)  # noqa: S311 - a test set
    runs = {
        name: Run.from_dict(
            {
                f"q{number}": {f"d{draw.randrange(40)}": draw.randrange(9) + 1.5 for _ in range(25)}
                for number in range(3)
            }
        )
        for name in ("one", "two", "three")
    }
    given_settings = {"method": method, "norm": norm}
    if METHODS[method].is_trained:
        judged = {f"q{number}": {f"d{n}": n % 3 for n in range(20)} for number in range(2)}
        given_settings["judgments"] = fuse_module.Judgments.from_dict(judged)
    assert outcome(runs, **given_settings) == in_python(runs, **given_settings)


@pytest.mark.parametrize("method", ["sum", "min", "med", "rrf", "mnz", "w_condorcet"])
@pytest.mark.parametrize("depth", [None, 5, 150])
def test_both_twins_order_many_documents_alike(method, depth):
    """Large rankings are sorted differently, with negative scores, both zeros and many ties."""
    draw = random.Random(11)  # noqa: S311 - a test set
    scores = [0.0, -0.0, -2.5, 1e-300, 7.0, -1e200, *(draw.uniform(-1, 1) for _ in range(60))]
    runs = {
        name: Run.from_dict(
            {"q": {f"d{n}": draw.choice(scores) for n in range(start, start + 300)}}
        )
        for name, start in (("one", 0), ("two", 150))
    }
    given_settings = {"method": method, "norm": None, "depth": depth}
    assert outcome(runs, **given_settings) == in_python(runs, **given_settings)


def test_both_twins_order_scores_that_differ_in_their_last_bits():
    """Such scores are the same to the digits that C++ sorts by first."""
    numbers = random.Random(5).sample(range(400), 400)  # noqa: S311 - a test set
    runs = {
        "one": Run.from_dict({"q": {f"d{n}": 0.5 + n * 2**-53 for n in numbers}}),
        "two": Run.from_dict({"q": {f"e{n}": -0.5 - n * 2**-53 for n in numbers}}),
    }
    fused = outcome(runs, method="sum", norm=None)
    assert fused == in_python(runs, method="sum", norm=None)
