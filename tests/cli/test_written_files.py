"""What a command says about the file that it wrote."""

import io
import sys

import pytest

from berryeval.cli._output import write_output


@pytest.mark.parametrize(("is_terminal", "said"), [(True, "Wrote {}.\n"), (False, "")])
def test_a_file_is_reported_on_a_terminal(tmp_path, monkeypatch, is_terminal, said):
    """Scripts get no additional lines."""
    screen = io.StringIO()
    screen.isatty = lambda: is_terminal
    monkeypatch.setattr(sys, "stderr", screen)
    path = str(tmp_path / "a.html")
    write_output("page", path)
    assert screen.getvalue() == said.format(path)
