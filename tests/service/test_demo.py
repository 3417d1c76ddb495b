"""The demonstration of `berryeval serve --demo`."""

import os
import re
import subprocess
import sys
from collections import Counter
from datetime import timedelta
from itertools import pairwise
from pathlib import Path

import pytest

from berryeval.archive import Archive
from berryeval.errors import ArgumentError, MissingExtraError
from berryeval.golden import handbook
from berryeval.service.demo import fill_demo, rankings
from berryeval.service.demo.filling import MEASURES, WITHOUT_QUESTIONS
from berryeval.service.demo.rankings import SYSTEMS, real_rankings
from berryeval.suite.demo import run_demo
from depth import IS_DEEP
from service.conftest import DEMO_END
from service.written import client_of


@pytest.fixture
def archive(demo_archive):
    """An archive with the demonstration."""
    return demo_archive


@pytest.fixture
def facts(demo):
    """Its reported contents."""
    return demo[1]


def test_the_demonstration_has_the_reported_contents(archive, facts):
    """The counts printed by the command match the archive."""
    assert len(archive.queries.all()) == facts.n_queries == 50
    assert len(archive.documents.page(limit=1000).items) == facts.n_documents == 351
    assert archive.judgments.current().n_rows == facts.n_judgments == 3875
    assert len(archive.runs.page(limit=1000).items) == facts.n_runs == 94
    assert len(archive.verdicts.page(limit=1000).items) == facts.n_verdicts == 32
    page = Path(__file__).parents[2] / "docs" / "how-to" / "try-the-workbench.md"
    assert (
        f"{facts.n_queries} queries, {facts.n_judgments:,} judged pairs, and a month of "
        f"{facts.n_runs} invented runs with {facts.n_verdicts} verdicts"
    ) in page.read_text(encoding="utf-8")


def test_each_series_has_a_month_of_runs_up_to_today(archive):
    """There is about one per day, with commit, tags, settings and durations."""
    for name in SYSTEMS:
        runs = archive.runs.page(name=name, limit=1000).items
        times = [run.stored_at for run in runs]
        assert 30 <= len(runs) <= 33
        assert DEMO_END - timedelta(days=30) < times[0]
        assert DEMO_END - timedelta(days=1) < times[-1] < DEMO_END
        assert all(later - earlier < timedelta(days=1.2) for earlier, later in pairwise(times))
        for run in runs:
            assert len(run.facts.commit) == 40
            assert "nightly" in run.facts.tags
            assert run.facts.settings
            durations = archive.runs.get(run.run_id).facts.durations
            assert len(durations) == run.n_queries


def test_search_improves_except_for_one_reverted_trial(archive):
    """The smaller model costs more than all earlier gains, and is then reverted."""
    points = archive.trend("nDCG@10", name="hybrid")
    trial = [point for point in points if "smaller-model" in point.run.facts.tags]
    whole = [point for point in points if "incomplete" not in point.run.facts.tags]
    others = [point.mean for point in whole if point not in trial]
    assert others[-1] > others[0] + 0.04
    assert max(point.mean for point in trial) < min(others)
    after = points[points.index(trial[-1]) + 1]
    assert "revert" in after.run.facts.tags
    assert after.mean > others[0]


def test_the_newest_runs_have_the_figures_of_the_systems(archive, facts):
    """X6: they equal `berryeval demo` with questions; hybrid search is also shown without."""
    found = run_demo()
    for system in SYSTEMS:
        assert newest_means(archive, system) == means(found.results[system].gate.evaluation)
    plain = means(found.results["hybrid"].without_questions)
    assert newest_means(archive, WITHOUT_QUESTIONS) == plain
    assert facts.ndcg == {
        name: newest_means(archive, name)["nDCG@10"] for name in ("hybrid", WITHOUT_QUESTIONS)
    }
    settings = {
        name: archive.runs.page(name=name).items[0].facts.settings["questions"]
        for name in (*SYSTEMS, WITHOUT_QUESTIONS)
    }
    assert settings == {
        "bm25": "indexed", "vector": "indexed", "hybrid": "indexed", WITHOUT_QUESTIONS: "none"
    }  # fmt: skip


def newest_means(archive, name):
    (run,) = archive.runs.page(name=name, limit=1, newest_first=True).items
    return dict(archive.evaluations.score(run.run_id, MEASURES).means)


def means(evaluation):
    return {measure: evaluation[measure].mean for measure in MEASURES}


def test_some_runs_lack_queries(archive):
    """They have a tag for it."""
    runs = archive.runs.page(limit=1000).items
    lacking = [run for run in runs if run.n_queries < 50]
    assert len(lacking) == 4
    assert all("incomplete" in run.facts.tags for run in lacking)


def test_the_gate_of_the_demo_has_every_verdict(archive):
    """It passes, fails for the trial, and is inconclusive if queries are missing."""
    verdicts = archive.verdicts.page(gate="release", limit=1000).items
    counts = Counter(verdict.verdict for verdict in verdicts)
    assert set(counts) == {"pass", "fail", "inconclusive"}
    trial = {run.run_id for run in archive.runs.page(name="hybrid", limit=1000).items
             if "smaller-model" in run.facts.tags}  # fmt: skip
    assert {verdict.run_id for verdict in verdicts if verdict.verdict == "fail"} == trial
    assert verdicts[0].verdict == "pass"
    assert len(archive.gates.get("release").settings["guards"]) == 3


