"""The table of formats on the page about converting is complete and correct."""

import re
from pathlib import Path

import pytest

from berryeval.formats.registry import FORMATS, capabilities_of

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "convert-between-tools.md"
ROWS = {
    row[1]: [cell.strip() for cell in row[2].split("|")]
    for row in re.finditer(r"^\| `([\w-]+)` \|(.*)\|$", PAGE.read_text("utf-8"), re.MULTILINE)
}
WORDS = {
    "judges": "judges",
    "sources": "sources",
    "times": "times",
    "notes": "notes",
    "scale": "scale",
    "negative": "negative grades",
    "fractions": "grades with a fraction",
}


def test_every_format_has_a_row():
    """Conversely, every row describes an existing format."""
    assert ROWS.keys() == {*FORMATS}


@pytest.mark.parametrize("name", FORMATS)
def test_a_row_says_what_is_read_and_written(name):
    """The order is that of the code: the first kind is the default."""
    holds = capabilities_of(name)
    _, reads, writes, _ = ROWS[name]
    assert reads == ", ".join(holds.reads)
    assert writes == ", ".join(holds.writes)


@pytest.mark.parametrize("name", [name for name in FORMATS if name != "rre-gains"])
def test_a_row_says_what_judgments_lose(name):
    """The page lists everything that the code reports as left out."""
    holds = capabilities_of(name)
    cell = ROWS[name][-1]
    if "judgments" in holds.writes:
        for capability, word in WORDS.items():
            is_lost = not getattr(holds, capability) or (name, capability) == (
                "quepid-csv",
                "negative",
            )
            assert (word in cell) == is_lost, (name, word)
    if "run" in holds.writes:
        assert ("tag" in cell) == (not holds.tags)
