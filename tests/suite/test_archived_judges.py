"""Judges of an archive: whether they count, and what comparisons are based on."""

import json
import re
from dataclasses import replace

import pytest

from archive.databases import new_database
from archive.judged_by_models import admission
from berryeval import Document, Run, compare
from berryeval.archive import Archive
from berryeval.errors import FormatError, MismatchError, NotFoundError
from berryeval.golden.reading import read_golden_set
from berryeval.judges.admissions import store_admission
from berryeval.judges.model_grades import Identity, read_grades
from berryeval.reports.check_figures import read_figures
from berryeval.suite.archived_judges import disagreements, judges_in, model_judgments_in
from berryeval.suite.golden_archive import export_golden_set, import_golden_set
from berryeval.suite.judge_overview import judges_of
from berryeval.suite.judged_pairs import guideline_of, human_pairs
from berryeval.suite.judging import judge_pool, plan_pool
from judges.judged_set import write_judged_set
from judges.model_judged import RESTS, K, fill, judge_of, write_model_judged


@pytest.fixture(scope="module")
def golden(tmp_path_factory):
    """A golden set that a judge graded."""
    return write_model_judged(tmp_path_factory.mktemp("set") / "golden")


@pytest.fixture
def archive(golden, tmp_path):
    """The golden set as an archive, with both runs and a draw."""
    with Archive.open(tmp_path / "a.db") as opened:
        fill(opened, golden)
        yield opened


def runs_of(archive):
    """Return the runs of an archive by name."""
    return {run.facts.name: archive.runs.load(run.run_id) for run in archive.runs.page().items}


def test_a_judge_stands_in_the_archive_as_in_the_set(archive, golden):
    """This covers counts, tokens, standing and drift."""
    assert judges_in(archive) == judges_of(golden)
    [judge] = judges_in(archive)
    assert judge.standing.is_admitted
    assert judge.n_pairs == len({one.key for one in read_grades(golden.folder)})


def test_a_comparison_rests_on_people_and_model(archive):
    """The sentence is the same as with files."""
    runs = runs_of(archive)
    model = model_judgments_in(archive, runs, "first", k=K)
    found = compare(archive.judgments.current(), runs, "nDCG@6", model=model)
    assert re.search(RESTS, found.sentence)


def test_an_expired_admission_does_not_count(archive):
    """With another guideline or model, it is shown but does not count."""
    runs = runs_of(archive)
    [judge] = judges_in(archive)
    one = archive.model_grades.of_judge(judge.identity)[0]
    check = archive.admissions.all()[0]
    later = replace(check, checked_at="2100-01-01T00:00:00+00:00", models=("m-1",))
    archive.admissions.put([later], stored_by="ada")
    archive.model_grades.put([replace(one, content="other", query_id="q99", model="m-2")])
    assert judges_in(archive)[0].standing.why == (
        "the server now answers with m-2, and was checked with m-1"
    )
    with pytest.raises(MismatchError, match="judge 'errant' has expired: the server now answers"):
        model_judgments_in(archive, runs, "first", k=K)
    archive.judging.put(replace(archive.judging.get(), guideline="Other words."))
    assert judges_in(archive)[0].standing.state == "expired"
    with pytest.raises(MismatchError, match="no judge is admitted under the current guideline"):
        model_judgments_in(archive, runs, "first", k=K)


def test_a_later_check_replaces_an_earlier_one(archive):
    """A judge that was not admitted again does not count."""
    later = replace(
        archive.admissions.all()[0], checked_at="2100-01-01T00:00:00+00:00", is_admitted=False,
        reasons=("kappa is low",),
    )  # fmt: skip
    archive.admissions.put([later], stored_by="ada")
    assert judges_in(archive)[0].standing.state == "rejected"
    with pytest.raises(MismatchError, match="no judge is admitted"):
        model_judgments_in(archive, runs_of(archive), "first", k=K)


def test_a_changed_document_has_no_grade_that_counts(archive):
    """The grade belongs to another text; the same holds for a document without a text."""
    runs = runs_of(archive)
    archive.documents.put([Document("d3-0", "another text")])
    archive.documents.remove("d4-1")
    with pytest.raises(MismatchError, match=r"2 of 4\d\d pairs have no grade that counts"):
        model_judgments_in(archive, runs, "first", k=K)
    with pytest.raises(NotFoundError, match="second"):
        model_judgments_in(archive, runs, "second", k=K)
    short = {name: Run.from_lists({"q1": ["d1-0"]}) for name in runs}
    with pytest.raises(MismatchError, match="the runs return nothing for 59 queries of the draw"):
        model_judgments_in(archive, short, "first", k=K)


