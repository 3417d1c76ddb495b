"""Reads and writes ``berryeval.toml``: what a project evaluates, and the rules of its gate.

The file, or the table ``[tool.berryeval]`` of ``pyproject.toml``, is searched for in the working
directory and those above it. Paths in it are relative to it. An unknown key is an error: a
misspelt guard would have no effect. `berryeval.evaluation.gate_rules` declares the gate's keys.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from berryeval.core.inputs import note_input
from berryeval.core.judging import Judges, check_judges
from berryeval.errors import ArgumentError, BerryEvalError, FormatError, InputError
from berryeval.evaluation.gate_rules import DEFAULT_RULES, RULES, GateRules
from berryeval.evaluation.rule_kinds import check_keys

__all__ = [
    "Settings",
    "find_settings",
    "gate_to_toml",
    "read_settings",
    "resolved_path",
    "setting_text",
    "where_to_set",
]

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


FILE_NAME = "berryeval.toml"
_PROJECT = "pyproject.toml"


@dataclass(frozen=True)
class Settings:
    """The content of the file, with paths that can be opened as they are."""

    judgments: str | None = None
    model_judgments: str | None = None
    """Grades by a model for every query, in addition to `judgments`, which are people's."""
    label_draw: str | None = None
    """Which queries people labelled, and how these were drawn; required with `model_judgments`."""
    queries: str | None = None
    run: str | None = None
    system: str | None = None
    """The system to run instead of reading a run: one of `systems`, or a name or address that
    `berryeval.search.opening.open_system` takes."""
    system_settings: Mapping[str, str] = field(default_factory=dict)
    """Settings of the system, as text."""
    documents: str | None = None
    """Documents for the system to index first."""
    questions: str | None = None
    """Questions that belong to the documents, indexed together with them."""
    baseline: str | None = None
    other_baselines: tuple[str, ...] = ()
    """The others, if ``baseline`` is a list: a candidate has to pass against each."""
    repeats: tuple[str, ...] = ()
    """Further runs of the same candidate, to measure its noise."""
    baseline_repeats: tuple[str, ...] = ()
    """Further runs of the system of the baseline."""
    timings: str | None = None
    """How long the queries of the candidate took."""
    baseline_timings: str | None = None
    """How long the queries of the baseline took, unless its file has the times."""
    lengths: str | None = None
    """Lengths of documents, for measures that need them."""
    history: str | None = None
    corpus: str | None = None
    judges: Judges = "first"
    gate: GateRules = field(default_factory=GateRules)
    """The table ``[gate]``, and the facts about the set: its scale, and its pool."""
    service: Mapping[str, Any] = field(default_factory=dict)
    """The table ``[service]``: settings of `berryeval serve`."""
    folder: str | None = None
    """The folder of the file, which may also contain Python modules of systems; None without a
    file.
    """
    admission: Mapping[str, Any] = field(default_factory=dict)
    """The table ``[admission]``: what is required of a judge before its grades count, see
    `berryeval.stats.admission.AdmissionRule`."""
    systems: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """The tables ``[systems.NAME]``: search systems for `system` and the service; settings are
    text."""


