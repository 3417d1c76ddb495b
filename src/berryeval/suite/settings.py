"""``berryeval.toml``: what a project evaluates, and what its gate guards.

The file, or the table ``[tool.berryeval]`` of ``pyproject.toml``, is looked for in the working
directory and those above it. Paths in it are relative to it. A key that nobody knows is an
error: a misspelt guard would guard nothing.
"""

from __future__ import annotations

import difflib
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from berryeval.errors import ArgumentError, BerryEvalError, FormatError
from berryeval.evaluation.guards import Guard, LatencyGuard, Margin, MarginGuard, ThresholdGuard
from berryeval.evaluation.slices import LABELS
from berryeval.measures import Measure, parse_measure

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

__all__ = ["GateSettings", "Settings", "find_settings", "read_settings"]

FILE_NAME = "berryeval.toml"


@dataclass(frozen=True)
class GateSettings:
    """The table ``[gate]``."""

    guards: tuple[Guard, ...] = ()
    alpha: float = 0.05
    seed: int = 0
    resamples: int = 10_000
    inconclusive: int = 3
    """The exit code of an inconclusive gate."""
    inference: str = "population"
    holes: str | None = None
    smallest_slice: int = 20
    allow_other_corpus: bool = False


@dataclass(frozen=True)
class Settings:
    """All of the file; paths are as a program can open them."""

    judgments: str | None = None
    queries: str | None = None
    run: str | None = None
    baseline: str | None = None
    timings: str | None = None
    history: str | None = None
    corpus: str | None = None
    judges: str | None = None
    max_grade: float | None = None
    pool_depth: int | None = None
    gate: GateSettings = field(default_factory=GateSettings)


_PATHS = ("judgments", "queries", "run", "baseline", "timings", "history")
_TOP: dict[str, tuple[type, ...]] = {
    **dict.fromkeys((*_PATHS, "corpus", "judges"), (str,)),
    "max_grade": (int, float),
    "pool_depth": (int,),
    "gate": (dict,),
}
_GATE: dict[str, tuple[type, ...]] = {
    "alpha": (float,),
    "seed": (int,),
    "resamples": (int,),
    "inconclusive": (int,),
    "inference": (str,),
    "holes": (str,),
    "smallest_slice": (int,),
    "allow_other_corpus": (bool,),
    "guard": (list,),
}
_GUARD: dict[str, tuple[type, ...]] = {
    "measure": (str,),
    "at_least": (int, float),
    "confident": (bool,),
    "margin": (int, float, str),
    "slices": (list,),
    "latency": (str,),
    "at_most_ms": (int, float),
}
_CHOICES = {
    "judges": ("max", "mean", "majority"),
    "inference": ("population", "set"),
    "holes": ("report", "inconclusive"),
    "inconclusive": (0, 1, 3),
}


def find_settings(start: Path | None = None) -> Settings:
    """Read the nearest file from `start`, or the working directory, upwards; else defaults."""
    folder = (start or Path.cwd()).resolve()
    for place in (folder, *folder.parents):
        if (place / FILE_NAME).is_file():
            return read_settings(place / FILE_NAME)
        project = place / "pyproject.toml"
        if project.is_file() and "berryeval" in _load(project).get("tool", {}):
            return read_settings(project)
    return Settings()


def read_settings(path: str | os.PathLike[str]) -> Settings:
    """Read one file.

    Raises
    ------
    FormatError
        For a key that nobody knows, with the nearest that somebody does, and for a value that
        cannot be.
    """
    file = Path(path)
    content = _load(file)
    if file.name == "pyproject.toml":
        content = content.get("tool", {}).get("berryeval", {})
    try:
        return _settings(content, file.parent)
    except FormatError:
        raise
    except BerryEvalError as error:
        raise FormatError(str(error), str(path)) from None


