"""berryeval init: a berryeval.toml for what a folder contains."""

import json
import os
import textwrap
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from berryeval import __version__
from berryeval.cli import main
from berryeval.suite.ci_jobs import job_for
from berryeval.suite.new_project import inspect_folder
from berryeval.suite.settings import read_settings

RUN = "q1 Q0 d1 1 2.5 t\nq2 Q0 d2 1 1.5 t\n"
QRELS = "q1 0 d1 1\nq2 0 d2 1\n"
PINNED = f"berryeval~={'.'.join(__version__.split('.')[:2])}"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """An empty working directory."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def berryeval(*arguments):
    """Run a command."""
    return CliRunner().invoke(main, list(arguments))


def add_runs(folder):
    """Add judgments and two runs, `new` being newer than `old`."""
    (folder / "runs").mkdir()
    (folder / "qrels.txt").write_text(QRELS)
    for seconds, name in enumerate(("old", "new")):
        (folder / "runs" / f"{name}.run").write_text(RUN)
        os.utime(folder / "runs" / f"{name}.run", (1_700_000_000 + seconds,) * 2)


def test_two_runs_become_candidate_and_baseline(folder):
    """The newest is the candidate; what was written can be used as it is."""
    add_runs(folder)
    result = berryeval("init")
    assert result.exit_code == 0, result.output
    assert "judgments  qrels.txt\n" in result.output
    assert result.output.endswith("Wrote berryeval.toml. Next: berryeval gate\n")
    settings = read_settings("berryeval.toml")
    assert Path(settings.run).samefile("runs/new.run")
    assert Path(settings.baseline).samefile("runs/old.run")
    assert berryeval("gate").exit_code in (0, 3)


@pytest.mark.parametrize("n_queries", [58, 59])
def test_a_small_set_is_decided_by_itself(folder, n_queries):
    """A harmless change passes and a large drop fails; a larger set is tested."""
    (folder / "qrels.txt").write_text("".join(f"q{i} 0 d1 1\n" for i in range(n_queries)))
    good = "".join(f"q{i} Q0 d1 1 2 t\nq{i} Q0 d2 2 1 t\n" for i in range(n_queries))
    (folder / "a.run").write_text(good)
    (folder / "b.run").write_text(good.replace("q0 Q0 d2", "q0 Q0 d3"))
    bad = good.replace(" d1 ", " d4 ", 5)
    (folder / "bad").write_text(bad)
    for name, seconds in (("a.run", 0), ("b.run", 9)):
        os.utime(folder / name, (1_700_000_000 + seconds,) * 2)
    written = berryeval("init").output
    is_small = n_queries < 59
    assert ("Small set: with fewer than 59 queries" in written) == is_small
    assert read_settings("berryeval.toml").gate.inference == ("set" if is_small else "population")
    assert berryeval("gate").exit_code == 0
    assert berryeval("gate", "--run", "bad").exit_code == (1 if is_small else 3)


def test_a_golden_set_and_a_search_function_are_found(folder):
    """The function is parsed, not called."""
    (folder / "golden" / "documents").mkdir(parents=True)
    (folder / "golden" / "documents" / "a.md").write_text("# A\n")
    (folder / "golden" / "judgments.jsonl").write_text(
        json.dumps({"query_id": "q1", "doc_id": "a", "relevance": 1}) + "\n"
    )
    (folder / "golden" / "queries.jsonl").write_text('{"id": "q1", "query": "text"}\n')
    (folder / "shop").mkdir()
    (folder / "shop" / "engine.py").write_text(
        "raise SystemExit\ndef search(query, top_k=10): ...\ndef search_all(query, k): ...\n"
    )
    (folder / "broken.py").write_text("def search(query, k:\n")
    (folder / "rag.py").write_text(
        "def retrieve(question, limit=5): ...\ndef find(path, k): ...\ndef search(query): ...\n"
    )
    found = inspect_folder(folder)
    assert found.judgments == ("golden/judgments.jsonl",)
    assert found.queries == ("golden/queries.jsonl",)
    assert found.documents == ("golden/documents",)
    assert found.systems == (
        "rag:retrieve", "shop.engine:search", "rag:search", "shop.engine:search_all"
    )  # fmt: skip
    (folder / "rag.py").unlink()
    assert berryeval("init").exit_code == 0
    settings = read_settings("berryeval.toml")
    assert settings.system == "shop.engine:search"
    assert settings.run is settings.documents is None  # a function has its own documents
    assert Path(settings.baseline).name == "baseline.json"


RETRIEVER = """
class Retriever:
    def invoke(self, query):
        return [{"id": "d1"}] if "reset" in query else [{"id": "d2"}]

