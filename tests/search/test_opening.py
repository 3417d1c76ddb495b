"""Systems by what people type."""

from importlib import metadata

import pytest

from berryeval.core import Query
from berryeval.errors import ArgumentError
from berryeval.search import opening
from berryeval.search.embedded import Embedded
from berryeval.search.function import Function
from berryeval.search.http import Http
from berryeval.search.opening import open_system
from berryeval.search.replay import Replay


def test_the_embedded_engine_goes_by_its_modes():
    """With settings as text."""
    system = open_system("hybrid", {"weights": "1,0.5", "constant": "10", "approximate": "no"})
    assert isinstance(system, Embedded)
    assert (system.mode, system.settings.weights, system.constant) == ("hybrid", (1.0, 0.5), 10.0)
    assert open_system("vector", {"approximate": "yes"}).approximate is True


def test_addresses_files_and_functions_are_told_apart(tmp_path):
    """By what stands before the colon."""
    path = tmp_path / "a.run"
    path.write_text("q1 Q0 d1 1 2.5 x\n")
    http = open_system("http://h/{query}", {"ids": "[*]"}, headers={"X": "y"})
    assert isinstance(http, Http)
    assert (http.ids, http.headers) == ("[*]", {"X": "y"})
    replay = open_system(f"replay:{path}", queries=[Query("q1", "oauth")])
    assert isinstance(replay, Replay)
    assert replay.search("oauth", 5) == [("d1", 2.5)]
    assert isinstance(open_system("json:dumps"), Function)


@pytest.mark.parametrize(
    ("place", "settings", "message"),
    [
        ("bm52", {}, "system: expected bm25, vector, hybrid"),
        ("bm25", {"x": "1"}, "setting: expected one of embedded's"),
        ("json:dumps", {"x": "1"}, r"setting: expected one of function's \(none\)"),
        ("hybrid", {"weights": "a,b"}, "setting weights: expected two numbers such as 1,0.5"),
        ("hybrid", {"weights": "1"}, "weights: expected two numbers from 0"),
        ("hybrid", {"constant": "x"}, "setting constant: expected a number, got 'x'"),
        ("vector", {"approximate": "x"}, "setting approximate: expected yes or no, got 'x'"),
    ],
)
def test_what_cannot_be_opened_is_told(place, settings, message):
    """The name or the setting, and what there is."""
    with pytest.raises(ArgumentError, match=message):
        open_system(place, settings)


def make(rest, **settings):
    """What a package of somebody else would offer."""
    return Function(lambda _query, _k: [rest], name=settings["name"])


def test_packages_may_bring_systems(monkeypatch):
    """By an entry point; what stands behind the colon is theirs."""
    point = metadata.EntryPoint("theirs", f"{__name__}:make", opening.ENTRY_POINTS)
    monkeypatch.setattr(metadata.EntryPoint, "load", lambda _self: make)
    known = metadata.EntryPoints([point])
    monkeypatch.setattr(opening, "entry_points", known.select)
    system = open_system("theirs:index-7", {"name": "seven"})
    assert system.name == "seven"
    assert system.search("x", 1) == [("index-7", -1.0)]
