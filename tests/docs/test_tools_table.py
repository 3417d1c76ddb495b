"""The table of measures in other tools."""

import pytest
from tools_table import NOTES, TOOLS, WHERE

from berryeval.measures import all_measures, parse_measures

CELLS = [
    (measure, cell.name)
    for measure, where in WHERE.items()
    for tool, cell in where.items()
    if tool not in ("cwl-eval", "sample_eval.pl")  # whose names are not read
]


def test_every_measure_has_a_row():
    """A new measure must state which other tools have it, even if none does."""
    assert set(WHERE) == {measure.name for measure in all_measures()}


def test_every_note_is_explained_and_used():
    """Cells refer to notes and tools that exist."""
    used = {cell.note for where in WHERE.values() for cell in where.values() if cell.note}
    assert used == set(NOTES)
    assert {tool for where in WHERE.values() for tool in where} <= set(TOOLS)


@pytest.mark.parametrize(("measure", "name"), CELLS)
def test_the_name_in_another_tool_is_read_as_the_measure(measure, name):
    """Names can be used here as they are."""
    assert {found.name for found in parse_measures(name)} == {measure}
