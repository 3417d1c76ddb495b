"""The GitHub action and workflow are read as GitHub reads them, and their scripts are run."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import berryeval as be

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

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


def test_dependencies_are_audited_every_week():
    """All lock files are audited, and a package that cannot be looked up fails the audit."""
    audit = load(".github/workflows/audit.yml")
    [schedule] = audit["on"]["schedule"]
    assert re.fullmatch(r"\d+ \d+ \* \* \d", schedule["cron"])
    commands = "\n".join(one.get("run", "") for one in audit["jobs"]["python"]["steps"])
    assert commands.count("pip-audit --strict") == 2
    assert "constraints.txt" in commands
    assert "for file in requirements-*.txt" in commands
    assert "npm audit" in audit["jobs"]["npm"]["steps"][-1]["run"]


def test_the_workflow_runs_if_search_or_golden_files_change():
    """X10: on push and on pull request, with the same paths."""
    triggers = QUALITY["on"]
    assert triggers["push"]["paths"] == triggers["pull_request"]["paths"]
    paths = triggers["push"]["paths"]
    assert {"src/berryeval/search/**", "src/berryeval/golden/**"} <= set(paths)
    for path in paths:  # a path that matches nothing triggers nothing
        assert any(ROOT.glob(path.removesuffix("/**"))), path


def test_the_workflow_runs_if_a_package_changes_that_search_imports():
    """X10: fusion, formats and data types affect the results as much as the search does."""
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
    assert {"judgments", "run", "baseline", "config", "python-version", "extras", "report",
            "requirements"} <= used  # fmt: skip
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


BASH = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c"]


@pytest.mark.skipif(sys.platform == "win32", reason="the action runs in bash")
@pytest.mark.parametrize(
    ("inputs", "package"),
    [
        ({}, f"berryeval=={be.__version__}"),
        ({"EXTRAS": "search,frames"}, f"berryeval[search,frames]=={be.__version__}"),
        ({"VERSION": "1.4.0"}, "berryeval==1.4.0"),
        ({"VERSION": "source"}, f"berryeval @ file://{ROOT}"),
    ],
)
def test_the_action_installs_the_wheel_of_its_release(tmp_path, inputs, package):
    """Only `version: source` builds; the package is part of the key of the cache."""
    steps = ACTION["runs"]["steps"]
    choose = step(steps, "Choose the package")
    output = tmp_path / "output"
    environment = {"EXTRAS": "", "VERSION": "", "SOURCE": str(ROOT), "GITHUB_OUTPUT": str(output)}
    assert set(choose["env"]) == environment.keys() - {"GITHUB_OUTPUT"}
    (tmp_path / "python").write_text("#!/bin/sh\necho /cache\n")
    (tmp_path / "python").chmod(0o755)
    environment |= inputs | {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    subprocess.run([*BASH, choose["run"]], env=environment, check=True)
    found = dict(line.split("=", 1) for line in output.read_text().splitlines())
    assert found == {"package": package, "cache": "/cache"}
    [cache] = [one for one in steps if one.get("uses", "").startswith("actions/cache@")]
    assert "steps.package.outputs.package" in cache["with"]["key"]
    assert "hashFiles(inputs.requirements)" in cache["with"]["key"]


@pytest.mark.skipif(sys.platform == "win32", reason="the action runs in bash")
def test_the_action_installs_the_requirements_of_the_project(tmp_path):
    """Without any, pip installs only the package."""
    (tmp_path / "python").write_text('#!/bin/sh\necho "$@"\n')
    (tmp_path / "python").chmod(0o755)
    install = step(ACTION["runs"]["steps"], "Install berryeval")
    for given, expected in (("", ""), ("a b.txt", " --requirement a b.txt")):
        done = subprocess.run(
            [*BASH, install["run"]],
            env={
                "PATH": f"{tmp_path}:{os.environ['PATH']}",
                "PACKAGE": "berryeval==1",
                "REQUIREMENTS": given,
            },
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        assert done.stdout == f"-m pip install berryeval==1{expected}\n"


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
            [*BASH, gate["run"]],
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


@pytest.mark.skipif(sys.platform == "win32", reason="the action runs in bash")
def test_reports_of_an_earlier_gate_are_removed(run_gate, tmp_path):
    """A gate that fails before it writes a report leaves none that looks like its own."""
    (tmp_path / "reports").mkdir()
    for name in ("report.html", "summary.md", "gate.json", "junit.xml"):
        (tmp_path / "reports" / name).write_text("stale")
    code, summary, _ = run_gate(judgments="nowhere.txt", config="nowhere.toml")
    assert code == 2
    assert [path.name for path in (tmp_path / "reports").iterdir()] == ["log.txt"]
    assert "stale" not in summary


COMPONENT = list(yaml.safe_load_all((ROOT / "templates" / "gate.yml").read_text(encoding="utf-8")))


def test_the_gitlab_component_declares_the_inputs_that_it_uses():
    """Each input has a description and a default, and every used input is declared."""
    declared, jobs = COMPONENT[0]["spec"]["inputs"], COMPONENT[1]
    used = set(re.findall(r"\$\[\[ inputs\.(\w+) \]\]", str(jobs)))
    assert used == set(declared)
    assert all({"description", "default"} <= entry.keys() for entry in declared.values())
    assert "inputs." not in str(jobs["search-quality"]["script"]), "an input could inject commands"


@pytest.mark.skipif(sys.platform == "win32", reason="the component runs in a shell")
def test_the_gitlab_component_runs_the_gate(tmp_path):
    """Its script writes every report that the job collects, and exits with the verdict."""
    job = COMPONENT[1]["search-quality"]
    (tmp_path / "berryeval.toml").write_text(
        f'judgments = "{RUNS}/qrels.txt"\n[[gate.guard]]\nmeasure = "nDCG@10"\nat_least = 0.99\n'
    )
    values = {name: entry["default"] for name, entry in COMPONENT[0]["spec"]["inputs"].items()}
    values["run"] = f"{RUNS}/words.run"
    environment = {
        name: re.sub(r"\$\[\[ inputs\.(\w+) \]\]", lambda match: values[match[1]], value)
        for name, value in job["variables"].items()
    }
    install, *others = job["script"]
    assert install.startswith("python -m pip install ")
    scripts = str(Path(sys.executable).parent)
    done = subprocess.run(
        ["sh", "-ec", "\n".join(others)],
        cwd=tmp_path,
        env=os.environ | environment | {"PATH": f"{scripts}:{os.environ['PATH']}"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1, done.stderr
    assert "FAIL" in done.stdout
    folder = tmp_path / values["report"]
    assert {path.name for path in folder.iterdir()} == {"report.html", "gate.json", "junit.xml"}
    junit = job["artifacts"]["reports"]["junit"].replace("$[[ inputs.report ]]", values["report"])
    assert (tmp_path / junit).is_file()


def test_the_pre_commit_hook_runs_the_gate():
    """It takes no file names: the gate is in berryeval.toml."""
    [hook] = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    assert (hook["entry"], hook["language"]) == ("berryeval gate", "python")
    assert hook["pass_filenames"] is False


RELEASE = load(".github/workflows/release.yml")


def test_a_release_is_published_only_from_a_tag_and_after_all_checks():
    """Publishing needs no password, and only its own job may ask the index to trust it."""
    jobs = RELEASE["jobs"]
    publish = jobs["publish"]
    assert publish["if"] == "startsWith(github.ref, 'refs/tags/v')"
    assert publish["needs"] == "check"
    assert set(jobs["check"]["needs"]) == {"wheels", "source"}
    assert publish["permissions"] == {
        "contents": "read", "id-token": "write", "attestations": "write",
    }  # fmt: skip
    others = {name: job.get("permissions", {}) for name, job in jobs.items() if name != "publish"}
    assert not any("id-token" in permissions for permissions in others.values())
    for name in ("announce", "site"):
        assert jobs[name]["needs"] == "publish"


def test_wheels_are_built_for_the_common_platforms():
    """glibc and musl on x86-64 and ARM, both kinds of Mac, and Windows; cp312 is the stable ABI."""
    systems = RELEASE["jobs"]["wheels"]["strategy"]["matrix"]["os"]
    for name in ("ubuntu-latest", "ubuntu-24.04-arm", "macos-latest", "macos-15-intel",
                 "windows-latest", "windows-11-arm"):  # fmt: skip
        assert name in systems
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    settings = project["tool"]["cibuildwheel"]
    assert settings["build"] == ["cp310-*", "cp311-*", "cp312-*"]
    assert not any("musllinux" in pattern for pattern in settings["skip"])


def test_every_script_of_the_release_exists():
    """A step that names a missing file would fail only after a tag was pushed."""
    text = (ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8")
    scripts = set(re.findall(r"\bscripts/[\w/]+\.(?:py|sh)\b", text))
    assert {"scripts/check_packages.py", "scripts/first_hour.sh", "scripts/release.py"} <= scripts
    for path in scripts:
        assert (ROOT / path).is_file(), path
