"""Dicts with something odd in them: an error in one line, or the same as any other road."""

import pytest

import berryeval as be
from berryeval.core.run import Run
from berryeval.errors import ArgumentError, InputTypeError


def test_a_number_too_large_for_a_float_is_an_error():
    """Python's whole numbers have no end."""
    with pytest.raises(ArgumentError, match="a number that fits a float"):
        Run.from_dict({"q": {"a": 10**400}})


def test_an_array_is_no_score():
    """Nor is any other thing of several numbers."""
    numpy = pytest.importorskip("numpy")
    with pytest.raises(InputTypeError, match="expected a number"):
        Run.from_dict({"q": {"a": numpy.array([1.0, 2.0])}})


def test_ids_of_the_same_bytes_are_refused():
    """An id that was read as no UTF-8 may be written like another."""
    with pytest.raises(ArgumentError, match="each document once"):
        Run.from_dict({"q": {"\u00e9": 1.0, "\udcc3\udca9": 3.0}})


def test_ids_may_be_of_a_class_of_their_own():
    """What compares in another way is still the text that it is."""

    class Id(str):
        __slots__ = ()
        __hash__ = object.__hash__

        def __eq__(self, other):
            return self is other

    with pytest.raises(ArgumentError, match="each document once"):
        be.evaluate({"q": {"a": 1}}, {"q": {Id("a"): 2.0, Id("a"): 1.0}}, ["AP"])


def test_lists_and_mappings_are_not_mixed():
    """The first query tells which it is."""
    with pytest.raises(InputTypeError, match=r"run\['q'\]"):
        be.evaluate({"q": {"a": 1}}, {"r": ["a"], "q": {"b": 1.0, "a": 2.0}}, ["AP"])


def test_a_lazy_frame_has_to_be_collected():
    """It says so before polars warns."""
    polars = pytest.importorskip("polars")
    frame = polars.LazyFrame({"query_id": ["q"], "doc_id": ["a"], "score": [1.0]})
    with pytest.raises(InputTypeError, match=r"try \.collect\(\)"):
        be.evaluate({"q": {"a": 1}}, frame, ["AP"])