def build_retriever(): ...
def tuned_retriever(depth): ...
def default_retriever(depth=3): ...
old_retriever = None
my_retriever = Retriever()
"""


@pytest.mark.parametrize(("service", "job"), [("github", ".github/workflows/search-quality.yml"),
                                              ("gitlab", ".gitlab-ci.yml")])  # fmt: skip
def test_from_a_retriever_to_a_gate_in_ci(folder, monkeypatch, service, job):
    """Three commands suffice, without an editor: init, baseline save, gate."""
    (folder / "app_of_init.py").write_text(RETRIEVER)
    (folder / "requirements.txt").write_text("langchain\n")
    (folder / "qrels.txt").write_text(QRELS)
    (folder / "queries.jsonl").write_text(
        '{"id": "q1", "query": "reset password"}\n{"id": "q2", "query": "export"}\n'
    )
    monkeypatch.syspath_prepend(folder)
    assert inspect_folder(folder).systems == (
        "app_of_init:build_retriever", "app_of_init:default_retriever", "app_of_init:my_retriever"
    )  # fmt: skip
    result = berryeval("init", "--system", "app_of_init:my_retriever", "--ci", service)
    assert result.exit_code == 0, result.output
    assert f"Wrote berryeval.toml and {job}. Next: berryeval baseline save" in result.output
    steps = (folder / job).read_text()
    assert f"pip install {PINNED} -r requirements.txt" in steps
    assert "berryeval gate --report" in steps
    early = berryeval("gate")
    assert early.exit_code == 2
    assert "save one with `berryeval baseline save`" in early.stderr
    assert berryeval("baseline", "save").exit_code == 0
    assert berryeval("gate").exit_code == 0
    again = berryeval("init", "--ci", service)
    assert again.exit_code == 2
    assert "exists already; use --force to replace it" in again.stderr
    (folder / job).unlink()
    again = berryeval("init", "--ci", service)
    assert again.exit_code == 0
    assert f"Wrote {job}. Next: berryeval gate\n" in again.output


def test_a_job_installs_the_project(folder):
    """It installs the packages in its pyproject.toml; without one, only BerryEval."""
    assert f"pip install {PINNED}\n" in job_for("github", folder).text
    (folder / "pyproject.toml").write_text("[project]\n")
    assert f"pip install {PINNED} .\n" in job_for("gitlab", folder).text


def test_a_workflow_keeps_the_page_of_the_verdict(folder):
    """Also if the gate fails."""
    [job] = yaml.safe_load(job_for("github", folder).text)["jobs"].values()
    kept = job["steps"][-1]
    assert kept["uses"].startswith("actions/upload-artifact@")
    assert (kept["if"], kept["with"]["path"]) == ("always()", "gate.html")


def test_a_baseline_is_recognised(folder):
    """Then all runs are candidates, the newest first."""
    add_runs(folder)
    saved = berryeval("baseline", "save", "--judgments", "qrels.txt", "--run", "runs/old.run",
                      "--baseline", "main.json")  # fmt: skip
    assert saved.exit_code == 0, saved.output
    printed = berryeval("init", "--print").output
    assert 'baseline = "main.json"\n' in printed
    assert 'run = "runs/new.run"\n# run = "runs/old.run"\n' in printed
    assert not (folder / "berryeval.toml").exists()


def test_an_empty_folder_gets_a_template(folder):
    """Every setting is a comment with an example, and the next step is to judge."""
    result = berryeval("init")
    assert "There are no judgments yet: berryeval golden init" in result.output
    assert "berryeval inspect FILE shows why not" in result.output
    settings = read_settings("berryeval.toml")
    assert settings.judgments is settings.run is settings.system is None
    assert inspect_folder(folder).is_empty


def test_an_existing_file_is_kept(folder):
    """It is only replaced with --force."""
    (folder / "berryeval.toml").write_text('judgments = "mine"\n')
    result = berryeval("init")
    assert result.exit_code == 2
    assert "berryeval.toml: exists already; use --force to replace it" in result.output
    assert (folder / "berryeval.toml").read_text() == 'judgments = "mine"\n'
    assert berryeval("init", "--force").exit_code == 0
    assert "mine" not in (folder / "berryeval.toml").read_text()


def test_other_files_are_passed_over(folder):
    """Binary files, broken ones, and files of other programs are not runs."""
    (folder / "notes.txt").write_text("a few words\n")
    (folder / "empty.run").write_text("")
    (folder / "picture.json").write_bytes(b"\x89PNG\r\n\x1a\n\x00")
    (folder / "package.json").write_text('{"name": "shop", "version": "1.0"}')
    assert inspect_folder(folder).is_empty


def test_a_folder_that_does_not_exist_is_an_error():
    """The message is one line."""
    result = berryeval("init", "nowhere")
    assert result.exit_code == 2
    assert "FOLDER: expected an existing folder, got 'nowhere'" in result.output


def test_a_search_that_is_not_found_can_be_named(folder):
    """The next step leads to settings with which a baseline can be saved."""
    (folder / "qrels.txt").write_text("q1 0 d1 1\n")
    first = berryeval("init", "--ci", "github")
    assert "berryeval init --system my_app:search" in first.output
    assert "The job for CI is written once there are judgments and a search." in first.output
    assert not (folder / ".github").exists()
    done = berryeval("init", "--system", "my_app:search", "--ci", "github")
    assert done.exit_code == 0, done.output
    assert (folder / ".github").exists()
    assert "Incomplete" not in (folder / "berryeval.toml").read_text()
    assert Path(read_settings("berryeval.toml").baseline).name == "baseline.json"


CLASSES = """
import os

