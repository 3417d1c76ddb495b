"""The choice of the twin, and its reason."""

import os
import subprocess
import sys

import pytest

from berryeval import backend as backend_module
from berryeval import metrics
from berryeval.backend import backend, n_threads
from berryeval.errors import ArgumentError, BackendWarning, InputError


@pytest.fixture(autouse=True)
def _choose_anew(monkeypatch):
    monkeypatch.delenv("BERRYEVAL_BACKEND", raising=False)
    backend.cache_clear()
    n_threads.cache_clear()
    yield
    backend.cache_clear()
    n_threads.cache_clear()


def run_python(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_backend_is_the_one_this_build_promises():
    """B7: CI declares what it built; otherwise a compiled build is expected."""
    assert os.environ.get("BERRYEVAL_EXPECTED_BACKEND", "native") == metrics.BACKEND


def test_the_python_twin_can_be_requested(monkeypatch):
    """B7: BERRYEVAL_BACKEND=python is a choice, not a fallback."""
    monkeypatch.setenv("BERRYEVAL_BACKEND", "python")
    assert backend().name == "python"
    assert not backend().is_fallback


def test_an_unknown_backend_is_an_error(monkeypatch):
    """A misspelt value is not ignored."""
    monkeypatch.setenv("BERRYEVAL_BACKEND", "cuda")
    with pytest.raises(ArgumentError, match="expected 'native' or 'python', got 'cuda'"):
        backend()


def test_a_missing_extension_is_a_fallback(monkeypatch):
    """B7: without the extension the Python twin is used, with a reason."""
    monkeypatch.setattr(backend_module, "find_spec", lambda _: None)
    chosen = backend()
    assert (chosen.name, chosen.is_fallback, chosen.simd) == ("python", True, None)
    assert "not built" in chosen.reason


def test_an_extension_that_does_not_load_is_a_fallback(monkeypatch):
    """B7: a broken build still computes."""

    def fail(_: str) -> None:
        raise ImportError("undefined symbol: frobnicate")

    monkeypatch.setattr(backend_module, "find_spec", lambda _: object())
    monkeypatch.setattr(backend_module, "import_module", fail)
    assert backend().is_fallback
    assert "undefined symbol: frobnicate" in backend().reason


def test_requiring_a_missing_native_twin_is_an_error(monkeypatch):
    """An explicit choice is never replaced by the other."""
    monkeypatch.setenv("BERRYEVAL_BACKEND", "native")
    monkeypatch.setattr(backend_module, "find_spec", lambda _: None)
    with pytest.raises(
        InputError, match="BERRYEVAL_BACKEND=native is not available: the native ext"
    ):
        backend()


def test_a_fallback_warns_once():
    """B7: there is one warning per process, for any number of calls."""
    code = """
import importlib.util, berryeval.backend, warnings
berryeval.backend.find_spec = lambda name: None
import berryeval.metrics, berryeval.metrics as again
import numpy as np
ids = np.zeros((1, 1), np.int32)
print(berryeval.metrics.BACKEND, berryeval.metrics.recall_at_k(ids, ids, 1))
"""
    done = run_python(code)
    assert done.stdout == "python [1.]\n"
    assert done.stderr.count("BackendWarning") == 1
    assert done.stderr.startswith("berryeval.metrics:1: BackendWarning: berryeval computes in")
    assert issubclass(BackendWarning, UserWarning)


def test_an_explicit_choice_of_python_does_not_warn():
    """The user already knows."""
    done = run_python("import berryeval.metrics as m; print(m.BACKEND)", BERRYEVAL_BACKEND="python")
    assert (done.stdout, done.stderr) == ("python\n", "")


def test_threads_follow_the_available_processors(monkeypatch):
    """The process affinity counts, or the machine if it is unknown."""
    monkeypatch.delenv("BERRYEVAL_THREADS", raising=False)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1, 5}, raising=False)
    assert n_threads() == 3
    n_threads.cache_clear()
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert n_threads() == 1


def test_threads_can_be_limited(monkeypatch):
    """BERRYEVAL_THREADS sets the number."""
    monkeypatch.setenv("BERRYEVAL_THREADS", "3")
    assert n_threads() == 3


@pytest.mark.parametrize("value", ["0", "-1", "two", "1.5", "²", "1025", "9" * 30])
def test_an_invalid_number_of_threads_is_an_error(monkeypatch, value):
    """The message has the variable and its value."""
    monkeypatch.setenv("BERRYEVAL_THREADS", value)
    with pytest.raises(ArgumentError, match=r"BERRYEVAL_THREADS: expected a whole number"):
        n_threads()
