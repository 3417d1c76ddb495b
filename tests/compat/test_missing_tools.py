"""Interfaces of tools that are not installed."""

import sys

import pytest

from berryeval.compat import ir_measures


def test_without_ir_measures_the_error_says_how_to_install_it(monkeypatch):
    """The module itself can be imported without it."""
    monkeypatch.setitem(sys.modules, "ir_measures", None)
    with pytest.raises(ir_measures.MissingToolError, match="pip install ir-measures") as caught:
        ir_measures.register()
    assert isinstance(caught.value, ImportError)
