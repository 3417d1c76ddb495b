"""Files for tests of formats."""

import pytest


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Use a temporary working directory."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def write(tmp_path):
    """Write bytes to a file and return its path."""

    def call(content: bytes, name: str = "file"):
        path = tmp_path / name
        path.write_bytes(content)
        return path

    return call
