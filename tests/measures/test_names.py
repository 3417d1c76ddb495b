"""Measures as objects: ``be.nDCG @ 10``, ``be.AP(rel=2)``, ``be.P(rel=2) @ 5``."""

import pytest

import berryeval as be
from berryeval.errors import ArgumentError, InputTypeError
from berryeval.measures import NDCG, all_measures, define_measure, names, parse_measure


def test_every_measure_has_its_name_in_the_package():
    """No measure is forgotten, and no name stands for another one."""
    assert {name: getattr(names, name) for name in names.__all__} == {
        measure.name: measure for measure in all_measures()
    }
    assert all(getattr(be, name) is getattr(names, name) for name in names.__all__)


@pytest.mark.parametrize("measure", all_measures(), ids=lambda measure: measure.name)
def test_a_cutoff_is_set_as_in_the_name(measure):
    """This works on classes and instances; measures of the whole ranking take none."""
    cutoff = {"k": 5, "recall": 0.5, "times": 0.5, "percentile": 95}.get(measure.at)
    if cutoff is None:
        for one in (measure, measure()):
            with pytest.raises(ArgumentError, match=f"since {measure.name} covers the whole"):
                one @ 5
    else:
        named = parse_measure(f"{measure.name}@{measure.at_prefix}{cutoff}")
        assert measure @ cutoff == measure() @ cutoff == named


def test_parameters_are_kept():
    """The cutoff comes after the brackets, as in the name, and can be replaced."""
    measure = be.nDCG(gain="exp2", rel=2) @ 10
    assert measure == NDCG(k=10, gain="exp2", rel=2)
    assert str(be.P(rel=2) @ 5) == "P(rel=2)@5"
    assert measure @ 20 == NDCG(k=20, gain="exp2", rel=2)


@pytest.mark.parametrize(("cutoff", "error"), [(0, ArgumentError), (1.5, InputTypeError)])
def test_an_invalid_cutoff_is_an_error(cutoff, error):
    """The checks are those of the parameter."""
    with pytest.raises(error, match="k: expected an integer, at least 1"):
        be.nDCG @ cutoff


def test_measures_and_their_classes_can_be_evaluated():
    """A class stands for the measure without parameters."""
    judgments, run = {"q": {"a": 1}}, {"q": ["b", "a"]}
    result = be.evaluate(judgments, run, [be.AP, be.nDCG @ 1, be.RR(rel=2)])
    assert result.to_dict() == {"AP": 0.5, "nDCG@1": 0.0, "RR(rel=2)": 0.0}
    assert list(be.evaluate(judgments, run, be.RR)) == ["RR"]
    with pytest.raises(InputTypeError, match="measures: expected names or measures, got type"):
        be.evaluate(judgments, run, int)


def test_custom_measures_take_cutoffs_the_same_way():
    """Their classes are made when they are defined."""
    first = define_measure("FirstOfNames", lambda grades, _judged: len(grades) / 10)
    assert (first @ 3).score([0.0] * 5, []) == 0.3
