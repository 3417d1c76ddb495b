"""Every way to score with subtopics gives the same numbers, or an error that explains why not."""

import json

import pytest
from click.testing import CliRunner

import berryeval as be
from berryeval.cli import main
from berryeval.core.judgments import Judgments

MEASURES = ["alpha_nDCG@5", "ERR_IA@3", "NRBP", "AP_IA", "StRecall@2", "nDCG@5"]
ROWS = [
    ("q1", "1", "a", 1),
    ("q1", "2", "a", 1),
    ("q1", "1", "b", 2),
    ("q1", "3", "c", 1),
    ("q2", "1", "d", 1),
    ("q2", "2", "b", 0),
]
QRELS = "".join(f"{query} {subtopic} {doc} {grade}\n" for query, subtopic, doc, grade in ROWS)
WEIGHTS = {"q1": {"1": 1, "2": 1, "3": 4}}
GOOD = {"q1": {"a": 3.0, "c": 2.0, "x": 1.0}, "q2": {"d": 2.0, "b": 1.0}}
POOR = {"q1": {"x": 3.0, "b": 2.0, "a": 1.0}, "q2": {"b": 2.0, "d": 1.0}}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Use a temporary working directory with judgments and two runs."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels.txt").write_text(QRELS)
    plain = {(query, doc): grade for query, _, doc, grade in ROWS}
    lines = (f"{query} 0 {doc} {grade}\n" for (query, doc), grade in plain.items())
    (tmp_path / "plain.txt").write_text("".join(lines))
    for name, run in (("good", GOOD), ("poor", POOR)):
        lines = (
            f"{query} Q0 {doc} 1 {score} t\n"
            for query, own in run.items()
            for doc, score in own.items()
        )
        (tmp_path / f"{name}.run").write_text("".join(lines))
    return tmp_path


def berryeval(*arguments: str):
    return CliRunner().invoke(main, arguments, prog_name="berryeval")


def nested() -> dict:
    found: dict = {}
    for query, subtopic, doc, grade in ROWS:
        found.setdefault(query, {}).setdefault(doc, {})[subtopic] = grade
    return found


def frame():
    import pandas as pd

    return pd.DataFrame(ROWS, columns=["query_id", "subtopic", "doc_id", "relevance"])


class Columns:
    """A frame of a library without Arrow streams."""

    def __init__(self, frame) -> None:
        self.columns = list(frame.columns)
        self._frame = frame

    def __getitem__(self, name):
        return self._frame[name]


def test_dicts_frames_records_and_files_have_the_same_scores(folder):
    """So have runs in memory, frames and files."""
    expected = be.evaluate(nested(), GOOD, MEASURES).to_dict()
    assert 0.0 < expected["alpha_nDCG@5"] < 1.0
    records = [
        {"query_id": q, "intent": subtopic, "doc_id": d, "relevance": grade}
        for q, subtopic, d, grade in ROWS
    ]
    (folder / "qrels.jsonl").write_text("".join(json.dumps(one) + "\n" for one in records))
    frame().to_csv("qrels.csv", index=False)
    import polars as pl

    sources = [frame(), pl.DataFrame(frame().to_dict("list")), records]
    for judgments in [*sources, "qrels.txt", "qrels.jsonl", "qrels.csv"]:
        for run in (GOOD, be.read_run("good.run"), "good.run"):
            assert be.evaluate(judgments, run, MEASURES).to_dict() == expected


