"""The how-to on judging with a model: every command, against a local chat API."""

import json
import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from berryeval.cli import main
from berryeval.evaluation.label_draw import draw_labels
from berryeval.golden.reading import read_golden_set
from judges.chat_server import Model, confused, model_served
from judges.judged_set import GRADES, document_text, query_text, truth

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "judge-with-a-model.md"
COMMAND = re.compile(
    r"^```console\n\$ (berryeval (?:judge|compare|golden import) .*?)\n(.*?)^```",
    re.DOTALL | re.MULTILINE,
)
N_QUERIES, N_DRAWN = 120, 50
GENEROUS = [[0.85, 0.1, 0.05, 0], [0.05, 0.8, 0.15, 0], [0, 0.05, 0.85, 0.1], [0, 0, 0.08, 0.92]]
OLD = [(0, 5, 1, 6, 3), (1, 0, 2, 4, 5), (5, 2, 0, 3, 6), (3, 1, 4, 0, 2)]
NEW = [(0, 1, 7, 2, 4), (7, 2, 5, 0, 3), (0, 2, 1, 7, 6), (2, 7, 6, 1, 0), (6, 1, 3, 7, 2)]


@pytest.fixture
def golden(tmp_path, monkeypatch):
    """A set whose drawn queries people judged, and two runs."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "golden"
    folder.mkdir()
    numbers = range(N_QUERIES)
    documents = [
        {"_id": f"d{number}-{place}", "text": document_text(number, place)}
        for number in numbers
        for place in range(len(GRADES))
    ]
    queries = [{"id": f"q{number}", "query": query_text(number)} for number in numbers]
    (folder / "documents.jsonl").write_text("".join(json.dumps(d) + "\n" for d in documents))
    (folder / "test-queries.json").write_text(json.dumps({"queries": queries}))
    (folder / "GUIDELINE.md").write_text("Judge from the text.\n")
    write_judgments(folder, [])
    for name, orders in (("old", OLD), ("new", NEW)):
        lines = [
            f"q{number} Q0 d{number}-{place} {rank} {10 - rank} {name}\n"
            for number in numbers
            for rank, place in enumerate(orders[number % len(orders)], start=1)
        ]
        (tmp_path / f"{name}.run").write_text("".join(lines))
    ids = [query.query_id for query in read_golden_set(folder).queries]
    write_judgments(folder, sorted(draw_labels(ids, N_DRAWN).labelled))
    return folder


def write_judgments(folder, query_ids):
    """Write the true grades of some queries, as given by people."""
    judged = [
        {
            "query_id": query_id,
            "relevant": [
                {"chunk_id": f"d{query_id[1:]}-{place}", "grade": grade}
                for place, grade in enumerate(GRADES)
                if grade
            ],
            "not_relevant": [
                f"d{query_id[1:]}-{place}" for place, grade in enumerate(GRADES) if not grade
            ],
        }
        for query_id in query_ids
    ]
    labels = ["Not relevant", "Marginal", "Partly answers it", "Answers it"]
    content = {"scale": 3, "labels": labels, "judgments": judged}
    (folder / "relevance-judgments.json").write_text(json.dumps(content))


@pytest.fixture(scope="module")
def chat_server():
    """A program that errs in a known way, under the name on the page."""
    model = Model(confused(truth, GENEROUS))
    model.name = model.version = "qwen3"
    with model_served(model) as place:
        yield place


@pytest.mark.usefixtures("golden")
def test_the_commands_print_what_the_page_shows(chat_server):
    """They lead from the draw to a corrected difference and an archive; only ports may differ."""
    address = chat_server.partition("@")[2]
    port = address.partition("//")[2].removesuffix("/v1")
    found = COMMAND.findall(PAGE.read_text(encoding="utf-8"))
    assert len(found) == 8
    for command, expected in found:
        words = shlex.split(command.replace("$JUDGE", f"openai:qwen3@{address}"))
        result = CliRunner().invoke(main, words[1:])
        assert result.exit_code == 0, result.output
        shown = "\n".join(line.rstrip() for line in result.stdout.splitlines())
        shown = re.sub(r"admitted on [-\d]+", "admitted on 2026-11-18", shown)
        assert figures(shown.replace(port, "localhost:11434")) == figures(expected.rstrip("\n"))


def figures(text):
    """Return a text without input tokens: the port decides which pairs are judged again."""
    return re.sub(r"[\d,]+(?= input)|(?<=estimated  )[\d,]+", "N", text)
