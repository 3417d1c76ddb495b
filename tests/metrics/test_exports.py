from typing import Final, get_type_hints

import numpy as np
import pytest

from berryeval import metrics
from berryeval.metrics import _validation


@pytest.mark.parametrize("name", ["recall_at_k", "precision_at_k", "mrr", "ndcg", "hit_rate"])
def test_metrics_are_exported(name):
    """B1: the five original array metrics."""
    assert callable(getattr(metrics, name))
    assert name in metrics.__all__


@pytest.mark.parametrize(
    "name",
    ["QueryDocArray", "RelevanceArray", "MetricResult", "validate_inputs", "validate_score_inputs"],
)
def test_validation_and_checks_are_exported(name):
    """B9: they are in the same module."""
    assert hasattr(metrics, name)
    assert name in metrics.__all__


def test_every_listed_name_exists_and_is_unique():
    """B1: all names in __all__ can be imported."""
    assert len(set(metrics.__all__)) == len(metrics.__all__)
    assert [name for name in metrics.__all__ if not hasattr(metrics, name)] == []


def test_everything_public_is_listed():
    """B1: no other public name can be imported."""
    # pytest rewrites the modules of an installed plugin, and adds names with an @.
    public = {name for name in vars(metrics) if not name.startswith(("_", "@"))}
    assert public == set(metrics.__all__)


def test_padding_is_minus_one():
    """B1, B2: it is the id of cells without a document."""
    assert metrics.PADDING_ID == -1


def test_padding_is_a_final_integer():
    """B2: `PADDING_ID: Final[int]` makes type checkers reject another value."""
    assert get_type_hints(_validation)["PADDING_ID"] == Final[int]


def test_backend_is_one_of_two():
    """B7: the active backend has a name."""
    assert metrics.BACKEND in ("native", "python")


def test_valid_inputs_pass_the_checks_silently():
    """B9: the checks return nothing, and callers can use them alone."""
    retrieved, relevant = np.zeros((2, 5), np.int32), np.zeros((2, 3), np.int32)
    assert metrics.validate_inputs(retrieved, relevant, 5) is None
    assert metrics.validate_score_inputs(relevant, np.zeros((2, 3))) is None
