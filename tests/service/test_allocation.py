"""Freed memory returns to the system."""

import ctypes
import sys

import pytest

from berryeval.service import allocation


@pytest.mark.skipif(sys.platform != "linux", reason="the allocator is glibc's")
def test_free_memory_returns(monkeypatch):
    """The allocator is asked to return it, if it supports that."""
    allocation.configure_allocation()
    allocation.return_free_memory()
    called = []
    library = type("Library", (), {"malloc_trim": called.append})
    monkeypatch.setattr(ctypes, "CDLL", lambda _name: library)
    allocation.return_free_memory()
    allocation.configure_allocation()  # musl has no `mallopt`
    assert called == [0]
