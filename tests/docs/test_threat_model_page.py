"""The threat model and SECURITY.md describe the product as it is."""

import ast
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from berryeval.service.app import describe

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src/berryeval"
PAGE = (ROOT / "docs/explanation/threat-model.md").read_text(encoding="utf-8")

PERMISSIONS = {
    "read": {
        "compare runs": {"compare_runs", "list_holes"},
        "evaluate rankings": {"evaluate_ranking", "evaluate_ranking_everywhere"},
        "cancel its own jobs": {"cancel_job"},
    },
    "judge": {
        "store, change and withdraw judgments, queries and documents": {
            "store_queries", "store_query", "remove_query", "import_judgments", "store_judgments",
            "judge", "withdraw_judgment", "undo_judgment", "undo_import", "store_documents",
            "remove_document", "post_judgments",
        },
        "upload runs, grades of models and proposed queries": {
            "upload_run", "store_timings", "evaluate_run", "store_model_grades",
            "store_proposals", "decide_on_proposal",
        },
        "answer the questions of projects": {"answer_in_project"},
        "let gates decide": {"decide_on_run"},
        "evaluate stores and search them with other settings": {
            "evaluate_store", "search_store_tuned",
        },
    },
    "admin": {
        "remove runs": {"remove_run"},
        "change gates, baselines, stores, the scale and the guideline": {
            "set_gate", "remove_gate", "set_baseline", "remove_baseline", "create_store",
            "remove_store", "index_documents", "remove_store_document", "set_judging",
        },
        "create and settle projects": {
            "create_project", "remove_project", "set_project_state", "settle_in_project",
        },
        "admit judges and draw labels": {
            "store_admissions", "store_label_draw", "remove_label_draw",
        },
        "see, register and remove systems": {
            "list_systems", "get_system", "register_system", "remove_system",
        },
    },
    "create and remove collections": {
        "create and remove collections": {"put_collection", "remove_collection"},
    },
}  # fmt: skip
"""What each row of the table allows, and the operations that do it."""


def row_about(caller):
    """Return what the row of a role, or of those who may do something else, allows."""
    rows = re.findall(r"^\| (.+?) \| (.+?) \|$", PAGE, re.MULTILINE)
    roles = {who.partition("role `")[2].rstrip("`"): allowed for who, allowed in rows}
    return roles.get(caller) or next(allowed for _, allowed in rows if caller in allowed)


@pytest.mark.parametrize("caller", PERMISSIONS)
def test_the_table_of_callers_has_what_each_role_may_do(caller):
    """Each sentence is on the page."""
    allowed = row_about(caller)
    for sentence in PERMISSIONS[caller]:
        assert sentence in allowed


def test_every_operation_that_a_role_allows_is_in_the_table():
    """A new route that changes data, or that readers may not call, needs a sentence."""
    described = describe()["paths"]
    operations = {
        operation["operationId"]: (method, operation["x-role"])
        for methods in described.values()
        for method, operation in methods.items()
        if "x-role" in operation
    }
    documented = {
        name: caller if caller in ("read", "judge") else "admin"
        for caller, sentences in PERMISSIONS.items()
        for names in sentences.values()
        for name in names
    }
    assert documented == {
        name: role
        for name, (method, role) in operations.items()
        if (method, role) != ("get", "read")
    }


_WATCHING = """
import json, sys
contacted = []
def note(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.sendto"):
        contacted.append(event)
sys.addaudithook(note)
from berryeval.cli import main
try:
    main(sys.argv[1:], prog_name="berryeval")
except SystemExit as ended:
    code = ended.code or 0
print(json.dumps([code, contacted]), file=sys.stderr)
"""


@pytest.mark.parametrize(
    "arguments",
    [
        ["evaluate", "qrels.txt", "stems.run", "-o", "evaluation.html"],
        ["compare", "qrels.txt", "words.run", "stems.run", "-o", "comparison.html"],
        [
            "gate",
            "--judgments",
            "qrels.txt",
            "--baseline",
            "words.run",
            "--run",
            "stems.run",
            "--margin",
            "nDCG@10=0.05",
            "--report",
            "gate.html",
        ],
        ["holes", "qrels.txt", "stems.run"],
    ],
    ids=lambda arguments: arguments[0],
)
def test_commands_on_files_open_no_connections(arguments, tmp_path):
    """Their reports load nothing, either."""
    for name in ("qrels.txt", "words.run", "stems.run"):
        (tmp_path / name).write_bytes((ROOT / "examples/runs" / name).read_bytes())
    done = subprocess.run([sys.executable, "-c", _WATCHING, *arguments], cwd=tmp_path,
                          capture_output=True, text=True, check=False)  # fmt: skip
    code, contacted = json.loads(done.stderr.splitlines()[-1])
    assert code in (0, 1, 3), done.stderr
    assert contacted == []
    for page in tmp_path.glob("*.html"):
        assert not re.search(r'(?:src|href)="(?:https?:)?//', page.read_text(encoding="utf-8"))


EXECUTING = {
    "eval",
    "exec",
    "compile",
    "pickle",
    "marshal",
    "shelve",
    "dill",
    "cloudpickle",
    "joblib",
}
"""What would run code from data."""
BETWEEN_PROCESSES = {
    "pytest_plugin/_report.py",
    "pytest_plugin/_sources.py",
    "service/processes/supervisor.py",
    "service/workers/messages.py",
}
"""Modules that pass objects on to other processes of the same program, and read nothing else."""


def test_data_is_never_executed_or_unpickled():
    """Only what one of our own processes has pickled for another is unpickled."""
    found = {}
    for path in SOURCE.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        if not EXECUTING & set(re.findall(r"\w+", text)):
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Import):
                names = {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                names = {(node.module or "").partition(".")[0]}
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                names = {node.func.id}
            else:
                continue
            if names & EXECUTING:
                found.setdefault(path.relative_to(SOURCE).as_posix(), set()).update(
                    names & EXECUTING
                )
    assert found == {module: {"pickle"} for module in BETWEEN_PROCESSES}


@pytest.mark.parametrize("option", ["shell=True", "os.system(", "trust_remote_code=True"])
def test_no_program_is_started_through_a_shell(option):
    """A judge `command:PROGRAM` gets its arguments as a list."""
    assert [path.name for path in SOURCE.rglob("*.py") if option in path.read_text("utf-8")] == []


@pytest.mark.parametrize("page", ["SECURITY.md", "docs/explanation/threat-model.md"])
def test_the_commands_and_settings_on_the_page_exist(page):
    """Targets of make, options and settings of the service."""
    text = (ROOT / page).read_text(encoding="utf-8")
    targets = set(re.findall(r"`make ([a-z-]+)`", text))
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert targets <= set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    reference = (ROOT / "docs/reference/cli.md").read_text(encoding="utf-8")
    for option in re.findall(r"`(?:berryeval [a-z -]+)?(--[a-z-]+)", text):
        assert option in reference
