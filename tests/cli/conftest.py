"""Fixtures shared by tests of commands."""

import pytest

from judges.chat_server import served_model  # noqa: F401 - the fixture chat_server
from trec_eval_command import QRELS, RUN, write


@pytest.fixture
def data(tmp_path, monkeypatch):
    """Change to a folder with qrels and a run."""
    monkeypatch.chdir(tmp_path)
    write("qrels", QRELS)
    write("run", RUN)
