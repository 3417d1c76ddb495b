"""Options of the plugin: flags, variables, pytest's own settings, and ``berryeval.toml``."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from berryeval.suite.settings import Settings

__all__ = ["load_settings", "pytest_addoption", "report_path", "retrieval_depth"]

_PATHS = ("judgments", "queries", "run", "baseline", "timings", "baseline_timings", "lengths")

_FILES = {
    "config": "Settings file. Default: the nearest berryeval.toml above pytest's root.",
    "judgments": "Judgments of the queries.",
    "queries": "Texts and labels of the queries.",
    "run": "Candidate run, if there is no berryeval_run fixture.",
    "baseline": "Baseline to compare with: a file written by `berryeval baseline save`, or a run.",
}
_REPORT = "Write a report of the results, such as berryeval.html."
_DEPTH = "Documents per query to request from a system. Default: 100."
_DEFAULT_DEPTH = 100

_SETTINGS = pytest.StashKey["Settings"]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the flags, and settings of the same names."""
    group = parser.getgroup("berryeval", "search quality")
    for name, text in _FILES.items():
        group.addoption(f"--berryeval-{name}", metavar="FILE", help=text)
        parser.addini(f"berryeval_{name}", help=text)
    group.addoption("--berryeval-report", metavar="FILE", help=_REPORT)
    parser.addini("berryeval_report", help=_REPORT)
    group.addoption("--berryeval-depth", metavar="N", type=int, help=_DEPTH)
    parser.addini("berryeval_depth", help=_DEPTH)


def load_settings(config: pytest.Config) -> Settings:
    """Return the settings of this session; they are read once.

    Paths are absolute, since tests may change the working directory.
    """
    if _SETTINGS not in config.stash:
        from dataclasses import replace

        from berryeval.suite.settings import find_settings, read_settings

        place = _named(config, "config")
        found = find_settings(config.rootpath) if place is None else read_settings(place)
        paths: dict[str, Any] = {}
        for name in _PATHS:
            stored = getattr(found, name)
            typed = _named(config, name) if name in _FILES else None
            paths[name] = typed or (stored and str(Path(stored).absolute()))
            again = {"run": "repeats", "baseline": "baseline_repeats"}.get(name)
            if again is not None:  # stored repeats are not those of a file given as a flag
                files = () if typed else getattr(found, again)
                paths[again] = tuple(str(Path(file).absolute()) for file in files)
        rules = found.gate.with_environment(os.environ).resolved()
        config.stash[_SETTINGS] = replace(found, gate=rules, **paths)
    return config.stash[_SETTINGS]


def report_path(config: pytest.Config) -> str | None:
    """Return the path of the report, if one is requested."""
    return _named(config, "report")


def retrieval_depth(config: pytest.Config) -> int:
    """Return how many documents to request from a system."""
    flag: int | None = config.getoption("--berryeval-depth")
    if flag is not None:
        return flag
    text: str = config.getini("berryeval_depth")
    try:
        return int(text) if text else _DEFAULT_DEPTH
    except ValueError:
        from berryeval.errors import ArgumentError

        raise ArgumentError("berryeval_depth", "a whole number", repr(text)) from None


def _named(config: pytest.Config, name: str) -> str | None:
    """Return a path by its flag, its variable, or pytest's settings, in this order."""
    flag: str | None = config.getoption(f"--berryeval-{name}")
    variable = os.environ.get(f"BERRYEVAL_{name.upper()}") if name in _FILES else None
    typed = flag or variable
    if typed:
        return str(config.invocation_params.dir / typed)
    stored: str = config.getini(f"berryeval_{name}")
    home = config.rootpath if config.inipath is None else config.inipath.parent
    return str(home / stored) if stored else None
