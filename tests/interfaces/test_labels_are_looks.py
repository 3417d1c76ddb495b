"""Labelling more queries after a verdict, and deciding again, is a further look of the gate."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from starlette.testclient import TestClient

from berryeval.archive import Archive
from berryeval.cli import main
from berryeval.service import ServiceSettings
from judges.model_judged import fill, write_model_judged
from service.workbench.html import HTML, parse
from service_server import new_app

GUARD = {"measure": "nDCG@6", "margin": 0.02}
SIZES = (30, 40, 55)
SETTINGS = """
judgments = "golden"
baseline = "old.run"
run = "new.run"
model_judgments = "model.jsonl"
label_draw = "draw.json"
history = "history.jsonl"

[[gate.guard]]
measure = "nDCG@6"
margin = 0.02
"""


@pytest.fixture
def golden(tmp_path, monkeypatch):
    """A set that an admitted judge graded, in the working directory, and a gate."""
    monkeypatch.chdir(tmp_path)
    golden = write_model_judged(tmp_path / "golden")
    (tmp_path / "berryeval.toml").write_text(SETTINGS)
    command("judge", "export", "--golden", "golden", "-k", "6",
            "--run", "old.run", "--run", "new.run", "-o", "model.jsonl")  # fmt: skip
    return golden


def command(*words):
    """Run a command, and return what it prints; a verdict is no failure."""
    result = CliRunner().invoke(main, [*map(str, words)])
    assert result.exit_code in (0, 1, 3), result.output
    return result.stdout


class ByCommand:
    """A gate with a history file; each draw replaces the file of the last one."""

    def label(self, n):
        """Have people label so many queries in all."""
        command("judge", "draw", "--golden", "golden", "-n", n, "-o", "draw.json")

    def decide(self):
        """Return the report of the gate."""
        return json.loads(command("gate", "--json"))

    def text(self):
        """Return the verdict as people read it."""
        return command("gate")

    def close(self):
        """Do nothing: there are only files."""


class ByService:
    """A gate of the service; a draw never changes, so the gate names the new one."""

    def __init__(self, golden):
        self.archive = Archive.open(golden.folder.parent / "archive.db")
        self.old, self.new = fill(self.archive, golden)
        self.archive.baselines.put("main", self.old)
        app = new_app(self.archive, ServiceSettings(measures=("nDCG@6",)))
        self.client = TestClient(app, base_url="http://localhost:8765")
        self.client.__enter__()

    def label(self, n):
        """Have people label so many queries in all."""
        assert self.client.put(f"/v1/label-draws/of-{n}", json={"n": n}).is_success
        settings = {"guards": [GUARD], "baseline": "main", "label_draw": f"of-{n}"}
        assert self.client.put("/v1/gates/ship", json=settings).is_success

    def _verdict(self):
        return self.client.post("/v1/gates/ship/verdicts", json={"run": self.new}).json()

    def decide(self):
        """Return the report of the gate."""
        return self._verdict()["report"]

    def text(self):
        """Return the verdict as people read it."""
        found = self._verdict()["verdict_id"]
        return parse(self.client.get(f"/gates/ship/verdicts/{found}", headers=HTML).text).text

    def close(self):
        """End the service."""
        self.client.__exit__(None, None, None)
        self.archive.close()


@pytest.fixture(params=["command", "service"])
def gate(golden, request):
    """The gate, by one of both ways."""
    opened = ByCommand() if request.param == "command" else ByService(golden)
    yield opened
    opened.close()


def test_labels_after_a_verdict_are_a_further_look(gate):
    """Looks share alpha, whoever asks; deciding again on the same labels is none."""
    counts, levels = [], []
    for n in SIZES:
        gate.label(n)
        found = gate.decide()
        assert found["rests_on"]["n_labelled"] == n
        again = gate.decide()
        assert (again["memory"], again["level"]) == (found["memory"], found["level"])
        counts.append(found["memory"]["queries"])
        levels.append(found["level"])
        assert found["memory"]["tries"] == 1
    assert counts == [[30], [30, 40], [30, 40, 55]]
    assert levels == [0.025, 0.0125, 0.00625]
    assert "Third check of these runs on this set, at significance level 0.00625." in gate.text()


def test_going_back_to_fewer_labels_repeats_the_first_verdict(gate):
    """Nothing new is decided, and the look at more labels stays spent."""
    found = {}
    for n in (*SIZES[:2], *SIZES[:2]):
        gate.label(n)
        report = gate.decide()
        figures = {key: report[key] for key in ("verdict", "memory", "level", "guards")}
        assert found.setdefault(n, figures) == figures
    gate.label(SIZES[2])
    assert gate.decide()["memory"]["queries"] == [*SIZES]


def test_labels_outside_of_the_draw_neither_count_nor_are_a_look(golden):
    """People chose them, so they say nothing about the other queries."""
    gate = ByCommand()
    gate.label(SIZES[0])
    before = gate.decide()
    draw = json.loads(Path("draw.json").read_text())["queries"]
    path = golden.folder / "relevance-judgments.json"
    content = json.loads(path.read_text())
    for one in content["judgments"]:
        if not draw[one["query_id"]]["is_labelled"]:
            for document in one["relevant"]:
                document["grade"] = 1
    path.write_text(json.dumps(content))
    after = gate.decide()
    for key in ("verdict", "memory", "level", "rests_on", "guards"):
        assert after[key] == before[key]
