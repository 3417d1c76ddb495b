"""Opens judges by name: ``openai:MODEL``, ``module:function``, ``command:…``, a file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from berryeval.errors import ArgumentError
from berryeval.judges.chat import Chat
from berryeval.judges.metering import Meter
from berryeval.judges.protocol import Judge
from berryeval.search.limits import Limits

__all__ = ["SETTINGS", "open_chat", "open_judge"]


def _number_or_none(text: str) -> float | None:
    return None if text == "none" else float(text)


def _yes_or_no(text: str) -> bool:
    return {"yes": True, "no": False}[text]


_CHAT: dict[str, Callable[[str], Any]] = {
    "key_variable": str,
    "temperature": _number_or_none,
    "answer_tokens": int,
    "limit_name": str,
    "json_mode": _yes_or_no,
}

SETTINGS: dict[str, dict[str, Callable[[str], Any]]] = {
    "openai": {**_CHAT, "tries": int, "cut": int},
    "function": {},
    "command": {},
    "file": {},
}
"""The settings of each kind of judge, and the functions that parse their text."""

_OF_JUDGE = ("tries", "cut")
_KNOWN = "openai:MODEL, openai:MODEL@http://…, module:function, command:PROGRAM or a file of grades"


def open_judge(
    place: str,
    settings: Mapping[str, str] | None = None,
    *,
    limits: Limits | None = None,
    meter: Meter | None = None,
) -> Judge:
    """Open a judge by name.

    Parameters
    ----------
    place : str
        ``openai:MODEL`` for a model behind an OpenAI-compatible API, optionally with its address
        as in ``openai:MODEL@http://localhost:11434/v1``; ``command:PROGRAM ARGUMENTS`` for a
        program that reads and writes JSON lines; ``module:function``, or a class or an object with
        ``judge``; or a file of grades, optionally after ``file:``.
    settings : mapping, optional
        Settings as text, see `SETTINGS`.
    limits : Limits, optional
        Timeout and retries of a call.
    meter : Meter, optional
        Budget and rate, shared by all calls.

    Raises
    ------
    ArgumentError
        If the name is unknown, or a setting is unknown or invalid.
    """
    kind, _, rest = place.partition(":")
    given = dict(settings or {})
    if kind == "openai":
        from berryeval.judges.endpoint import EndpointJudge

        read = _read_settings(given, "openai")
        own = {name: read.pop(name) for name in _OF_JUDGE if name in read}
        return EndpointJudge(_chat(rest, read, limits, meter), **own)
    if kind == "command":
        from berryeval.judges.command import CommandJudge

        _read_settings(given, "command")
        timeout = (limits or Limits(timeout=60.0)).timeout
        return CommandJudge(rest, timeout=timeout, meter=meter)
    if kind == "file" or Path(place).is_file():
        from berryeval.judges.stored import StoredJudge

        _read_settings(given, "file")
        return StoredJudge(rest if kind == "file" else place)
    if rest:
        _read_settings(given, "function")
        return _imported(place, meter)
    raise ArgumentError("judge", _KNOWN, repr(place))


def open_chat(
    place: str,
    settings: Mapping[str, str] | None = None,
    *,
    limits: Limits | None = None,
    meter: Meter | None = None,
) -> Chat:
    """Open a chat model by name, ``openai:MODEL``, to write rather than to judge.

    Parameters and errors are those of `open_judge`.
    """
    kind, _, rest = place.partition(":")
    if kind != "openai":
        raise ArgumentError("model", "openai:MODEL or openai:MODEL@http://…", repr(place))
    read = _read_settings(dict(settings or {}), "openai")
    return _chat(rest, {name: read[name] for name in read if name in _CHAT}, limits, meter)


def _chat(
    rest: str, settings: Mapping[str, Any], limits: Limits | None, meter: Meter | None
) -> Chat:
    model, _, address = rest.partition("@http")
    return Chat(
        model, f"http{address}" if address else None, limits=limits, meter=meter, **settings
    )


def _read_settings(given: Mapping[str, str], kind: str) -> dict[str, Any]:
    known = SETTINGS[kind]
    found = {}
    for name, text in given.items():
        if name not in known:
            expected = f"one of {', '.join(known)}" if known else "no settings"
            raise ArgumentError("setting", f"{expected} with this judge", repr(name))
        try:
            found[name] = known[name](text)
        except (ValueError, KeyError) as error:
            raise ArgumentError(f"setting {name}", "a valid value", repr(text)) from error
    return found


def _imported(place: str, meter: Meter | None) -> Judge:
    from berryeval.judges.function import FunctionJudge
    from berryeval.search.importing import import_object

    found: Any = import_object(place)
    if isinstance(found, type):
        found = found()
    function = getattr(found, "judge", found)
    fingerprint = getattr(found, "fingerprint", None)
    own = None if fingerprint is None else fingerprint()
    return FunctionJudge(function, place, fingerprint=own, meter=meter)
