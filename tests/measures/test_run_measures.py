"""Measures without a value per query are listed, found and kept apart."""

from __future__ import annotations

import importlib

import click
import pytest

import berryeval
from berryeval import stats
from berryeval.cli import main
from berryeval.errors import MeasureSyntaxError
from berryeval.measures import all_measures, parse_measure
from berryeval.measures.run_measures import RUN_MEASURES, find_run_measure

pytestmark = pytest.mark.unit


def test_every_function_of_whole_runs_is_listed():
    """A function that is added to one of these modules needs its entry."""
    listed = {measure.function.rpartition(".")[2] for measure in RUN_MEASURES}
    whole_runs = importlib.import_module("berryeval.evaluation.whole_runs")
    risk = importlib.import_module("berryeval.stats.risk")
    functions = {*whole_runs.__all__, *risk.__all__} - {"Features", "weigh_losses"}
    assert functions <= listed


@pytest.mark.parametrize("measure", RUN_MEASURES, ids=lambda it: it.name)
def test_functions_and_commands_exist(measure):
    """The parameters are those of the public function."""
    module, _, name = measure.function.rpartition(".")
    assert name in {"berryeval": dir(berryeval), "berryeval.stats": stats.__all__}[module]
    assert measure.parameters()
    if measure.command is not None:
        _, command, *options = measure.command.split()
        known = main.get_command(click.Context(main), command)
        named = [option for option in options if option.startswith("-")]
        assert all(any(option in it.opts for it in known.params) for option in named)


def test_names_are_unambiguous():
    """No name or alias is that of a measure with a value per query."""
    for_queries = {name.lower() for it in all_measures() for name in (it.name, *it.aliases)}
    of_runs = [name.lower() for it in RUN_MEASURES for name in (it.name, *it.aliases)]
    assert len(set(of_runs)) == len(of_runs)
    assert not for_queries & set(of_runs)


def test_a_measure_of_runs_is_refused_with_where_to_find_it():
    """Nothing else is suggested."""
    with pytest.raises(MeasureSyntaxError, match=r"one of a whole run, for berryeval\.novelty"):
        parse_measure("novelty@10")
    with pytest.raises(MeasureSyntaxError, match="one of sessions, for berryeval sessions"):
        parse_measure("nsDCG")


def test_unknown_names_are_not_found():
    """Misspelt names get the suggestion of measures."""
    assert find_run_measure("NOVELTY") is find_run_measure("novelty")
    assert find_run_measure("noveltie") is None
