"""What several tests of commands start from."""

import pytest

from trec_eval_command import QRELS, RUN, write


@pytest.fixture
def data(tmp_path, monkeypatch):
    """A folder with qrels and a run, as the working directory."""
    monkeypatch.chdir(tmp_path)
    write("qrels", QRELS)
    write("run", RUN)
