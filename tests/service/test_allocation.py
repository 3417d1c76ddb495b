"""Freed memory returns to the system."""

import ctypes
import subprocess
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


_PAGES = """
import weakref
from berryeval.service.allocation import collect_garbage_often

class Context:  # refers to itself, as that of a rendered page
    def __init__(self):
        self.itself = self

collect_garbage_often()
left = []
for _ in range(5_000):
    left.append(weakref.ref(Context()))
print(sum(one() is not None for one in left))
"""


def test_what_pages_leave_behind_is_collected_soon():
    """The command line collects garbage seldom; a service would keep what its pages showed."""
    program = "import gc; gc.set_threshold(50_000)\n" + _PAGES
    found = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert int(found.stdout) <= 2_500
