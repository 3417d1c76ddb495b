"""Unusual dicts: an error in one line, or the same result as any other input."""

import pytest

import berryeval as be
from berryeval.core.run import Run
from berryeval.errors import ArgumentError, InputTypeError


def test_a_number_too_large_for_a_float_is_an_error():
    """Python's integers are unlimited."""
    with pytest.raises(ArgumentError, match="a number that fits a float"):
        Run.from_dict({"q": {"a": 10**400}})


def test_an_array_is_not_a_score():
    """Neither is any other collection of numbers."""
    numpy = pytest.importorskip("numpy")
    with pytest.raises(InputTypeError, match="expected a number"):
        Run.from_dict({"q": {"a": numpy.array([1.0, 2.0])}})


def test_ids_with_the_same_bytes_are_rejected():
    """An id with lone surrogates may be encoded like another."""
    with pytest.raises(ArgumentError, match="each document once"):
        Run.from_dict({"q": {"\u00e9": 1.0, "\udcc3\udca9": 3.0}})


def test_ids_may_be_of_a_subclass_of_str():
    """A different comparison does not matter."""

    class Id(str):
        __slots__ = ()
        __hash__ = object.__hash__

        def __eq__(self, other):
            return self is other

    with pytest.raises(ArgumentError, match="each document once"):
        be.evaluate({"q": {"a": 1}}, {"q": {Id("a"): 2.0, Id("a"): 1.0}}, ["AP"])


def test_lists_and_mappings_cannot_be_mixed():
    """The first query decides which is expected."""
    with pytest.raises(InputTypeError, match=r"run\['q'\]"):
        be.evaluate({"q": {"a": 1}}, {"r": ["a"], "q": {"b": 1.0, "a": 2.0}}, ["AP"])


def test_a_lazy_frame_must_be_collected():
    """The error is raised before polars warns."""
    polars = pytest.importorskip("polars")
    frame = polars.LazyFrame({"query_id": ["q"], "doc_id": ["a"], "score": [1.0]})
    with pytest.raises(InputTypeError, match=r"try \.collect\(\)"):
        be.evaluate({"q": {"a": 1}}, frame, ["AP"])
