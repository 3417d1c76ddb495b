"""Make the files that later versions have to read: an archive, its export, a baseline, a history.

    python scripts/make_upgrade_files.py

Writes tests/upgrade/VERSION, once per release and with the code of that release. Never run it again
for a version that was released: its files must stay as its users have them.
"""

from __future__ import annotations

import gzip
import json
import shutil
import sys
import tarfile
import tempfile
from pathlib import Path

from click.testing import CliRunner

import berryeval as be
from berryeval.archive import Archive, JudgmentEntry, RunFacts
from berryeval.cli import main as command_line
from berryeval.reports.gate import gate_to_json

ROOT = Path(__file__).parents[1]
RUNS = ROOT / "examples" / "runs"
N_QUERIES = 12
SETTINGS = """\
judgments = "qrels.txt"
run = "new.run"
baseline = "baseline.json"
history = "history.jsonl"

[[gate.guard]]
measure = "nDCG@10"
margin = 0.05
"""


def main() -> None:
    """Make the files of this version."""
    target = ROOT / "tests" / "upgrade" / be.__version__
    if target.exists():
        sys.exit(f"{target} exists: the files of a version are made once")
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / be.__version__
        project = folder / "project"
        project.mkdir(parents=True)
        make_project(project)
        make_archive(project, folder)
        shutil.copytree(folder, target)
    print(f"Wrote {target}")


def make_project(project: Path) -> None:
    """Write judgments, two runs of a few queries, a saved baseline, and a gate's history."""
    wanted = {f"h{number:02}" for number in range(1, N_QUERIES + 1)}
    names = {"qrels.txt": "qrels.txt", "words.run": "old.run", "stems.run": "new.run"}
    for source, name in names.items():
        lines = (RUNS / source).read_text(encoding="utf-8").splitlines(keepends=True)
        kept = [line for line in lines if line.split()[0] in wanted]
        (project / name).write_text("".join(kept), encoding="utf-8")
    (project / "berryeval.toml").write_text(SETTINGS, encoding="utf-8")
    config = ["--config", str(project / "berryeval.toml")]
    run_command("baseline", "save", *config, "--run", str(project / "old.run"))
    run_command("baseline", "release", "v1", *config)
    run_command("gate", *config)


def run_command(*arguments: str) -> None:
    """Run a command, whatever its verdict; other failures end the script."""
    done = CliRunner().invoke(command_line, arguments, prog_name="berryeval")
    if done.exit_code not in (0, 1, 3):
        sys.exit(done.output)


def make_archive(project: Path, folder: Path) -> None:
    """Write an archive with every kind of record, and its export."""
    path = folder / "archive.db"
    judgments = be.read_judgments(str(project / "qrels.txt"))
    runs = {name: be.read_run(str(project / f"{name}.run")) for name in ("old", "new")}
    with Archive.open(path) as archive:
        archive.queries.put([
            be.Query(query_id, f"query {query_id}", category="factual", weight=2.0)
            for query_id in judgments.to_dict()
        ])  # fmt: skip
        archive.documents.put([be.Document("export-pdf", "Exporting a note as PDF.", "Export")])
        entries = [
            JudgmentEntry(query_id, doc_id, grade)
            for query_id, grades in judgments.to_dict().items()
            for doc_id, grade in grades.items()
        ]
        archive.judgments.put(entries, author="ada", source="import")
        archive.judgments.put([JudgmentEntry("h01", "trash", 1)], author="bob")
        archive.judgments.put([JudgmentEntry("h01", "trash", 0)], author="bob")
        archive.judgments.add_opinion("h01", "export-pdf", 2, author="bob")
        stored = {
            name: archive.runs.put(run, RunFacts(name, commit="4f1c2d3", tags=("nightly",)))
            for name, run in runs.items()
        }
        for one in stored.values():
            archive.evaluations.score(one.run_id, ["nDCG@10", "RR"])
        archive.baselines.put("main", stored["old"].run_id, is_release=True)
        archive.gates.put("release", {"guards": [{"measure": "nDCG@10", "margin": 0.05}]})
        decided = be.gate(be.compare(archive.judgments.current(), runs, "nDCG@10"), margin=0.05)
        archive.verdicts.put(
            gate="release",
            run_id=stored["new"].run_id,
            baseline_id=stored["old"].run_id,
            verdict=decided.verdict,
            judgments_hash=archive.judgments.hash(),
            report=json.loads(gate_to_json(decided)),
        )
        archive.tokens.create("ci", "judge")
        archive.export(folder / "export")
    path.with_suffix(".db.gz").write_bytes(gzip.compress(path.read_bytes(), mtime=0))
    path.unlink()
    with tarfile.open(folder / "export.tar.gz", "w:gz") as archive_file:
        archive_file.add(folder / "export", "export")
    shutil.rmtree(folder / "export")


if __name__ == "__main__":
    main()
