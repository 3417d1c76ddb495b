"""The retrieval quality suite (X5-X9)."""

import logging
import re
import subprocess
import sys
import time

import pytest

from berryeval.errors import SystemUnderTestError
from berryeval.golden import read_golden_set
from berryeval.search.collect import Limits
from berryeval.search.opening import open_system
from berryeval.search.systems.function import Function
from berryeval.suite.quality import THRESHOLDS, run_quality
from small_golden_set import write_golden_set

GOOD = {
    "configure OAuth": ["guide.md#configure-oauth", "tuning.md#bananas", "guide.md#token-lifetime"],
    "why are slow searches slow": ["guide.md#guide", "tuning.md#slow-searches"],
}


@pytest.fixture
def golden(tmp_path):
    return read_golden_set(write_golden_set(tmp_path / "small"))


def system(answers=GOOD):
    return Function(lambda query, _k: answers[query], name="fixed")


def test_the_report_has_means_and_slices(golden):
    """X5: P@5, P@10, R@10 and MRR of ten hits, over all and by category and difficulty."""
    report = run_quality(system(), golden).report
    assert report.total_queries == 2
    assert report.mrr == pytest.approx((1 + 0.5) / 2)
    assert report.precision_at_5 == pytest.approx((2 / 5 + 1 / 5) / 2)
    assert report.precision_at_10 == pytest.approx((2 / 10 + 1 / 10) / 2)
    assert report.recall_at_10 == pytest.approx((1 + 0.5) / 2)
    assert report.by_category["procedural"].recall_at_10 == 1
    assert report.by_difficulty["hard"].mrr == 0.5


def test_the_gate_uses_the_same_means(golden):
    """X6: thresholds are compared with the plain means of the report."""
    result = run_quality(system(), golden)
    values = {str(guard.guard.measure): guard.value for guard in result.gate.guards}
    assert values == {
        "RR@10": pytest.approx(result.report.mrr),
        "P@5": pytest.approx(result.report.precision_at_5),
        "R@10": pytest.approx(result.report.recall_at_10),
    }
    assert dict(THRESHOLDS) == {"RR@10": 0.70, "P@5": 0.70, "R@10": 0.75}


@pytest.mark.parametrize(("threshold", "verdict"), [(0.75, "pass"), (0.7501, "fail")])
def test_equality_passes(golden, threshold, verdict):
    """X6: a mean that equals its threshold passes."""
    assert run_quality(system(), golden, thresholds={"RR@10": threshold}).gate.verdict == verdict


def test_questions_are_indexed_by_default(tmp_path):
    """The settings of the result show it."""
    pytest.importorskip("tantivy")
    folder = write_golden_set(tmp_path)
    (folder / "document-questions.json").write_text('{"tuning.md#bananas": ["configure OAuth"]}')
    golden = read_golden_set(folder)
    with open_system("bm25") as bm25:
        plain = run_quality(bm25, golden, questions=False)
        asked = run_quality(bm25, golden)
    assert "tuning.md#bananas" in asked.run.ranking("Q1")
    assert "tuning.md#bananas" not in plain.run.ranking("Q1")
    assert asked.settings["questions"] == golden.questions_hash[:8]
    assert plain.settings["questions"] == "none"
    assert "questions" not in run_quality(system(), golden).settings


def test_figures_without_questions_are_always_reported(tmp_path):
    """X6: a system with questions is also measured without them."""
    pytest.importorskip("tantivy")
    folder = write_golden_set(tmp_path)
    (folder / "document-questions.json").write_text('{"tuning.md#bananas": ["configure OAuth"]}')
    golden = read_golden_set(folder)
    seen = []
    with open_system("bm25") as bm25:
        plain = run_quality(bm25, golden, questions=False)
        asked = run_quality(bm25, golden, progress=lambda *numbers: seen.append(numbers))
        assert [hit.doc_id for hit in bm25.search("configure OAuth", 10)] == asked.run.ranking("Q1")
    assert asked.without_questions.to_dict() == plain.gate.evaluation.to_dict()
    assert asked.without_questions.to_dict() != asked.gate.evaluation.to_dict()
    assert plain.without_questions is None
    assert run_quality(system(), golden).without_questions is None
    assert (seen[0], seen[-1]) == ((0, 4), (4, 4))
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)


def test_the_suite_has_one_mrr(golden):
    """X9: a threshold on MRR is one on RR@10, since the suite requests ten hits."""
    result = run_quality(system(), golden, thresholds={"MRR": 0.75})
    assert list(result.thresholds) == ["RR@10"]
    assert "RR" not in result.gate.evaluation


def test_every_query_has_a_record(golden):
    """X7: id, text, retrieved, relevant, rank of the first relevant, duration."""
    first, second = run_quality(system(), golden).query_results
    assert (first.query_id, first.query) == ("Q1", "configure OAuth")
    assert first.retrieved == tuple(GOOD["configure OAuth"])
    assert first.relevant == {"guide.md#configure-oauth", "guide.md#token-lifetime"}
    assert (first.first_relevant_rank, second.first_relevant_rank) == (1, 2)
    assert first.seconds > 0


def test_ten_hits_are_requested(golden):
    """X5: therefore, MRR is RR@10."""
    asked = []
    run_quality(Function(lambda _query, k: asked.append(k) or []), golden)
    assert asked == [10, 10]


