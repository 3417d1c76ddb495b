"""Systems that answer late, wrongly or not at all: a clear error, and no lost results."""

import json
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import berryeval as be
from berryeval.cli import main
from berryeval.errors import MismatchError
from berryeval.golden import read_golden_set
from berryeval.search.collect import Limits
from berryeval.search.systems.function import Function
from berryeval.suite.quality import run_quality
from small_golden_set import QUERIES, write_golden_set

GOOD = {
    "configure OAuth": ["guide.md#configure-oauth", "guide.md#token-lifetime"],
    "why are slow searches slow": ["tuning.md#slow-searches", "tuning.md#tuning"],
}
MODULE = f"""
import time

GOOD = {GOOD!r}

def answer(query, bad):
    return bad() if "slow" in query else GOOD[query]

def late(query, k):
    return answer(query, lambda: time.sleep(5) or [])

def error(query, k):
    return answer(query, lambda: 1 / 0)

def duplicates(query, k):
    return answer(query, lambda: ["tuning.md#tuning", "tuning.md#tuning"])

def nan(query, k):
    return answer(query, lambda: [("tuning.md#tuning", float("nan"))])

def many(query, k):
    return answer(query, lambda: [f"d{{i}}" for i in range(k + 1)])

def rising(query, k):
    return answer(query, lambda: [("a", 1.0), ("b", 2.0)])

def no_ids(query, k):
    return answer(query, lambda: [7.5])

def empty_id(query, k):
    return answer(query, lambda: ["tuning.md#tuning", ""])

def no_list(query, k):
    return answer(query, lambda: None)

def unknown(query, k):
    return answer(query, lambda: ["page-7", "tuning.md#slow-searches"])

def fewer(query, k):
    return answer(query, lambda: ["tuning.md#slow-searches"])

def nothing(query, k):
    return answer(query, lambda: [])
"""
REFUSED = {
    "late": "no answer within 0.3 s",
    "error": "ZeroDivisionError: division by zero",
    "duplicates": "expected each document once, got 'tuning.md#tuning' twice",
    "nan": "hit 1: expected a number as score, got float nan",
    "many": "hits, got ",
    "rising": "expected the best hit first, got 1.0 and then 2.0 at rank 2",
    "no_ids": "hit 1: expected a document id and a score, got float 7.5",
    "empty_id": "hit 2: expected a document id, got an empty one",
    "no_list": "expected a list of hits, got None",
}
ANSWERED = {"unknown": 1 / 2, "fewer": 1.0, "nothing": 0.0}
"""The reciprocal rank of Q2."""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A golden set, queries, and engines that fail for one of two queries."""
    write_golden_set(tmp_path / "golden")
    (tmp_path / "bad_engine.py").write_text(MODULE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.delitem(sys.modules, "bad_engine", raising=False)
    return tmp_path


def berryeval(*arguments):
    return CliRunner().invoke(main, [*map(str, arguments)], prog_name="berryeval")


@pytest.mark.parametrize("kind", REFUSED)
def test_an_invalid_answer_fails_only_its_query(kind):
    """X8: the suite scores it 0, reports why, keeps the other query, and exits with 4."""
    done = berryeval("quality", "--golden", "golden", "--system", f"bad_engine:{kind}",
                     "--timeout", 0.3, "--report", "kept.json",
                     "--at-least", "RR@10=1")  # fmt: skip
    assert done.exit_code == 4
    assert "Failed, and scored 0: 1 query, such as Q2" in done.output
    assert REFUSED[kind] in done.output
    kept = json.loads(Path("kept.json").read_text())
    assert [one["query_id"] for one in kept["failed"]] == ["Q2"]
    assert kept["queries"][0]["retrieved"] == GOOD["configure OAuth"]
    assert kept["report"]["mrr"] == 0.5


@pytest.mark.parametrize("kind", REFUSED)
def test_a_retrieval_keeps_its_answers(folder, kind):
    """X8: `retrieve` names the query, keeps the other answer, and continues from there."""
    arguments = ("retrieve", "--system", f"bad_engine:{kind}",
                 "--queries", "golden/test-queries.json", "-o", "found.run",
                 "--timeout", 0.3)  # fmt: skip
    done = berryeval(*arguments)
    assert done.exit_code == 4
    assert "query 'Q2' failed: " in done.stderr
    assert REFUSED[kind] in done.stderr
    assert "1 query failed; found.run was not written. Repeat the command to retry" in done.stderr
    assert "Q1" in (folder / "found.run.progress").read_text()
    assert berryeval(*arguments, "--max-failed", 1).exit_code == 0
    assert be.read_run(folder / "found.run").to_dict().keys() == {"Q1"}


@pytest.mark.parametrize("kind", REFUSED)
def test_a_live_evaluation_leaves_a_failed_query_out_of_the_means(kind):
    """E5: it is listed under failed."""
    namespace = {}
    exec(MODULE, namespace)  # noqa: S102 - the engines above
    queries = [be.Query(query["id"], query["query"]) for query in QUERIES]
    golden = read_golden_set("golden")
    found = be.evaluate_system(
        namespace[kind], queries, ks=[5], judgments=golden, limits=Limits(timeout=0.3)
    )
    assert list(found.failed) == ["Q2"]
    assert REFUSED[kind] in str(found.failed["Q2"])
    assert (found.summary.query_count, found.summary.failed_count) == (1, 1)
    assert found.summary.mean_mrr == 1


@pytest.mark.parametrize("kind", ANSWERED)
def test_a_poor_answer_is_an_answer(kind):
    """Too few hits, no hits, and unknown ids are scored as they are."""
    done = berryeval("quality", "--golden", "golden", "--system", f"bad_engine:{kind}", "--json",
                     "--at-least", "RR@10=0")  # fmt: skip
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert found["failed"] == []
    assert found["report"]["mrr"] == (1 + ANSWERED[kind]) / 2


def test_unknown_ids_are_reported():
    """Number and ids are shown, since the system may name chunks differently."""
    done = berryeval("quality", "--golden", "golden", "--system", "bad_engine:unknown",
                     "--log-level", "warning", "--at-least", "RR@10=1")  # fmt: skip
    assert ("Caution: 1 hit with ids that are not chunks of the golden set, such as 'page-7' for "
            "Q2; they count as not relevant.") in done.output  # fmt: skip
    assert "warning ids that are not chunks hits=1 query_id=Q2 doc_id=page-7" in done.stderr
    with pytest.raises(MismatchError, match=r"none of the 4 returned ids .* returned: 'x', 'y';"):
        run_quality(Function(lambda _query, _k: ["x", "y"]), read_golden_set("golden"))


def test_a_golden_set_with_a_dangling_id_is_rejected():
    """X1: every command reports the query, the id and the nearest chunk."""
    write_golden_set(Path("golden"), {"Q1": {"guide.md#configure-oaut": 3}})
    for command in (("quality", "--golden", "golden", "--system", "bad_engine:fewer"),
                    ("demo", "--golden", "golden")):  # fmt: skip
        done = berryeval(*command)
        assert done.exit_code == 2
        assert (
            "Q1: 'guide.md#configure-oaut' is judged but is not a chunk of the documents; did you "
            "mean 'guide.md#configure-oauth'?; `berryeval golden check golden` lists all errors"
        ) in done.stderr
