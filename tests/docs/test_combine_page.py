"""The tuning on the page about combining two systems, which takes seconds."""

from click.testing import CliRunner

from berryeval.cli import main
from page_blocks import ROOT, blocks_of

PAGE = ROOT / "docs" / "how-to" / "combine-two-systems.md"


def test_tuning_prints_the_output_on_the_page():
    """The output equals that on the page, except for the table, which dots replace."""
    [(command, expected)] = [
        found
        for block in blocks_of(PAGE)
        for found in block.commands
        if found[0].startswith("berryeval tune")
    ]
    result = CliRunner().invoke(main, command.split()[1:])
    assert result.exit_code == 0, result.output
    first, last = expected.split("...\n")
    assert result.stdout.startswith(first)
    assert result.stdout.endswith(last)
