"""The GitHub action and workflow are read as GitHub reads them, and their scripts are run."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

yaml = pytest.importorskip("yaml")

ROOT = Path(__file__).parents[2]
RUNS = ROOT / "examples" / "runs"


def load(name: str) -> dict:
    """Read a file; YAML parses the key `on` as true."""
    content = yaml.safe_load((ROOT / name).read_text(encoding="utf-8"))
    return {("on" if key is True else key): value for key, value in content.items()}


ACTION = load("action.yml")
QUALITY = load(".github/workflows/quality.yml")
JOB = QUALITY["jobs"]["quality"]


def step(steps: list[dict], name: str) -> dict:
    return next(one for one in steps if one.get("name") == name)


def test_the_workflow_runs_if_search_or_golden_files_change():
    """X10: on push and on pull request, with the same paths."""
    triggers = QUALITY["on"]
    assert triggers["push"]["paths"] == triggers["pull_request"]["paths"]
    paths = triggers["push"]["paths"]
    assert {"src/berryeval/search/**", "src/berryeval/golden/**"} <= set(paths)
    for path in paths:  # a path that matches nothing triggers nothing
        assert any(ROOT.glob(path.removesuffix("/**"))), path


def test_the_workflow_runs_if_a_package_changes_that_search_imports():
    """X10: fusion, formats and data types decide what is found as much as the search does."""
    source = ROOT / "src" / "berryeval"
    imported = {
        name
        for module in (source / "search").rglob("*.py")
        for name in re.findall(r"^ *from berryeval\.(\w+)", module.read_text("utf-8"), re.MULTILINE)
        if (source / name).is_dir()
    }
    paths = {f"src/berryeval/{name}/**" for name in imported}
    assert "src/berryeval/fusion/**" in paths
    assert paths <= set(QUALITY["on"]["push"]["paths"])


def test_the_workflow_has_postgresql_with_pgvector():
    """X10: the server has a health check, and its address is passed to the suite."""
    server = JOB["services"]["postgres"]
    assert server["image"].startswith("pgvector/pgvector:")
    assert "--health-cmd pg_isready" in server["options"]
    address = step(JOB["steps"], "PostgreSQL")["env"]["DSN"]
    password, port, database = (
        server["env"]["POSTGRES_PASSWORD"],
        server["ports"][0].partition(":")[0],
        server["env"]["POSTGRES_DB"],
    )
    assert address == f"postgresql://postgres:{password}@localhost:{port}/{database}"


@pytest.mark.parametrize(
    ("name", "command"),
    [("Embedded", "--system hybrid"), ("PostgreSQL", '--system postgres --dsn "$DSN"')],
)
def test_the_workflow_fails_below_the_thresholds(name, command):
    """X10: the step, and the build, exit with the code of `berryeval quality`."""
    one = step(JOB["steps"], name)
    script = one["run"]
    assert f"berryeval quality {command}" in script
    assert script.rstrip().splitlines()[-1].lstrip().startswith("--report")  # no step runs after it
    assert "||" not in script
    assert not any("continue-on-error" in each for each in (JOB, *JOB["steps"]))


def test_the_workflow_uploads_results_even_on_failure():
    """X10: the upload is the last step, whatever the outcome of the others."""
    last = JOB["steps"][-1]
    assert last["uses"].startswith("actions/upload-artifact@")
    assert last["if"] == "always()"
    folder = last["with"]["path"]
    for name in ("Embedded", "PostgreSQL"):
        reports = re.findall(r"--report (\S+)", step(JOB["steps"], name)["run"])
        assert len(reports) == 4
        assert all(report.startswith(folder) for report in reports)
    assert step(JOB["steps"], "Summary")["if"] == "always()"


def test_postgresql_is_tested_even_if_the_embedded_engine_fails():
    """One workflow run shows both results."""
    condition = step(JOB["steps"], "PostgreSQL")["if"]
    assert condition == "${{ !cancelled() && steps.install.outcome == 'success' }}"
    assert step(JOB["steps"], "Install")["id"] == "install"


@pytest.mark.parametrize("path", sorted((ROOT / ".github" / "workflows").glob("*.yml")), ids=str)
def test_workflows_have_minimal_permissions(path):
    """They read the code, and never the secrets."""
    workflow = load(str(path.relative_to(ROOT)))
    assert workflow["permissions"] == {"contents": "read"}
    assert "secrets." not in path.read_text(encoding="utf-8")


def test_the_action_declares_the_inputs_that_its_steps_read():
    """Each input is described and used, and every used input is declared."""
    text = (ROOT / "action.yml").read_text(encoding="utf-8")
    used = set(re.findall(r"\$\{\{ inputs\.([\w-]+) \}\}", text))
    assert used == set(ACTION["inputs"])
    assert {"judgments", "run", "baseline", "config", "python-version", "extras", "report"} <= used
    assert all(entry["description"] for entry in ACTION["inputs"].values())


def test_inputs_never_become_part_of_a_script():
    """A file name cannot inject commands."""
    assert ACTION["runs"]["using"] == "composite"
    for one in ACTION["runs"]["steps"]:
        assert "${{" not in one.get("run", "")
        assert ("run" in one) == (one.get("shell") == "bash")


def test_the_action_uploads_reports_even_on_failure():
    """The upload is the last step, from where the gate writes them."""
    last = ACTION["runs"]["steps"][-1]
    assert last["uses"].startswith("actions/upload-artifact@")
    assert last["if"] == "always()"
    assert last["with"]["path"] == "${{ inputs.working-directory }}/${{ inputs.report }}"


@pytest.fixture
def run_gate(tmp_path):
    """Run the script of the action's gate like a runner; inputs are empty by default."""

    def run(**inputs: str) -> tuple[int, str, str]:
        gate = step(ACTION["runs"]["steps"], "Gate")
        environment = {
            name: inputs.get(re.search(r"inputs\.([\w-]+)", value)[1], "")
            for name, value in gate["env"].items()
        } | {"REPORT": "reports"}
        files = {name: str(tmp_path / name) for name in ("GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT")}
        scripts = str(Path(sys.executable).parent)
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", gate["run"]],
            cwd=tmp_path,
            env=os.environ | environment | files | {"PATH": f"{scripts}:{os.environ['PATH']}"},
            capture_output=True,
            text=True,
            check=False,
        )
        return done.returncode, *(Path(file).read_text(encoding="utf-8") for file in files.values())

    return run


