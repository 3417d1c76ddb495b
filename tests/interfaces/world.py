"""The data behind every interface: judgments, queries, runs and a gate, in files and served."""

import json
import random
from dataclasses import dataclass
from pathlib import Path

from starlette.testclient import TestClient

import berryeval as be
from berryeval.archive import Archive
from berryeval.service import ServiceSettings
from service_server import new_app

MEASURES = ("nDCG@10", "RR", "P@5")
MARGIN = 0.05
ACCEPTED = 0.07
"""The margin of the gate that passes, in slices of half of the queries, too."""
N_QUERIES = 48
MANY = 1000
"""The declared final number of queries of the gate with too few."""
NOISY = "noisy.toml"
"""The gate with a repeated run of the candidate, whose noise is included."""
TIGHT = "tight.toml"
"""A gate that these queries are too few for: the old run in place of the new one."""

GATE = f"""
judgments = "qrels.txt"
queries = "queries.jsonl"
baseline = "old.run"
run = "new.run"
history = "history.jsonl"
n_max = {N_QUERIES}

[gate]
inconclusive = 0

[[gate.guard]]
measure = "nDCG@10"
margin = {ACCEPTED}
slices = ["category"]

[[gate.guard]]
measure = "P@5"
at_least = 0.2
"""

TIGHT_GATE = f"""
judgments = "qrels.txt"
queries = "queries.jsonl"
baseline = "new.run"
run = "old.run"
history = "tight.jsonl"
n_max = {MANY}

[gate]
inconclusive = 0

[[gate.guard]]
measure = "P@5"
margin = {MARGIN}
"""


@dataclass(frozen=True)
class World:
    """The locations of all data."""

    folder: Path
    archive: Archive
    client: TestClient
    run_ids: dict[str, str]

    @property
    def comparison(self) -> be.Comparison:
        """Return the result of Python, the reference."""
        return be.compare(
            self.folder / "qrels.txt",
            {name: self.folder / f"{name}.run" for name in ("old", "new")},
            MEASURES,
            queries=self.folder / "queries.jsonl",
            slices=["category"],
        )


def write_files(folder):
    """Write judgments, queries, two runs that differ for most queries, and a gate.

    The first document differs for eight of them: too few for a result by RR.
    """
    chance, other_chance = random.Random(20), random.Random(21)  # noqa: S311 - made up
    qrels, queries, runs = [], [], {"old": [], "new": [], "again": []}
    for number in range(N_QUERIES):
        query_id = f"q{number:02}"
        category = "how" if number % 2 else "what"
        queries.append({"id": query_id, "query": f"question {number}", "category": category})
        documents = [f"d{i}" for i in range(20)]
        chance.shuffle(documents)
        qrels += [f"{query_id} 0 {doc_id} {3 - i // 2 if i < 6 else 0}"
                  for i, doc_id in enumerate(documents)]  # fmt: skip
        for name, noise, drawn in (
            ("old", 5.0, chance),
            ("new", 4.0, chance),
            ("again", 4.0, other_chance),
        ):
            places = {doc_id: i + drawn.gauss(0, noise) for i, doc_id in enumerate(documents)}
            ranked = sorted(documents, key=places.__getitem__)[:12]
            runs[name] += [f"{query_id} Q0 {doc_id} {rank} {100 - rank} {name}"
                           for rank, doc_id in enumerate(ranked, start=1)]  # fmt: skip
    (folder / "qrels.txt").write_text("\n".join(qrels) + "\n")
    (folder / "queries.jsonl").write_text("".join(json.dumps(one) + "\n" for one in queries))
    for name, lines in runs.items():
        (folder / f"{name}.run").write_text("\n".join(lines) + "\n")
    (folder / "berryeval.toml").write_text(GATE)
    (folder / TIGHT).write_text(TIGHT_GATE)
    (folder / NOISY).write_text('repeats = ["again.run"]\n' + GATE)


def served(folder):
    """Start a service over an archive with the same data."""
    archive = Archive.open(folder / "archive.db")
    app = new_app(archive, ServiceSettings(measures=MEASURES))
    return archive, TestClient(app, base_url="http://localhost:8765")


def fill(client, folder):
    """Upload the files to the service, and return the ids of the runs."""
    judgments = [line.split() for line in (folder / "qrels.txt").read_text().splitlines()]
    answer = client.post("/v1/judgments", json={"judgments": [
        {"query_id": query_id, "doc_id": doc_id, "grade": int(grade)}
        for query_id, _, doc_id, grade in judgments
    ]})  # fmt: skip
    assert answer.status_code == 200, answer.text
    rows = [json.loads(line) for line in (folder / "queries.jsonl").read_text().splitlines()]
    queries = [
        {"query_id": row["id"], "text": row["query"], "category": row["category"]} for row in rows
    ]
    assert client.post("/v1/queries", json={"queries": queries}).status_code == 200
    run_ids = {}
    for name in ("old", "new"):
        content = (folder / f"{name}.run").read_text()
        stored = client.post("/v1/runs", params={"name": name}, content=content)
        run_ids[name] = stored.json()["run_id"]
    for name, run in (("main", "old"), ("next", "new")):
        client.put(f"/v1/baselines/{name}", json={"run_id": run_ids[run]})
    gates = {
        "ship": {
            "guards": [
                {"measure": "nDCG@10", "margin": ACCEPTED, "slices": ["category"]},
                {"measure": "P@5", "at_least": 0.2},
            ],
            "baseline": "main",
            "n_max": N_QUERIES,
        },
        "tight": {
            "guards": [{"measure": "P@5", "margin": MARGIN}],
            "baseline": "next",
            "n_max": MANY,
        },
    }
    for name, settings in gates.items():
        saved = client.put(f"/v1/gates/{name}", json=settings)
        assert saved.status_code in (200, 201), saved.text
    return run_ids
