"""``berryeval.toml``: what a project evaluates, and what its gate guards.

The file, or the table ``[tool.berryeval]`` of ``pyproject.toml``, is looked for in the working
directory and those above it. Paths in it are relative to it. A key that nobody knows is an
error: a misspelt guard would guard nothing.
"""

from __future__ import annotations

import difflib
import math
import os
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from berryeval.core.inputs import note_input
from berryeval.errors import ArgumentError, BerryEvalError, FormatError, InputError
from berryeval.evaluation.evaluate import MeasureLike
from berryeval.evaluation.guards import Guard, LatencyGuard, Margin, MarginGuard, ThresholdGuard
from berryeval.evaluation.slices import LABELS
from berryeval.measures import parse_measure
from berryeval.stats import check_resamples

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

__all__ = [
    "GateSettings",
    "Settings",
    "find_settings",
    "gate_settings",
    "read_settings",
    "setting_text",
]

FILE_NAME = "berryeval.toml"
_PROJECT = "pyproject.toml"


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
    max_failed: int = 0
    """Queries that a system may fail to answer."""
    allow_other_corpus: bool = False
    repeat: int = 1
    """How often a system is asked everything, to know its own noise."""
    noise: Mapping[MeasureLike, float] = field(default_factory=dict)
    """By measure, how much a query's difference varies by itself, where that is known."""


@dataclass(frozen=True)
class Settings:
    """All of the file; paths are as a program can open them."""

    judgments: str | None = None
    queries: str | None = None
    run: str | None = None
    system: str | None = None
    """What to ask instead of reading a run: one of `systems`, or what
    `berryeval.search.opening.open_system` takes."""
    system_settings: Mapping[str, str] = field(default_factory=dict)
    """Settings of the system, as text."""
    documents: str | None = None
    """What the system shall index first."""
    questions: str | None = None
    """What people ask of the documents, indexed together with them."""
    baseline: str | None = None
    repeats: tuple[str, ...] = ()
    """Further runs of the same candidate, which tell its own noise."""
    baseline_repeats: tuple[str, ...] = ()
    """Further runs of what the baseline was saved from."""
    timings: str | None = None
    history: str | None = None
    corpus: str | None = None
    judges: str | None = None
    max_grade: float | None = None
    pool_depth: int | None = None
    gate: GateSettings = field(default_factory=GateSettings)
    service: Mapping[str, Any] = field(default_factory=dict)
    """The table ``[service]``: what `berryeval serve` is told."""
    systems: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """The tables ``[systems.NAME]``: search systems that the service may ask, and `system` name;
    settings are text."""


