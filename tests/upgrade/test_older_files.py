"""Files of earlier versions, made by their own code, stay readable."""

import gzip
import json
import shutil
import tarfile
from pathlib import Path

import pytest
from click.testing import CliRunner

import berryeval as be
from berryeval.cli import main
from berryeval.evaluation.baseline import Baseline
from berryeval.suite import history

archive_extra = pytest.importorskip("berryeval.archive.archive", reason="needs an extra")

FOLDER = Path(__file__).parent
VERSIONS = sorted(path.name for path in FOLDER.iterdir() if (path / "archive.db.gz").exists())


@pytest.fixture(params=VERSIONS)
def version(request, tmp_path):
    """A copy of the files of a version."""
    folder = tmp_path / request.param
    shutil.copytree(FOLDER / request.param, folder)
    (folder / "archive.db").write_bytes(gzip.decompress((folder / "archive.db.gz").read_bytes()))
    with tarfile.open(folder / "export.tar.gz") as archive:
        archive.extractall(folder, filter="data")
    return folder


def records(export: Path) -> dict[str, list[dict]]:
    """Return the lines of an export by file."""
    return {
        path.name: [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        for path in sorted(export.glob("*.jsonl"))
    }


def is_kept(old: dict, new: dict) -> bool:
    """Whether a record has everything that it had; later versions may add to it."""
    return all(new.get(key) == value for key, value in old.items())


def assert_kept(before: Path, after: Path) -> None:
    old, new = records(before), records(after)
    assert old["judgments.jsonl"]
    assert old["verdicts.jsonl"]
    for name, lines in old.items():
        assert len(new[name]) == len(lines), name
        for old_line, new_line in zip(lines, new[name], strict=True):
            assert is_kept(old_line, new_line), (name, old_line, new_line)
    for path in (before / "runs").iterdir():
        assert gzip.decompress((after / "runs" / path.name).read_bytes()) == gzip.decompress(
            path.read_bytes()
        )


def test_an_archive_is_upgraded_with_everything_in_it(version):
    """Its export has the same records as before, in the current schema."""
    with be.Archive.open(version / "archive.db") as archive:
        assert archive.check(deep=True).problem is None
        archive.export(version / "after")
        assert archive.judgments.history("h01", "trash")[0].grade == 1
        name = archive.runs.page(limit=1).items[0].run_id
        assert archive.runs.load(name).ranking("h01")
    assert_kept(version / "export", version / "after")


def test_an_export_is_imported(version):
    """An empty archive of the current version imports it, and exports the same records."""
    with be.Archive.open(version / "new.db") as archive:
        archive.import_(version / "export")
        archive.export(version / "after")
    assert_kept(version / "export", version / "after")


def test_a_baseline_is_compared_with(version):
    """A gate reads it with the settings of its time, and counts the look in the old history."""
    project = version / "project"
    baseline = Baseline.read(project / "baseline.json")
    assert baseline.release == "v1"
    before = history.read(project / "history.jsonl").entries
    assert [entry.run for entry in before] == ["new.run"]
    assert before[0].decision is not None
    done = CliRunner().invoke(
        main, ["gate", "--config", str(project / "berryeval.toml"), "--json"], prog_name="berryeval"
    )
    assert done.exit_code in (0, 1, 3), done.output
    assert json.loads(done.stdout)["verdict"] in ("pass", "fail", "inconclusive")
    after = history.read(project / "history.jsonl").entries
    assert after[: len(before)] == before
    assert len(after) == len(before) + 1


def test_a_history_is_shown(version):
    """The command prints the means of its time."""
    path = version / "project" / "history.jsonl"
    [entry] = history.read(path).entries
    done = CliRunner().invoke(main, ["history", str(path)], prog_name="berryeval")
    assert done.exit_code == 0, done.output
    assert f"{entry.means['nDCG@10']:.4f}" in done.stdout


def test_there_are_files_of_an_earlier_version():
    """The tests above must not pass because there are none."""
    assert VERSIONS
