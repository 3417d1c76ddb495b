"""The output of ``berryeval trec_eval``, compared with trec_eval's own C code."""

import random
from pathlib import Path

import pytest
import pytrec_eval
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from berryeval.cli import main
from depth import examples

# Tied, tied in 32 bits only, infinite in 32 bits only, or apart.
SCORES = [0.0, -0.0, 1.0, 1.00000001, 1.00000002, 0.1, 0.1 + 1e-9, -3.5, 1e39, 1e-46, 16777217.0]
DOCUMENTS = [*(f"d{i}" for i in range(12)), "9", "10", "Z", "z", "é", "日本", "a-b"]
QUERIES = ["1", "10", "2", "q", "Q", "ü"]


def rows(numbers: st.SearchStrategy) -> st.SearchStrategy:
    documents = st.dictionaries(st.sampled_from(DOCUMENTS), numbers, min_size=1)
    return st.dictionaries(st.sampled_from(QUERIES), documents, min_size=1)


scores = st.sampled_from(SCORES) | st.floats(-1e6, 1e6)
grades = st.sampled_from([-2, -1, 0, 0, 1, 1, 2, 3, 12])
# pytrec_eval reads invalid memory if all grades of a query are negative.
judgments = rows(grades).filter(
    lambda queries: all(max(documents.values()) >= 0 for documents in queries.values())
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("trec_eval")


def printed(folder: Path, qrels: dict, run: dict, seed: int, *flags: str):
    """Write both files with their lines in any order, and run the command."""
    shuffle = random.Random(seed).shuffle  # noqa: S311 - an order
    lines = [f"{q} 0 {d} {grade}\n" for q, docs in qrels.items() for d, grade in docs.items()]
    shuffle(lines)
    (folder / "qrels").write_bytes("".join(lines).encode())
    lines = [
        f"{q}\tQ0 {d} 1 {score!r} tag\n" for q, docs in run.items() for d, score in docs.items()
    ]
    shuffle(lines)
    (folder / "run").write_bytes("".join(lines).encode())
    files = [str(folder / "qrels"), str(folder / "run")]
    result = CliRunner().invoke(main, ["trec_eval", *flags, *files])
    return result.exit_code, result.stdout_bytes.decode()


def line(name: str, query: str, value: float) -> str:
    is_count = name.startswith("num_")
    return (
        f"{name:<22}\t{query}\t{value:.0f}\n"
        if is_count
        else f"{name:<22}\t{query}\t{value:6.4f}\n"
    )


@examples(300, suppress_health_check=[HealthCheck.too_slow])
@given(
    qrels=judgments, run=rows(scores), seed=st.integers(0, 99), level=st.sampled_from([1, 1, 2, 3])
)
def test_every_line_of_all_trec_equals_that_of_trec_eval(folder, qrels, run, seed, level):
    """Ties in 32 bits, holes, negative grades, and missing and extra queries match exactly."""
    code, text = printed(folder, qrels, run, seed, "-q", "-m", "all_trec", f"-l{level}")
    common = sorted(qrels.keys() & run.keys(), key=str.encode)
    if not common:
        assert (code, text) == (7, "")
        return
    assert code == 0
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, {"all_trec"}, relevance_level=level)
    theirs = evaluator.evaluate({query: run[query] for query in common})
    texts = {"runid", "relstring", "num_q"}
    names = [name for name in theirs[common[0]] if name not in texts]
    expected = {
        line(name, query, theirs[query][name])
        for query in common
        for name in names
        if not name.startswith("gm_")
    }
    for name in names:
        total = 0.0
        for query in common:
            total += theirs[query][name]
        value = total if name.startswith("num_") else total / len(common)
        mean = pytrec_eval.compute_aggregated_measure(name, [theirs[q][name] for q in common])
        expected.add(line(name, "all", mean if name.startswith("gm_") else value))
    expected |= {f"{'runid':<22}\tall\ttag\n", line("num_q", "all", len(common))}
    ours = text.splitlines(keepends=True)
    assert {row for row in ours if not row.startswith("relstring")} == expected
    assert len(ours) == len(expected) + len(common)


@given(qrels=judgments, run=rows(scores), seed=st.integers(0, 99), k=st.integers(1, 8))
@settings(suppress_health_check=[HealthCheck.too_slow])
def test_max_retrieved_and_complete_match_trec_eval(folder, qrels, run, seed, k):
    """-M keeps the best after sorting, ties by id; -c divides by all judged queries."""
    code, text = printed(folder, qrels, run, seed, "-c", f"-M{k}", "-m", "map_cut.1000")
    common = sorted(qrels.keys() & run.keys(), key=str.encode)
    if not common:
        assert (code, text) == (7, "")
        return
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, {f"map_cut.{k}"})
    theirs = evaluator.evaluate({query: run[query] for query in common})
    total = 0.0
    for query in common:
        total += theirs[query][f"map_cut_{k}"]
    assert (code, text) == (0, line("map_cut_1000", "all", total / len(qrels)))
