"""The source of page templates."""

import re
from importlib import resources

import pytest

from berryeval.service import workbench

LONGEST = 120
TEMPLATES = sorted(
    entry.name for entry in (resources.files(workbench) / "templates").iterdir() if entry.is_file()
)


@pytest.mark.parametrize("name", TEMPLATES)
def test_no_line_of_a_template_is_longer_than_a_screen(name):
    """A line has at most 120 characters, which keeps changes easy to review."""
    text = (resources.files(workbench) / "templates" / name).read_text("utf-8")
    long_lines = [
        n
        for n, line in enumerate(text.splitlines(), start=1)
        # The formatter joins the attributes of a row, of which the facts for exports are one.
        if len(line) > LONGEST and not re.search(r"\bfacts\(", line)
    ]
    assert long_lines == []