class Engine:
    def __init__(self, path):
        self.path = path
    def retrieve(self, query, top_k=5): ...

class Plain:
    def search(self, question): ...

class Other:
    def run(self): ...

engine = Engine("index")

def hybrid_search(question, top_k=10): ...
def search(query): ...
def search_page(page, query): ...
def test_search(query, k): ...
def _search(query, k): ...
"""


def test_objects_classes_and_functions_of_the_query_are_found(folder):
    """The likeliest first; what could not be called is left out."""
    (folder / "rag.py").write_text(CLASSES)
    found = inspect_folder(folder)
    assert found.systems == (
        "rag:engine", "rag:hybrid_search", "rag:search", "rag:Plain"
    )  # fmt: skip
    assert [(one.place, one.method, one.arguments) for one in found.unready] == [
        ("rag:Engine", "retrieve", ("path",))
    ]


FACTORIES = """
from dataclasses import dataclass
from shop.engine import Engine

@dataclass
class Stored:
    path: str
    depth: int = 3
    def search(self, question, limit=5): ...

def default() -> Stored:
    return make(1)

def assembled():
    engine = Engine("index")
    return engine

def sized(size=3):
    return Stored(size)

def scored():
    return len(Engine("index").search("x"))

def _hidden():
    return Stored("index")

@fixture
def searched():
    return Stored("index")