_PATHS = (
    "judgments", "queries", "run", "documents", "questions", "baseline", "timings",
    "baseline_timings", "lengths", "history", "model_judgments", "label_draw"
)  # fmt: skip
_OF_SET = tuple(rule.name for rule in RULES if rule.is_of_set)
_TOP: dict[str, tuple[type, ...]] = {
    **dict.fromkeys((*_PATHS, "system", "corpus", "judges"), (str,)),
    "baseline": (str, list),
    **dict.fromkeys(("repeats", "baseline_repeats"), (list,)),
    **dict.fromkeys(_OF_SET, (object, bool)),  # the rules check these
    "gate": (dict,),
    "system_settings": (dict,),
    "service": (dict,),
    "systems": (dict,),
    "admission": (dict,),
}
_ADMISSION: dict[str, tuple[type, ...]] = {
    "min_kappa": (int, float),
    "max_favour": (int, float),
    "confidence": (int, float),
    "weights": (str,),
}
_SERVICE: dict[str, tuple[type, ...]] = {
    "host": (str,),
    "port": (int,),
    "archive": (str,),
    "max_body_mb": (int,),
    "max_upload_mb": (int,),
    "max_rows": (int,),
    "max_comparison": (int, float),
    "max_connections": (int,),
    "max_rate": (int, float),
    "workers": (int,),
    "task_processes": (int,),
    "task_memory_mb": (int,),
    "timeout": (int, float),
    "allowed_hosts": (list,),
    "search_hosts": (list,),
    "require_token": (bool,),
    "max_jobs": (int,),
    "measures": (list,),
}
_SYSTEM: dict[str, tuple[type, ...]] = {"system": (str,), "dsn": (str,), "headers": (dict,)}


def find_settings(start: Path | None = None) -> Settings:
    """Read the nearest file, from `start` or the working directory upwards; else defaults."""
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

    Raises `FormatError` for an unknown key, with the nearest known one, and for an invalid value.
    """
    file = Path(path)
    content: object = _load(file)
    if file.name == _PROJECT:
        content = _own_table(content)
    if not isinstance(content, dict):
        raise FormatError.unexpected("a table [tool.berryeval]", "none", str(path))
    try:
        return _settings(content, file.parent)
    except BerryEvalError as error:
        raise FormatError(str(error), str(path)) from None


def _own_table(project: object) -> object:
    """Return ``[tool.berryeval]``, or None if the file has no such table."""
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
    check_judges(content.get("judges", "first"))
    named = {key: value for key, value in content.items() if key not in ("gate", *_OF_SET)}
    given = content.get("system_settings", {})
    named["system_settings"] = _texts(given, folder, "system_settings")
    if "service" in named:
        named["service"] = _service(named["service"], folder)
    _check(content.get("admission", {}), _ADMISSION, "admission.")
    named["systems"] = {
        name: _system(table, folder, f"systems.{name}")
        for name, table in content.get("systems", {}).items()
    }
    if isinstance(named.get("baseline"), list):
        named["baseline"], *named["other_baselines"] = named["baseline"] or [None]
    for key in _PATHS:
        if named.get(key) is not None:
            named[key] = resolved_path(named[key], folder)
    for key in ("repeats", "baseline_repeats", "other_baselines"):
        files = named.get(key, [])
        for file in files:
            if not isinstance(file, str):
                where = "baseline" if key == "other_baselines" else key
                raise ArgumentError(where, "a list of files", repr(file)[:60])
        named[key] = tuple(resolved_path(file, folder) for file in files)
    return Settings(**named, gate=_gate(content), folder=str(folder.resolve()))


def _service(table: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    _check(table, _SERVICE, "service.")
    for key in ("allowed_hosts", "search_hosts", "measures"):
        for name in table.get(key, []):
            if not isinstance(name, str):
                raise ArgumentError(f"service.{key}", "names", repr(name)[:60])
    found = dict(table)
    if "archive" in found and "://" not in found["archive"]:
        found["archive"] = resolved_path(found["archive"], folder)
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
    """Return settings of a system as text for the command line; files are relative to ours."""
    found = {}
    for key, value in table.items():
        text = setting_text(value, f"{where}.{key}")
        is_file = key in ("path", "template", "vector_cache") and "{" not in text
        found[key] = resolved_path(text, folder) if is_file else text
    return found


def where_to_set(setting: str | None) -> str:
    """Return, in brackets, where a file takes a setting that an error suggests."""
    name, equals, value = (setting or "").partition("=")
    way_out = f" (add {name} = {_value(value)} below [system_settings] in {FILE_NAME})"
    return way_out if equals else ""


def setting_text(value: object, where: str) -> str:
    """Write the setting of a system as on the command line.

    Raises `ArgumentError` for anything but text, a number, true, false, or a list.
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ",".join(map(str, value))
    if isinstance(value, (str, int, float)):
        return str(value)
    raise ArgumentError(where, "text or a number", repr(value)[:60])


