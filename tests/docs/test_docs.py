"""Documentation that must match the code."""

import importlib.util
import inspect
import os
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest

import berryeval as be
from berryeval import cli, metrics, ranking
from berryeval.evaluation.gate_rules import RULES
from berryeval.search.opening import SETTINGS
from berryeval.trec_eval import read_names

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"


def load(path: Path):
    """Import a script that is not part of a package."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


generate = load(DOCS / "generate.py")
API_PAGES = generate.api_pages(generate.NOTICE)


@pytest.mark.parametrize("name", [*generate.PAGES, *API_PAGES])
def test_generated_pages_are_up_to_date(name):
    """They equal the output of `make reference`."""
    page = API_PAGES[name] if name in API_PAGES else generate.PAGES[name]()
    assert (DOCS / "reference" / name).read_text(encoding="utf-8") == page


def commands() -> list[tuple[str, click.Command]]:
    context = click.Context(cli.main)
    return [(name, cli.main.get_command(context, name)) for name in cli.main.list_commands(context)]


@pytest.mark.parametrize(("name", "command"), commands())
def test_every_command_and_option_is_documented(name, command):
    """Each has a help text, an example, and an entry in the reference."""
    page = (DOCS / "reference" / "cli.md").read_text(encoding="utf-8")
    assert f"## berryeval {name}\n" in page
    assert re.search(rf"\n +berryeval {name}\b", page)
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            assert parameter.help, parameter.name
            assert parameter.hidden or parameter.opts[0] in page


def test_every_flag_of_trec_eval_is_in_its_how_to():
    """Each short and long form has a row in the table."""
    page = (DOCS / "how-to" / "replace-trec-eval.md").read_text(encoding="utf-8")
    table = page[page.index("## Flags") : page.index("Long forms")]
    documented = set(re.findall(r"`(--?\w+)", table))
    command = dict(commands())["trec_eval"]
    flags = {flag for option in command.params if isinstance(option, click.Option)
             for flag in option.opts}  # fmt: skip
    assert documented == flags


def test_the_conformance_page_has_every_measure_of_trec_eval():
    """Each has a row in the table; a new one must be compared."""
    page = (DOCS / "reference" / "conformance.md").read_text(encoding="utf-8")
    nicknames = ["all_trec", "all_prefs", "qrels_jg", "yaap", "dcg", "ideal_dcg"]
    for name in read_names(nicknames, "10.0"):
        assert re.search(rf"^\| `{name}`( \(10.0\))? \|", page, re.MULTILINE), name


def test_every_public_name_is_in_the_reference():
    """Each is listed once, under a public path, and private names are not listed."""
    paths = [
        path
        for page in sorted((DOCS / "reference" / "python").glob("*.md"))
        for path in re.findall(r"^::: (\S+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    ]
    assert len(paths) == len(set(paths))
    names = [path.rpartition(".")[2] for path in paths]
    assert not [path for path in paths if "._" in path]
    public = {
        name
        for module in (be, metrics, ranking)
        for name in module.__all__
        if not name.startswith("_") and not inspect.ismodule(getattr(module, name))
    }
    assert public <= set(names)


DECISIONS = sorted((DOCS / "decisions").glob("[0-9]*.md"))


@pytest.mark.parametrize("path", DECISIONS, ids=lambda path: path.stem)
def test_every_decision_has_a_status(path):
    """Its last section is the status, which agrees with the index; the title has its number."""
    page = path.read_text(encoding="utf-8")
    index = (DOCS / "decisions" / "index.md").read_text(encoding="utf-8")
    assert page.startswith(f"# {path.stem[:4]}: ")
    assert re.findall("^## (.+)$", page, re.MULTILINE)[-1] == "Status"
    status = page.rpartition("## Status\n\n")[2]
    [listed] = re.findall(rf"^\| \[{path.stem[:4]}\].+\| (.+) \|$", index, re.MULTILINE)
    assert status.lower().startswith(listed.partition(" ")[0].rstrip(";"))
    assert set(re.findall("by ([0-9]{4})", listed)) <= set(re.findall(r"\[([0-9]{4})\]", status))


def test_the_glossary_is_in_order():
    """Entries are in alphabetical order, and each appears once."""
    page = (DOCS / "reference" / "glossary.md").read_text(encoding="utf-8")
    words = [word.strip("`") for word in re.findall(r"^\| (.+?) \|", page, re.MULTILINE)[1:]]
    keys = [word.lower().replace("_", " ") for word in words]
    assert keys == sorted(set(keys))


VARIABLES = [
    *(rule.variable for rule in RULES),
    "BERRYEVAL_AT_LEAST",
    "BERRYEVAL_ARCHIVE",
    "BERRYEVAL_BACKEND",
    "BERRYEVAL_BASELINE",
    "BERRYEVAL_BASELINE_TIMINGS",
    "BERRYEVAL_LABEL_DRAW",
    "BERRYEVAL_MODEL_JUDGMENTS",
    "BERRYEVAL_CONFIG",
    "BERRYEVAL_CORPUS",
    "BERRYEVAL_DSN",
    "BERRYEVAL_EQUIVALENT",
    "BERRYEVAL_HOST",
    "BERRYEVAL_JUDGMENTS",
    "BERRYEVAL_LENGTHS",
    "BERRYEVAL_MARGIN",
    "BERRYEVAL_PORT",
    "BERRYEVAL_QUERIES",
    "BERRYEVAL_RUN",
    "BERRYEVAL_THREADS",
    "BERRYEVAL_TIMINGS",
    "BERRYEVAL_TOKEN",
    "NO_COLOR",
    "OPENAI_API_KEY",
    "OPENAI_BASE_URL",
    "OPENSEARCH_API_KEY",
    "OPENSEARCH_PASSWORD",
    "OPENSEARCH_USER",
    "SSL_CERT_FILE",
]


@pytest.mark.parametrize("variable", VARIABLES)
def test_every_environment_variable_is_documented(variable):
    """Every variable that the code reads is on the page."""
    assert f"`{variable}`" in (DOCS / "reference" / "environment.md").read_text(encoding="utf-8")


def test_every_extra_is_documented():
    """One page lists all extras; `all` includes every other one but Spark, of 490 MB."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    rows = re.findall(
        r"^\| (`.*?) \|", (DOCS / "how-to" / "install.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert set(re.findall(r"`(\w+)`", " ".join(rows))) == extras.keys()
    assert extras["all"] == [f"berryeval[{','.join(sorted(extras.keys() - {'all', 'spark'}))}]"]


def test_the_list_of_environment_variables_is_complete():
    """It contains all variables that the sources mention."""
    sources = "".join(path.read_text(encoding="utf-8") for path in ROOT.glob("src/**/*.py"))
    made = {rule.variable for rule in RULES}  # no source spells these out
    assert (
        set(re.findall(r"BERRYEVAL_[A-Z_]+[A-Z]", sources)) - made
        == {variable for variable in VARIABLES if variable.startswith("BERRYEVAL")} - made
    )


def test_every_setting_of_a_system_is_in_the_reference():
    """Each has a row in its section."""
    page = (DOCS / "reference" / "systems.md").read_text(encoding="utf-8")
    headings = {
        "embedded": "Embedded",
        "postgres": "PostgreSQL",
        "postgres_query": "PostgreSQL",
        "opensearch": "OpenSearch and Elasticsearch",
        "http": "HTTP",
        "replay": "Replay",
        "function": "Python",
    }
    for kind, settings in SETTINGS.items():
        start = page.index(f"\n## {headings[kind]}\n") + 1
        section = page[start : page.find("\n## ", start)]
        for name in settings:
            assert re.search(rf"^\|.*`{name}`.*\|", section, re.MULTILINE), (kind, name)


def test_the_readme_quotes_an_inconclusive_gate():
    """The quoted words are those of a verdict."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    promised = re.search(r"inconclusive: \*([^*]+)\*", readme)[1]
    judgments = {f"q{i}": {"d1": 1} for i in range(30)}
    other = [["d1", "d2"], ["d2", "d1"]]
    runs = {name: {q: other[(i + start) % 2] for i, q in enumerate(judgments)}
            for start, name in enumerate(("baseline", "candidate"))}  # fmt: skip
    result = be.gate(be.compare(judgments, runs, "P@1"), margin=0.05)
    assert result.verdict == "inconclusive"
    message = re.sub(r" \([\d,]+ to [\d,]+\)", "", result.sentence.lower())
    assert re.search(promised.replace("N", r"[\d,]+"), message), result.sentence


def run_example(*arguments: Path) -> str:
    done = subprocess.run(
        [sys.executable, ROOT / "examples" / "two_search_engines.py", *arguments],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"COLUMNS": "80"},
    )
    return done.stdout


def test_the_example_runs_and_prints_its_table():
    """It ends with a comparison of two search engines."""
    shown = run_example()
    assert re.search(r"words \(baseline\) +stems$", shown, re.MULTILINE)
    assert re.search(r"^nDCG@10 +0\.\d{4}  0\.\d{4}$", shown, re.MULTILINE)
    assert re.search(r"^stems is .* words", shown, re.MULTILINE)


def test_the_example_writes_a_page(tmp_path):
    """The report can be opened in a browser."""
    page = tmp_path / "new" / "report.html"
    assert run_example(page.parent, page).rstrip().endswith(f"Open {page} in a browser.")
    assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def test_the_files_of_the_example_are_its_output(tmp_path):
    """README and documentation use them."""
    run_example(tmp_path)
    for path in (ROOT / "examples" / "runs").iterdir():
        assert (tmp_path / path.name).read_text() == path.read_text()


def pages() -> list[Path]:
    found = [*DOCS.rglob("*.md"), *ROOT.glob("*.md")]
    return sorted(found)


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_links_between_pages_work(page):
    """No relative link is dead."""
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if not re.match(r"[a-z]+:|#|gallery/", target):  # made while the site is built
            path = page.parent / target.partition("#")[0]
            assert path.exists(), target


def test_requirements_in_tests_and_on_the_page_are_the_same():
    """Every id in a test or benchmark is explained, and vice versa."""
    page = (DOCS / "reference" / "requirements.md").read_text(encoding="utf-8")
    explained = set(re.findall(r"^\| ([A-Z]\d+) \|", page, re.MULTILINE))
    named = set()
    for folder in ("tests", "benchmarks"):
        for path in (ROOT / folder).rglob("*.py"):
            for start in re.findall(r'"""((?:[A-Z]\d+(?:, | and |: ?))+)', path.read_text("utf-8")):
                named |= set(re.findall(r"[A-Z]\d+", start))
    assert named == explained