"""


def test_functions_that_return_a_search_are_found(folder):
    """Those without parameters, with the class from any module of the project."""
    (folder / "shop").mkdir()
    (folder / "shop" / "engine.py").write_text(
        "class Engine:\n    def __init__(self, path): ...\n    def search(self, query): ...\n"
    )
    (folder / "app.py").write_text(FACTORIES)
    (folder / "conftest.py").write_text(FACTORIES)
    found = inspect_folder(folder)
    assert found.systems == ("app:default", "app:assembled")
    assert [one.place for one in found.unready] == ["app:Stored", "shop.engine:Engine"]


def test_a_class_that_needs_arguments_gets_a_function(folder):
    """The text can be pasted as it is; the class itself is refused."""
    (folder / "qrels.txt").write_text(QRELS)
    (folder / "app.py").write_text(
        "class Store:\n    def __init__(self, index_path): ...\n"
        "    def search(self, question, limit=5):\n        return ['d1']\n"
    )
    first = berryeval("init")
    assert "app:Store has search, but requires index_path\n" in first.output
    function = "    def retriever():\n        return Store(index_path=...)\n"
    assert f"add this function to app.py, and repeat the command:\n\n{function}" in first.output
    refused = berryeval("init", "--system", "app:Store")
    assert refused.exit_code == 2
    assert "got app:Store, which requires index_path; add a function to app.py" in refused.stderr
    with (folder / "app.py").open("a") as file:
        file.write(textwrap.dedent(function))
    assert berryeval("init").exit_code == 0
    assert read_settings("berryeval.toml").system == "app:retriever"


def test_queries_are_those_of_the_judgments(folder):
    """Documents have ids and texts, too; folders are read in the order of their names."""
    (folder / "data").mkdir()
    rows = [{"id": f"d{i}", "title": "", "text": "words"} for i in range(3)]
    (folder / "data" / "index.json").write_text(json.dumps(rows))
    (folder / "data" / "log.jsonl").write_text('{"_id": "q9", "text": "hats"}\n')
    (folder / "golden" / "qrels").mkdir(parents=True)
    (folder / "golden" / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\t1\n")
    (folder / "golden" / "queries.jsonl").write_text('{"_id": "q1", "text": "hats"}\n')
    found = inspect_folder(folder)
    assert found.queries == ("golden/queries.jsonl",)
    assert found.documents == ("data/index.json",)


def test_questions_with_expected_documents_are_converted_first(folder):
    """Five commands, without an editor: init says which one is missing."""
    (folder / "app_of_questions.py").write_text("def search(query):\n    return [query + '.md']\n")
    (folder / "my questions.csv").write_text("question,expected_docs\nhats,hats.md\nshoes,a.md\n")
    first = berryeval("init")
    assert first.exit_code == 2
    assert first.stderr.endswith(
        "got questions with expected documents in my questions.csv; convert them first: "
        "berryeval dataset 'my questions.csv' golden\n"
    )
    assert not (folder / "berryeval.toml").exists()
    assert berryeval("dataset", "my questions.csv", "golden").exit_code == 0
    assert berryeval("init").exit_code == 0
    settings = read_settings("berryeval.toml")
    assert Path(settings.judgments).samefile("golden/qrels/test.tsv")
    assert settings.system == "app_of_questions:search"


@pytest.fixture
def inner(folder, monkeypatch):
    """A project in a folder of a Git repository, which is the working directory."""
    (folder / ".git").mkdir()
    (folder / "requirements.txt").write_text("faiss-cpu\n")
    inner = folder / "apps" / "rag"
    inner.mkdir(parents=True)
    (inner / "qrels.txt").write_text(QRELS)
    (inner / "app.py").write_text("def search(query, k): ...\n")
    monkeypatch.chdir(inner)
    return inner


def test_a_workflow_is_written_at_the_root_of_the_repository(folder, inner):
    """GitHub reads no other; the job runs in the folder of the project."""
    result = berryeval("init", "--ci", "github")
    assert result.exit_code == 0, result.output
    assert "this one runs in apps/rag." in result.output
    assert not (inner / ".github").exists()
    path = folder / ".github/workflows/search-quality-apps-rag.yml"
    [job] = yaml.safe_load(path.read_text())["jobs"].values()
    assert job["defaults"] == {"run": {"working-directory": "apps/rag"}}
    assert job["steps"][2] == {"run": f"python -m pip install {PINNED} -r ../../requirements.txt"}
    whole = job_for("github", folder)
    assert whole.path == folder / ".github/workflows/search-quality.yml"
    assert "working-directory" not in whole.text


def test_a_job_for_gitlab_leaves_others_alone(folder, inner):
    """An existing pipeline includes it; without one, it is the pipeline."""
    assert berryeval("init", "--ci", "gitlab").exit_code == 0
    job = yaml.safe_load((folder / ".gitlab-ci.yml").read_text())["search-quality"]
    assert job["script"][0] == "cd apps/rag"
    assert job["artifacts"]["paths"] == ["apps/rag/gate.html"]
    (folder / ".gitlab-ci.yml").write_text("stages: [test]\n")
    (inner / "berryeval.toml").unlink()
    again = berryeval("init", "--ci", "gitlab")
    line = "Add this line to .gitlab-ci.yml: include: /.gitlab/search-quality-apps-rag.yml\n"
    assert line in again.output
    assert (folder / ".gitlab-ci.yml").read_text() == "stages: [test]\n"
    written = (folder / ".gitlab/search-quality-apps-rag.yml").read_text()
    assert "berryeval gate --report gate.html" in written