@pytest.mark.skipif(sys.platform == "win32", reason="the action runs in bash")
@pytest.mark.parametrize(("at_least", "code", "word"), [(0.1, 0, "✅ Pass"), (0.99, 1, "❌ Fail")])
def test_the_action_exits_with_the_verdict(run_gate, tmp_path, at_least, code, word):
    """It writes the Markdown summary, the exit code as an output, and every report."""
    (tmp_path / "berryeval.toml").write_text(
        f'[[gate.guard]]\nmeasure = "nDCG@10"\nat_least = {at_least}\n'
    )
    found, summary, output = run_gate(judgments=f"{RUNS}/qrels.txt", run=f"{RUNS}/words.run")
    assert found == code
    assert summary.startswith(f"### {word}: ")
    assert output == f"exit-code={code}\n"
    names = {path.name for path in (tmp_path / "reports").iterdir()}
    assert names == {"report.html", "summary.md", "gate.json", "junit.xml", "log.txt"}


@pytest.mark.skipif(sys.platform == "win32", reason="the action runs in bash")
def test_the_action_reports_invalid_input(run_gate):
    """The message is in the summary, and the build fails."""
    code, summary, output = run_gate(judgments="nowhere.txt", config="nowhere.toml")
    assert (code, output) == (2, "exit-code=2\n")
    assert "nowhere.toml: cannot be read" in summary