def test_the_baseline_is_a_release(archive):
    """It was moved with each release; earlier verdicts name the earlier ones."""
    named = archive.baselines.get("main")
    assert "release-1.5" in archive.runs.get(named.run_id).facts.tags
    verdicts = archive.verdicts.page(gate="release", limit=1000).items
    assert len({verdict.baseline_id for verdict in verdicts}) == 3


def test_two_judges_mostly_agree_and_some_conflicts_are_open(archive):
    """Both judged each pair; all but a few differences were settled."""
    states = Counter()
    for judgment in archive.judgments.page(limit=10_000).items:
        history = archive.judgments.history(judgment.query_id, judgment.doc_id)
        assert [state.author for state in history[:2]] == ["ada", "ben"]
        if history[0].grade == history[1].grade:
            states["equal"] += 1
        else:
            states["settled" if history[-1].source == "settled" else "open"] += 1
    assert states["open"] == 12
    assert states["settled"] > 50
    assert states["equal"] > 2500


def test_the_demonstration_has_one_guideline(archive):
    """It is that of the golden set; the project of the demo has none of its own."""
    assert archive.judging.get().guideline.startswith("# How to judge")
    [project] = archive.projects.page().items
    assert project.plan.guideline is None


def test_some_judgments_are_stale(archive):
    """Six documents changed after they were judged."""
    stale = archive.judgments.page(is_stale=True, limit=1000).items
    assert len({judgment.doc_id for judgment in stale}) == 6
    assert len(stale) < 100


def test_there_are_documents_to_judge(archive):
    """The newest runs have enough unjudged results for a session."""
    newest = archive.runs.page(name="hybrid", limit=1, newest_first=True).items[0]
    found = archive.evaluations.score(newest.run_id, "nDCG@10")
    assert found.holes["nDCG@10"] >= 20


@pytest.mark.skipif(sys.platform == "win32", reason="no signal says to stop there")
def test_the_demonstration_is_served_the_same_each_time_and_removed(archive, tmp_path):
    """Contents, address and figures are printed, and nothing is left behind.

    Except for times, judgments, runs and verdicts are always the same.
    """
    command = [sys.executable, "-m", "berryeval", "serve", "--port", "0", "--demo"]
    environment = os.environ | {"TMPDIR": str(tmp_path), "BERRYEVAL_ARCHIVE": "mine.db"}
    with subprocess.Popen(
        command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, text=True
    ) as process:
        line = process.stdout.readline()
        found = re.fullmatch(
            r"50 queries, .* are in (\S+demo.db); open (http://127.0.0.1:\d+)\n", line
        )
        assert found, line
        with client_of(found[2]) as client:
            assert len(client.get("/v1/runs?limit=100").json()["items"]) == 94
        assert process.stdout.readline() == (
            "Documents are indexed with questions, and once without them; nDCG@10: "
            "hybrid 0.8210, hybrid-no-questions 0.5562.\n"
        )
        with Archive.open(found[1]) as again:
            assert timeless(again) == timeless(archive)
        process.terminate()
        assert process.stdout.read() == "Stopped.\n"
    assert process.returncode == 0
    assert not Path(found[1]).parent.exists()
    assert not (tmp_path / "mine.db").exists()


def timeless(archive):
    """Return everything that does not depend on the time."""
    return (
        archive.judgments.hash(),
        [run.run_id for run in archive.runs.page(limit=1000).items],
        [verdict.report for verdict in archive.verdicts.page(limit=1000).items],
    )


@pytest.fixture
def without_engine(monkeypatch):
    """No search engine is installed."""

    def refuse(name):
        raise MissingExtraError(f"The system {name}", "search")

    monkeypatch.setattr(rankings, "open_system", refuse)


@pytest.mark.usefixtures("without_engine")
def test_without_a_search_engine_documents_are_ranked_by_words():
    """Three identical series would show nothing."""
    found, is_searched = real_rankings(handbook())
    assert not is_searched
    assert found.keys() == set(SYSTEMS)
    assert len({str(series) for series in found.values()}) == 3


@pytest.mark.skipif(not IS_DEEP, reason="takes as long as the demonstration itself")
@pytest.mark.usefixtures("without_engine")
def test_the_demonstration_requires_no_search_engine(tmp_path):
    """Documents are then ranked by the words they share with a query."""
    with Archive.open(tmp_path / "demo.db") as archive:
        facts = fill_demo(archive)
        assert not facts.is_searched
        assert facts.n_runs == 93
        means = {name: archive.trend("nDCG@10", name=name)[-1].mean for name in SYSTEMS}
    assert all(mean > 0.2 for mean in means.values())


@pytest.mark.parametrize("kind", ["gates", "queries"])
def test_an_archive_with_data_is_rejected(tmp_path, kind):
    """Real data is never mixed with synthetic data."""
    with Archive.open(tmp_path / "own.db") as archive:
        if kind == "gates":
            archive.gates.put("mine", {})
        else:
            archive.queries.put(handbook().queries[:1])
        with pytest.raises(ArgumentError, match=f"got {kind} in .*own.db; choose another"):
            fill_demo(archive)
        assert archive.judgments.revision() == 0