def test_weights_are_the_same_from_files_frames_and_python():
    """They come from the column subtopic_weight, or from with_subtopic_weights()."""
    expected = be.evaluate(
        Judgments.from_dict(nested()).with_subtopic_weights(WEIGHTS), GOOD, MEASURES
    ).to_dict()
    assert expected != be.evaluate(nested(), GOOD, MEASURES).to_dict()
    weighted = frame()
    weighted["subtopic_weight"] = [
        float(WEIGHTS.get(query, {}).get(subtopic, 1)) for query, subtopic, _, _ in ROWS
    ]
    weighted.to_csv("weighted.csv", index=False)
    weighted.to_json("weighted.jsonl", orient="records", lines=True)
    weighted.to_parquet("weighted.parquet")
    sources = [weighted, Columns(weighted), weighted.to_dict("records")]
    for judgments in [*sources, "weighted.csv", "weighted.jsonl", "weighted.parquet"]:
        assert be.evaluate(judgments, GOOD, MEASURES).to_dict() == expected
    subset = be.read_judgments("weighted.csv").of_queries(["q1"])
    assert be.evaluate(subset, GOOD, "ERR_IA@3")["ERR_IA@3"].by_query["q1"] != 0.0
    assert subset.subtopic_weights == {b"q1": {b"1": 1.0, b"2": 1.0, b"3": 4.0}}


def test_commands_agree_with_python():
    """evaluate, compare, explain and gate see the same scores."""
    expected = [be.evaluate(nested(), run, "alpha_nDCG@5") for run in (POOR, GOOD)]
    poor, good = (result["alpha_nDCG@5"].mean for result in expected)
    found = berryeval("evaluate", "qrels.txt", "good.run", "-m", "alpha_nDCG@5", "--json")
    assert found.exit_code == 0, found.output
    assert good in _numbers(json.loads(found.stdout))
    found = berryeval(
        "compare", "qrels.txt", "poor.run", "good.run", "-m", "alpha_nDCG@5", "--json"
    )
    assert found.exit_code == 0, found.output
    assert {poor, good} <= _numbers(json.loads(found.stdout))
    found = berryeval(
        "explain",
        "qrels.txt",
        "poor.run",
        "good.run",
        "-m",
        "alpha_nDCG@5",
        "--query",
        "q1",
        "--json",
    )
    assert found.exit_code == 0, found.output
    values = {result["alpha_nDCG@5"].by_query["q1"] for result in expected}
    assert values <= _numbers(json.loads(found.stdout))
    for threshold, code in ((good, 0), (good + 0.01, 1)):
        found = berryeval(
            "gate",
            "--judgments",
            "qrels.txt",
            "--run",
            "good.run",
            "--at-least",
            f"alpha_nDCG@5={threshold!r}",
        )
        assert found.exit_code == code, found.output


def _numbers(content: object) -> set[float]:
    if isinstance(content, dict):
        return set().union(*map(_numbers, content.values()))
    if isinstance(content, list):
        return set().union(*map(_numbers, content))
    return {content} if isinstance(content, float) else set()


@pytest.mark.parametrize(
    "command",
    [
        ["evaluate", "plain.txt", "good.run"],
        ["compare", "plain.txt", "poor.run", "good.run"],
        ["explain", "plain.txt", "poor.run", "good.run", "--query", "q1"],
    ],
)
def test_commands_without_subtopics_fail_with_one_line(command):
    """It names the column."""
    found = berryeval(*command, "-m", "alpha_nDCG@5")
    assert found.exit_code == 2
    assert found.stderr == (
        "Error: judgments: alpha_nDCG@5 requires subtopics, found none; name them in the column "
        "'subtopic', or in the second column of a TREC file\n"
    )


def test_holes_rejects_intent_aware_measures():
    """It is unknown which intents an unjudged document would serve."""
    found = berryeval("holes", "qrels.txt", "good.run", "-m", "alpha_nDCG@5")
    assert found.exit_code == 2
    assert "since an unjudged document may serve any intent" in found.stderr


def test_measures_lists_them():
    """Each has a definition and parameters."""
    found = berryeval("measures", "--json")
    names = {one["name"] for one in json.loads(found.stdout)["measures"]}
    assert {"alpha_DCG", "alpha_nDCG", "ERR_IA", "nERR_IA", "NRBP", "nNRBP"} <= names
    assert {"AP_IA", "P_IA", "StRecall"} <= names