def _load(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise FormatError(f"cannot be read: {error.strerror}", str(path)) from None
    except ValueError as error:  # not UTF-8, or not TOML
        raise FormatError(f"expected TOML: {error}", str(path)) from None


def _settings(content: Mapping[str, Any], folder: Path) -> Settings:
    _check(content, _TOP, "")
    named = {key: value for key, value in content.items() if key != "gate"}
    for key in _PATHS:
        if key in named:
            named[key] = _beside(named[key], folder)
    return Settings(**named, gate=_gate(content.get("gate", {})))


def _beside(path: str, folder: Path) -> str:
    if path == "-" or folder == Path():
        return path
    beside = folder / path
    try:
        return str(beside.relative_to(Path.cwd()))  # short, for messages
    except ValueError:
        return str(beside)


def _gate(table: Mapping[str, Any]) -> GateSettings:
    _check(table, _GATE, "gate.")
    alpha = table.get("alpha", GateSettings.alpha)
    if not 0 < alpha < 0.5:  # noqa: PLR2004
        raise ArgumentError("gate.alpha", "a number between 0 and 0.5", repr(alpha))
    if table.get("resamples", 1) < 1:
        raise ArgumentError("gate.resamples", "at least 1", repr(table["resamples"]))
    plain = {key: value for key, value in table.items() if key != "guard"}
    guards = [
        guard
        for number, entry in enumerate(table.get("guard", ()), start=1)
        for guard in _guards(entry, f"gate.guard {number}")
    ]
    return replace(GateSettings(**plain), guards=tuple(guards))


def _guards(entry: object, where: str) -> list[Guard]:
    if not isinstance(entry, dict):
        raise ArgumentError(where, "a table", repr(entry))
    _check(entry, _GUARD, f"{where}: ")
    if "latency" in entry:
        return [_latency_guard(entry, where)]
    if "measure" not in entry:
        raise ArgumentError(where, "a measure or a latency", "neither")
    measure = _measure(entry["measure"], where)
    slices = _labels(entry.get("slices", []), where)
    found: list[Guard] = []
    if "at_least" in entry:
        found.append(
            ThresholdGuard(measure, entry["at_least"], entry.get("confident", False), slices)
        )
    if "margin" in entry:
        found.append(MarginGuard(measure, Margin.parse(entry["margin"]), slices))
    if not found:
        raise ArgumentError(f"{where} ({measure})", "at_least or margin", "neither")
    return found


def _latency_guard(entry: Mapping[str, Any], where: str) -> LatencyGuard:
    percentile = entry["latency"].removeprefix("p")
    is_number = percentile.replace(".", "", 1).isdigit()
    if not entry["latency"].startswith("p") or not is_number or not 0 < float(percentile) <= 100:  # noqa: PLR2004
        raise ArgumentError(f"{where}: latency", "a percentile such as 'p95'", entry["latency"])
    if "at_most_ms" not in entry or len(entry) > 2:  # noqa: PLR2004
        raise ArgumentError(where, "latency and at_most_ms", ", ".join(entry))
    return LatencyGuard(float(percentile), entry["at_most_ms"])


def _measure(text: str, where: str) -> Measure:
    try:
        return parse_measure(text)
    except BerryEvalError as error:
        raise ArgumentError(where, "a measure", f"{text!r} ({error})") from None


def _labels(labels: list[Any], where: str) -> tuple[str, ...]:
    for label in labels:
        if label not in LABELS:
            expected = " or ".join(map(repr, LABELS))
            raise ArgumentError(f"{where}: slices", expected, repr(label))
    return tuple(labels)


def _check(table: Mapping[str, Any], known: Mapping[str, tuple[type, ...]], where: str) -> None:
    for key, value in table.items():
        if key not in known:
            near = difflib.get_close_matches(key, known, n=1)
            hint = f"{near[0]!r}" if near else " or ".join(map(repr, known))
            raise ArgumentError(f"{where}{key}", f"a key that is known, such as {hint}", "this")
        is_bool = isinstance(value, bool) and bool not in known[key]
        if not isinstance(value, known[key]) or is_bool:
            kinds = " or ".join(_KINDS[kind] for kind in known[key])
            raise ArgumentError(f"{where}{key}", kinds, repr(value))
        if key in _CHOICES and value not in _CHOICES[key]:
            raise ArgumentError(f"{where}{key}", " or ".join(map(repr, _CHOICES[key])), repr(value))


_KINDS = {
    str: "text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    list: "a list",
    dict: "a table",
}