def test_disagreements_are_pairs_that_people_judged_otherwise(archive):
    """Pairs that are furthest apart come first, and only first grades count."""
    [judge] = judges_in(archive)
    found = disagreements(archive, judge.identity)
    judged = archive.judgments.current().to_dict()
    assert found
    assert all(judged[one.query_id][one.doc_id] == one.people != one.given for one in found)
    grades = archive.model_grades.of_pairs(judge.identity, [one.pair for one in found])
    assert {(one.key, one.grade, one.number) for one in grades} == {
        (one.pair, one.given, 0) for one in found
    }
    assert [one.distance for one in found] == sorted((o.distance for o in found), reverse=True)


def test_what_judges_did_survives_the_way_through_an_archive(archive, golden, tmp_path):
    """Guideline, grades, checks and proposals are the same in the exported set."""
    export_golden_set(archive, tmp_path / "out")
    after = read_golden_set(tmp_path / "out")
    assert {*read_grades(after.folder)} == {*read_grades(golden.folder)}
    assert judges_of(after)[0].standing.state == "admitted"
    n_grades = len(read_grades(golden.folder))
    with Archive.open(tmp_path / "b.db") as other:
        counts = import_golden_set(other, after)
        assert (counts["model grades"], counts["checks of judges"]) == (n_grades, 1)
        assert judges_in(other) == judges_in(archive)


@pytest.fixture(params=["sqlite", "postgresql"])
def empty(request, tmp_path):
    """An empty archive, in each database."""
    if request.param == "sqlite":
        with Archive.open(tmp_path / "empty.db") as opened:
            yield opened
        return
    with (
        new_database(request.getfixturevalue("postgres_dsn")) as dsn,
        Archive.open(dsn) as opened,
    ):
        yield opened


def write_admitted(folder, **declared):
    """Write a golden set with a judge that is admitted under its guideline."""
    write_judged_set(folder, 3)
    path = folder / "relevance-judgments.json"
    judged = json.loads(path.read_text())["judgments"]
    path.write_text(json.dumps({**declared, "judgments": judged}))
    (folder / "GUIDELINE.md").write_bytes(b"\r\n# Guideline\r\n\r\nJudge from the text. \r\n\r\n")
    golden, judge = read_golden_set(folder), judge_of()
    judge_pool(golden, judge, plan_pool(golden, judge, [human_pairs(golden)[0].pair]))
    identity = Identity.of(judge, guideline_of(golden))
    check = admission(judge.name, models=())
    store_admission(folder, replace(
        check, fingerprint=identity.fingerprint, guideline=identity.guideline))  # fmt: skip
    return golden


@pytest.mark.parametrize(
    "declared",
    [{"scale": 3, "labels": ["no", "marginal", "partly", "yes"]}, {"scale": 3}, {}],
    ids=["labels", "scale", "nothing"],
)
def test_a_judge_stays_admitted_until_the_guideline_changes(empty, tmp_path, declared):
    """It survives an import and an export, and an edit expires the checks."""
    golden = write_admitted(tmp_path / "golden", **declared)
    import_golden_set(empty, golden)
    policy = empty.judging.get()
    assert policy.guideline == "# Guideline\n\nJudge from the text."
    assert judges_in(empty)[0].standing.is_admitted
    export_golden_set(empty, tmp_path / "out")
    assert judges_of(read_golden_set(tmp_path / "out"))[0].standing.is_admitted
    empty.judging.put(replace(policy, guideline=f"{policy.guideline}\r\n"))
    assert judges_in(empty)[0].standing.is_admitted
    empty.judging.put(replace(policy, guideline="# Guideline\n\nBe strict."))
    standing = judges_in(empty)[0].standing
    assert (standing.state, standing.why) == ("expired", "the guideline or the scale has changed")
    empty.judging.put(replace(policy, labels=("no", "hardly", "partly", "all of it")))
    assert judges_in(empty)[0].standing.state == "expired"


def test_a_guideline_that_is_too_long_is_refused_before_anything_is_stored(empty, tmp_path):
    """The message names the file."""
    folder = write_judged_set(tmp_path / "golden", 3)
    (folder / "GUIDELINE.md").write_text("x" * 40_001)
    with pytest.raises(FormatError, match=r"GUIDELINE.md: expected a text of at most 40,000"):
        import_golden_set(empty, read_golden_set(folder))
    assert empty.queries.page().items == ()


def test_the_figures_of_a_check_are_read_again(archive):
    """The page shows the figures of the check; other data has no figures."""
    figures = read_figures(archive.admissions.all()[0].result)
    assert figures.kappa.interval.low >= figures.min_kappa
    assert [point.people for point in figures.calibration] == [0, 1, 2, 3]
    assert [grade for grade, _ in figures.rows] == [0, 1, 2, 3]
    assert {bias.kind for bias in figures.biases} >= {"system", "length", "rank"}
    assert (figures.n_pairs, figures.systems, figures.scale) == (250, ("old", "new"), 3)
    assert read_figures({}) is None
    assert read_figures({**archive.admissions.all()[0].result, "kappa": 3}) is None