def resolved_path(path: str, folder: Path) -> str:
    """Return a path of a file in a folder, relative to the current folder if that contains it."""
    if path == "-" or folder == Path():
        return path
    resolved = folder / path
    try:
        return str(resolved.relative_to(Path.cwd()))  # short, for messages
    except ValueError:
        return str(resolved)


def _gate(content: Mapping[str, Any]) -> GateRules:
    """Read the table ``[gate]``, and the rules at the top level, which describe the set."""
    table = content.get("gate", {})
    if isinstance(table.get("guard"), dict):
        raise InputError(
            "gate.guard: expected [[gate.guard]], in double brackets, found [gate.guard]"
        )
    own = [rule.name for rule in RULES if not rule.is_of_set]
    check_keys(table, (*own, "guard"), "gate.")
    values = {key: value for key, value in table.items() if key != "guard"}
    of_set = {key: content[key] for key in _OF_SET if key in content}
    return GateRules.from_dict({"guards": table.get("guard", ()), **values, **of_set})


def _check(table: Mapping[str, Any], known: Mapping[str, tuple[type, ...]], where: str) -> None:
    check_keys(table, known, where)
    for key, value in table.items():
        kinds = known[key]
        is_bool = isinstance(value, bool) and bool not in kinds
        if not isinstance(value, kinds) or is_bool:
            raise ArgumentError(f"{where}{key}", _KINDS[kinds], repr(value)[:60])


_KINDS: dict[tuple[type, ...], str] = {
    (str,): "text",
    (str, list): "a file, or a list of files",
    (int,): "a whole number",
    (int, float): "a number",
    (bool,): "true or false",
    (list,): "a list",
    (dict,): "a table",
}


def gate_to_toml(rules: GateRules, baseline: str | None = None) -> str:
    """Write the rules of a gate, for the command line to decide the same; defaults are omitted.

    Alpha is always written. A baseline of the service becomes a file of that name, as
    `berryeval baseline save` writes one.

    Examples
    --------
    >>> rules = GateRules.from_dict({"guards": [{"measure": "RR", "at_least": 0.7}]})
    >>> print(gate_to_toml(rules))
    [gate]
    alpha = 0.05
    <BLANKLINE>
    [[gate.guard]]
    measure = "RR"
    at_least = 0.7
    <BLANKLINE>
    """
    return "\n".join("\n".join(part) + "\n" for part in _parts(rules, baseline) if part)


def _parts(rules: GateRules, baseline: str | None) -> Iterator[list[str]]:
    plain = rules.to_dict()
    changed = [
        rule
        for rule in RULES
        if rule.name == "alpha" or getattr(rules, rule.name) != getattr(DEFAULT_RULES, rule.name)
    ]
    named = {} if baseline is None else {"baseline": f"baselines/{baseline}.json"}
    yield _lines({**named, **{rule.name: plain[rule.name] for rule in changed if rule.is_of_set}})
    yield ["[gate]", *_lines({r.name: plain[r.name] for r in changed if not r.is_of_set})]
    for entry in plain["guards"]:
        yield ["[[gate.guard]]", *_lines(entry)]


def _lines(table: Mapping[str, Any]) -> list[str]:
    return [f"{key} = {_value(value)}" for key, value in table.items()]


def _value(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return '"' + "".join(map(_character, value)) + '"'
    if isinstance(value, list):
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{_value(key)} = {_value(one)}' for key, one in value.items())}}}"
    return repr(value)


def _character(character: str) -> str:
    """Write a character of a basic string; a lone surrogate, which TOML cannot hold, as ``?``."""
    code = ord(character)
    if character in '"\\':
        return f"\\{character}"
    if code < 0x20 or code == 0x7F:  # noqa: PLR2004
        return f"\\u{code:04X}"
    return "?" if 0xD800 <= code <= 0xDFFF else character  # noqa: PLR2004