_PATHS = (
    "judgments", "queries", "run", "documents", "questions", "baseline", "timings", "history"
)  # fmt: skip
_TOP: dict[str, tuple[type, ...]] = {
    **dict.fromkeys((*_PATHS, "system", "corpus", "judges"), (str,)),
    **dict.fromkeys(("repeats", "baseline_repeats"), (list,)),
    "max_grade": (int, float),
    "pool_depth": (int,),
    "gate": (dict,),
    "system_settings": (dict,),
    "service": (dict,),
    "systems": (dict,),
}
_GATE: dict[str, tuple[type, ...]] = {
    "alpha": (int, float),
    "seed": (int,),
    "resamples": (int,),
    "inconclusive": (int,),
    "inference": (str,),
    "holes": (str,),
    "smallest_slice": (int,),
    "max_failed": (int,),
    "allow_other_corpus": (bool,),
    "repeat": (int,),
    "noise": (dict,),
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
_SERVICE: dict[str, tuple[type, ...]] = {
    "host": (str,),
    "port": (int,),
    "archive": (str,),
    "max_body_mb": (int,),
    "max_upload_mb": (int,),
    "timeout": (int, float),
    "allowed_hosts": (list,),
    "require_token": (bool,),
    "max_jobs": (int,),
    "measures": (list,),
}
_SYSTEM: dict[str, tuple[type, ...]] = {"system": (str,), "dsn": (str,), "headers": (dict,)}
_CHOICES = {
    "judges": ("max", "mean", "majority"),
    "inference": ("population", "set"),
    "holes": ("report", "inconclusive"),
    "inconclusive": (0, 1, 3),
}
_LEAST = {"pool_depth": 1, "seed": 0, "smallest_slice": 1,
          "max_failed": 0, "repeat": 1}  # fmt: skip


def find_settings(start: Path | None = None) -> Settings:
    """Read the nearest file from `start`, or the working directory, upwards; else defaults."""
    folder = (start or Path.cwd()).resolve()
    for place in (folder, *folder.parents):
        if (place / FILE_NAME).is_file():
            return read_settings(place / FILE_NAME)
        project = place / _PROJECT
        if project.is_file() and _own_table(_load(project)) is not None:
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
    content: object = _load(file)
    if file.name == _PROJECT:
        content = _own_table(content)
    if not isinstance(content, dict):
        raise FormatError("expected a table [tool.berryeval], found none", str(path))
    try:
        return _settings(content, file.parent)
    except BerryEvalError as error:
        raise FormatError(str(error), str(path)) from None


def _own_table(project: object) -> object:
    """Return ``[tool.berryeval]``, or None; whatever else it is, it is not for us to complain."""
    tools = project.get("tool") if isinstance(project, dict) else None
    return tools.get("berryeval") if isinstance(tools, dict) else None


def _load(path: Path) -> dict[str, Any]:
    note_input(path)
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise FormatError(f"cannot be read: {error.strerror}", str(path)) from None
    except (ValueError, RecursionError) as error:  # not UTF-8, or not TOML
        raise FormatError(f"expected TOML: {error}", str(path)) from None


def _settings(content: Mapping[str, Any], folder: Path) -> Settings:
    _check(content, _TOP, "")
    named = {key: value for key, value in content.items() if key != "gate"}
    given = content.get("system_settings", {})
    named["system_settings"] = _texts(given, folder, "system_settings")
    if "service" in named:
        named["service"] = _service(named["service"], folder)
    named["systems"] = {
        name: _system(table, folder, f"systems.{name}")
        for name, table in content.get("systems", {}).items()
    }
    for key in _PATHS:
        if key in named:
            named[key] = _beside(named[key], folder)
    for key in ("repeats", "baseline_repeats"):
        files = named.get(key, [])
        for file in files:
            if not isinstance(file, str):
                raise ArgumentError(key, "a list of files", repr(file)[:60])
        named[key] = tuple(_beside(file, folder) for file in files)
    return Settings(**named, gate=gate_settings(content.get("gate", {})))


def _service(table: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    _check(table, _SERVICE, "service.")
    for key in ("allowed_hosts", "measures"):
        for name in table.get(key, []):
            if not isinstance(name, str):
                raise ArgumentError(f"service.{key}", "names", repr(name)[:60])
    found = dict(table)
    if "archive" in found and "://" not in found["archive"]:
        found["archive"] = _beside(found["archive"], folder)
    return found


def _system(table: object, folder: Path, where: str) -> dict[str, Any]:
    if not isinstance(table, dict) or not isinstance(table.get("system"), str):
        raise ArgumentError(where, 'a table with system = "…"', repr(table)[:60])
    own = {key: table[key] for key in _SYSTEM if key in table}
    _check(own, _SYSTEM, f"{where}.")
    for key, value in own.get("headers", {}).items():
        if not isinstance(value, str):
            raise ArgumentError(f"{where}.headers.{key}", "text", repr(value)[:60])
    settings = {key: value for key, value in table.items() if key not in _SYSTEM}
    return {**own, **_texts(settings, folder, where)}


def _texts(table: Mapping[str, Any], folder: Path, where: str) -> dict[str, str]:
    """Return settings of a system as a command line would have them; files are beside ours."""
    found = {}
    for key, value in table.items():
        text = setting_text(value, f"{where}.{key}")
        is_file = key in ("path", "template", "vector_cache") and "{" not in text
        found[key] = _beside(text, folder) if is_file else text
    return found


def setting_text(value: object, where: str) -> str:
    """Write the setting of a system as a command line would have it.

    Raises
    ------
    ArgumentError
        For what is neither text, a number, true or false, nor a list.
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ",".join(map(str, value))
    if isinstance(value, (str, int, float)):
        return str(value)
    raise ArgumentError(where, "text or a number", repr(value)[:60])


def _beside(path: str, folder: Path) -> str:
    if path == "-" or folder == Path():
        return path
    beside = folder / path
    try:
        return str(beside.relative_to(Path.cwd()))  # short, for messages
    except ValueError:
        return str(beside)


def gate_settings(table: Mapping[str, Any]) -> GateSettings:
    """Read the table ``[gate]``.

    Raises
    ------
    InputError
        For a key that nobody knows, and for a value that cannot be.
    """
    if isinstance(table.get("guard"), dict):
        raise InputError(
            "gate.guard: expected [[gate.guard]], in double brackets, found [gate.guard]"
        )
    _check(table, _GATE, "gate.")
    alpha = table.get("alpha", GateSettings.alpha)
    if not 0 < alpha < 0.5:  # noqa: PLR2004
        raise ArgumentError("gate.alpha", "a number between 0 and 0.5", repr(alpha))
    plain = {key: value for key, value in table.items() if key != "guard"}
    for name, sd in plain.get("noise", {}).items():
        if not isinstance(sd, (int, float)) or isinstance(sd, bool) or not 0 <= sd < math.inf:
            raise ArgumentError(f"gate.noise of {name}", "a finite number from 0", repr(sd)[:60])
    guards = [
        guard
        for number, entry in enumerate(table.get("guard", ()), start=1)
        for guard in _guards(entry, f"gate.guard {number}")
    ]
    return replace(GateSettings(**plain), guards=tuple(guards))


def _guards(entry: object, where: str) -> list[Guard]:
    if not isinstance(entry, dict):
        raise ArgumentError(where, "a table", repr(entry))
    try:
        _check(entry, _GUARD, "")
        return [_latency_guard(entry)] if "latency" in entry else _measure_guards(entry)
    except BerryEvalError as error:
        raise InputError(f"{where}: {error}") from None


def _measure_guards(entry: Mapping[str, Any]) -> list[Guard]:
    """Return a guard of each kind that the entry asks for."""
    if "measure" not in entry:
        raise InputError("expected a measure or a latency, found neither")
    measure = parse_measure(entry["measure"])
    slices = _labels(entry.get("slices", []))
    found: list[Guard] = []
    if "at_least" in entry:
        is_confident = entry.get("confident", False)
        found.append(ThresholdGuard(measure, entry["at_least"], is_confident, slices))
    if "margin" in entry:
        found.append(MarginGuard(measure, Margin.parse(entry["margin"]), slices))
    if not found:
        raise InputError(f"expected at_least or margin for {measure}, found neither")
    for key, partner in (("confident", "at_least"), ("at_most_ms", "latency")):
        if key in entry and partner not in entry:
            raise ArgumentError(key, f"{partner} beside it", "none")
    return found


def _latency_guard(entry: Mapping[str, Any]) -> LatencyGuard:
    found = re.fullmatch(r"p([0-9]+(?:\.[0-9]+)?)", entry["latency"])
    if found is None:
        raise ArgumentError("latency", "a percentile such as 'p95'", repr(entry["latency"]))
    if entry.keys() != {"latency", "at_most_ms"}:
        raise InputError(f"expected latency and at_most_ms, found {', '.join(entry)}")
    return LatencyGuard(float(found[1]), entry["at_most_ms"])


def _labels(labels: list[Any]) -> tuple[str, ...]:
    for label in labels:
        if label not in LABELS:
            raise ArgumentError("slices", " or ".join(map(repr, LABELS)), repr(label))
    return tuple(dict.fromkeys(labels))


def _check(table: Mapping[str, Any], known: Mapping[str, tuple[type, ...]], where: str) -> None:
    for key, value in table.items():
        if key not in known:
            near = difflib.get_close_matches(key, known, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"known are {', '.join(known)}"
            raise InputError(f"{where}{key}: unknown key; {hint}")
        kinds = known[key]
        is_bool = isinstance(value, bool) and bool not in kinds
        if not isinstance(value, kinds) or is_bool:
            raise ArgumentError(f"{where}{key}", _KINDS[kinds], repr(value)[:60])
        _check_value(f"{where}{key}", key, value)


def _check_value(name: str, key: str, value: Any) -> None:  # noqa: ANN401 - of a kind that is right
    if key in _CHOICES and value not in _CHOICES[key]:
        raise ArgumentError(name, " or ".join(map(repr, _CHOICES[key])), repr(value))
    if key in _LEAST and not _LEAST[key] <= value < 2**63:
        raise ArgumentError(name, f"at least {_LEAST[key]}, and below 2^63", repr(value)[:60])
    if key == "resamples":
        check_resamples(value, name)
    if key == "max_grade" and not 0 < value < math.inf:
        raise ArgumentError(name, "a number above 0", repr(value))


_KINDS: dict[tuple[type, ...], str] = {
    (str,): "text",
    (int,): "a whole number",
    (int, float): "a number",
    (int, float, str): "a number, or text such as '2%'",
    (bool,): "true or false",
    (list,): "a list",
    (dict,): "a table",
}
