"""The demonstration of `berryeval serve --demo`."""

from collections import Counter
from datetime import datetime, timedelta, timezone
from itertools import pairwise

import pytest

from berryeval.archive import Archive
from berryeval.errors import ArgumentError, MissingExtraError
from berryeval.golden import handbook
from berryeval.service.demo import fill_demo, rankings
from berryeval.service.demo.filling import MEASURES, WITHOUT_QUESTIONS
from berryeval.service.demo.rankings import SYSTEMS, ranked_by_words
from berryeval.suite.demo import run_demo

TODAY = datetime(2026, 11, 16, 9, tzinfo=timezone.utc)


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    """An archive with the demonstration, and its reported contents."""
    with Archive.open(tmp_path_factory.mktemp("demo") / "demo.db") as archive:
        yield archive, fill_demo(archive, today=TODAY)


@pytest.fixture
def archive(filled):
    """An archive with the demonstration."""
    return filled[0]


def test_the_demonstration_has_the_reported_contents(filled):
    """The counts printed by the command match the archive."""
    archive, facts = filled
    assert len(archive.queries.all()) == facts.n_queries == 50
    assert len(archive.documents.page(limit=1000).items) == facts.n_documents == 351
    assert archive.judgments.current().n_rows == facts.n_judgments == 3875
    assert len(archive.runs.page(limit=1000).items) == facts.n_runs == 94
    assert len(archive.verdicts.page(limit=1000).items) == facts.n_verdicts == 32


def test_each_series_has_a_month_of_runs_up_to_today(archive):
    """There is about one per day, with commit, tags, settings and durations."""
    for name in SYSTEMS:
        runs = archive.runs.page(name=name, limit=1000).items
        times = [run.stored_at for run in runs]
        assert 30 <= len(runs) <= 33
        assert TODAY - timedelta(days=30) < times[0]
        assert TODAY - timedelta(days=1) < times[-1] < TODAY
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


def test_the_newest_runs_have_the_figures_of_the_systems(filled):
    """X6: they equal `berryeval demo` with questions; hybrid search is also shown without."""
    archive, facts = filled
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


def test_the_demonstration_is_deterministic(archive, tmp_path):
    """Except for times, judgments, runs and verdicts are always the same."""
    with Archive.open(tmp_path / "again.db") as again:
        fill_demo(again, today=TODAY - timedelta(days=100))
        assert again.judgments.hash() == archive.judgments.hash()
        ids = [[run.run_id for run in one.runs.page(limit=1000).items] for one in (again, archive)]
        assert ids[0] == ids[1]
        said = [[verdict.report for verdict in one.verdicts.page(limit=1000).items]
                for one in (again, archive)]  # fmt: skip
        assert said[0] == said[1]


def test_the_demonstration_requires_no_search_engine(tmp_path, monkeypatch):
    """Documents are then ranked by the words they share with a query."""

    def refuse(name):
        raise MissingExtraError(f"The system {name}", "search")

    monkeypatch.setattr(rankings, "open_system", refuse)
    with Archive.open(tmp_path / "demo.db") as archive:
        facts = fill_demo(archive)
        assert not facts.is_searched
        assert facts.n_runs == 93
        means = {name: archive.trend("nDCG@10", name=name)[-1].mean for name in SYSTEMS}
    assert all(mean > 0.2 for mean in means.values())


def test_rankings_by_words_differ():
    """Three identical series would show nothing."""
    found = ranked_by_words(handbook())
    assert len({str(series) for series in found.values()}) == 3


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