def test_a_failed_query_scores_zero_and_is_counted(golden):
    """X8: the other query keeps its score, and the mean is over both."""

    def moody(query, _k):
        if "slow" in query:
            raise ValueError("no such index")
        return GOOD[query]

    result = run_quality(Function(moody, name="moody"), golden)
    assert list(result.failures) == ["Q2"]
    assert result.report.mrr == 0.5
    assert result.report.nothing_relevant == 1
    assert result.gate.evaluation.n_queries == 2


def test_a_late_query_scores_zero(golden):
    """X8: an answer after the limit does not count."""

    def late(query, _k):
        if "slow" in query:
            time.sleep(1)
        return GOOD[query]

    result = run_quality(Function(late), golden, limits=Limits(timeout=0.1))
    assert "no answer within 0.1 s" in str(result.failures["Q2"])
    assert result.report.mrr == 0.5


def test_a_system_that_is_down_is_an_error(golden):
    """Every query failed, and means of 0 would look like a measurement."""

    def down(_query, _k):
        raise ConnectionRefusedError("refused")

    message = "function: failed for all 2 queries, so there is nothing to score; Q1: .*refused"
    with pytest.raises(SystemUnderTestError, match=message):
        run_quality(Function(down, name="function"), golden, limits=Limits(retries=0))


def test_documents_are_indexed_if_the_system_supports_it(golden):
    """X5: indexing comes first, unless a system has its own documents."""
    with open_system("bm25") as embedded:
        result = run_quality(embedded, golden)
    assert result.n_indexed == 6
    assert result.settings["mode"] == "bm25"
    assert result.query_results[0].retrieved[0] == "guide.md#configure-oauth"
    assert not system().can_index
    assert run_quality(system(), golden).n_indexed is None


def test_messages_have_the_documented_levels(golden, caplog):
    """X9: start and means are info, queries debug, no hits a warning, misses errors."""
    nothing = {**GOOD, "why are slow searches slow": ["guide.md#guide"]}
    with caplog.at_level(logging.DEBUG, logger="berryeval"):
        run_quality(system(nothing), golden)
    shown = {(record.levelname, record.event): record for record in caplog.records}
    assert shown["INFO", "quality starts"].queries == 2
    one = shown["DEBUG", "query"]
    assert (one.query_id in ("Q1", "Q2"), one.documents > 0, one.ms >= 0) == (True, True, True)
    means = vars(shown["INFO", "measured"])
    assert (means["P@5"], means["P@10"], means["MRR"]) == (0.2, 0.1, 0.5)
    assert shown["WARNING", "no relevant result"].query_id == "Q2"
    missed = [record for record in caplog.records if record.levelname == "ERROR"]
    assert [(r.measure, r.value, r.threshold) for r in missed] == [
        ("MRR", 0.5, 0.7),
        ("P@5", 0.2, 0.7),
        ("R@10", 0.5, 0.75),
    ]


def test_any_logging_configuration_shows_the_facts(tmp_path):
    """X9: `logging.basicConfig` alone shows the five messages, with one name per measure."""
    write_golden_set(tmp_path / "golden", relevant_from=2)
    script = (
        "import logging, sys\n"
        "logging.basicConfig(level=logging.DEBUG, stream=sys.stdout)\n"
        "from berryeval.golden import read_golden_set\n"
        "from berryeval.search.systems.function import Function\n"
        "from berryeval.suite.quality import run_quality\n"
        "hits = ['a', 'guide.md#configure-oauth']\n"
        "run_quality(Function(lambda query, k: hits, name='mine'), read_golden_set('golden'))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    lines = [re.sub(r"ms=\d+\.\d{3}$", "ms=#", line) for line in done.stdout.splitlines()]
    suite, search = "berryeval.suite.quality", "berryeval.search.collect"
    assert sorted(lines[2:4]) == [
        f"DEBUG:{search}:query query_id=Q1 documents=2 ms=#",
        f"DEBUG:{search}:query query_id=Q2 documents=2 ms=#",
    ]
    assert [*lines[:2], *lines[4:]] == [
        f"INFO:{suite}:quality starts queries=2 system=mine",
        f"INFO:{search}:retrieval starts queries=2 stored=0",
        f"INFO:{suite}:measured P@5=0.100 P@10=0.050 MRR=0.250",
        f"WARNING:{suite}:no relevant result query_id=Q2",
        f"ERROR:{suite}:threshold not met measure=MRR value=0.250 threshold=0.700",
        f"ERROR:{suite}:threshold not met measure=P@5 value=0.100 threshold=0.700",
        f"ERROR:{suite}:threshold not met measure=R@10 value=0.500 threshold=0.750",
        f"WARNING:{suite}:ids that are not chunks hits=2 query_id=Q1 doc_id=a",
    ]


def test_the_relevance_level_of_the_set_applies_everywhere(tmp_path):
    """Report, gate and best possible means agree that grade 1 does not count."""
    golden = read_golden_set(write_golden_set(tmp_path / "strict", relevant_from=2))
    result = run_quality(system(), golden)
    assert result.report.precision_at_5 == pytest.approx(0.2)  # one in five of both queries
    assert result.thresholds["P(rel=2)@5"].value == pytest.approx(0.2)
    assert result.report.recall_at_10 == result.thresholds["R(rel=2)@10"].value == 0.75
    assert result.ceilings["P(rel=2)@5"] == pytest.approx(0.3)


def test_best_possible_means_are_shown_with_the_means(golden):
    """With two relevant chunks per query, a P@5 of 0.7 is impossible."""
    assert run_quality(system(), golden).ceilings["P@5"] == pytest.approx(0.4)
