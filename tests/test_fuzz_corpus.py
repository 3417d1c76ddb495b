"""Bugs found by fuzzing stay fixed."""

import importlib.util
from pathlib import Path

import pytest

FUZZ = Path(__file__).parent.parent / "fuzz"
CORPUS = sorted((FUZZ / "corpus" / "readers").iterdir())


@pytest.fixture(scope="module")
def readers():
    spec = importlib.util.spec_from_file_location("readers", FUZZ / "readers.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.name)
def test_every_input_has_a_result(readers, path):
    """It is a value, or one of our errors."""
    readers.try_input(path.read_bytes())
