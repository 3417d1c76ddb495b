"""Judges with known errors, checked against people."""

import pytest

from berryeval.errors import ArgumentError, FormatError, MismatchError
from berryeval.evaluation.sources import load_run
from berryeval.golden.reading import read_golden_set
from berryeval.judges.admissions import read_admissions, standing_of
from berryeval.judges.function import FunctionJudge
from berryeval.judges.metering import Meter
from berryeval.judges.model_grades import Identity, read_grades
from berryeval.judges.protocol import Answer, Opinion
from berryeval.reports.judge_check import check_tables
from berryeval.suite.judge_check import ask_sample, draw_sample, rule_of, store_check
from berryeval.suite.judged_pairs import find_pool, guideline_of, human_pairs
from berryeval.suite.judging import judge_pool, plan_pool
from judges.chat_server import chance, confused
from judges.judged_set import truth, write_judged_set

GOOD = [[0.95, 0.05, 0, 0], [0.05, 0.9, 0.05, 0], [0, 0.05, 0.9, 0.05], [0, 0, 0.05, 0.95]]
POOR = [[0.4, 0.3, 0.2, 0.1]] * 4


@pytest.fixture
def folder(tmp_path):
    """A golden set and two runs."""
    return write_judged_set(tmp_path / "golden")


@pytest.fixture
def golden(folder):
    """The golden set."""
    return read_golden_set(folder)


@pytest.fixture
def runs(folder):
    """Both runs, by name."""
    return {name: load_run(str(folder.parent / f"{name}.run")) for name in ("old", "new")}


def judge_of(grade, name="mine", **how):
    """Return a judge that grades by a function of two texts."""

    def judged(query, _intent, document, _guideline, _scale):
        given = grade(query.text, document.text)
        return given if isinstance(given, Answer) else Opinion(given)

    return FunctionJudge(judged, name, fingerprint={"version": "1"}, **how)


def checked(golden, runs, grade, **how):
    """Check a judge."""
    return ask_sample(golden, judge_of(grade), draw_sample(golden, runs), **how)


def test_the_sample_is_stratified_by_grade_and_system(golden, runs):
    """Rare grades are drawn as often as frequent ones, and the weights compensate for it."""
    sample = draw_sample(golden, runs, n=60)
    assert len(sample.pairs) == 60
    assert {*sample.strata} == {"0 new+old", "1 new+old", "2 new+old", "2 old", "3 old"}
    assert {sample.strata.count(name) for name in sample.strata} == {12}
    assert sum(1 / one for one in sample.probabilities) == pytest.approx(240)
    assert draw_sample(golden, runs, n=60) == sample


def test_the_size_of_the_sample_follows_from_the_width(golden, runs):
    """Half the width requires about four times the pairs."""
    wide, narrow = (draw_sample(golden, runs, width=width).n_wanted for width in (0.4, 0.2))
    assert wide < 60
    assert 3.5 < narrow / wide < 4.5


def test_a_good_judge_is_admitted(golden, runs):
    """Kappa, alpha and the order of systems have intervals; no system is favoured."""
    found = checked(golden, runs, confused(truth, GOOD))
    admission = found.admission
    assert admission.is_admitted, admission.reasons
    assert admission.kappa.interval.low > 0.6
    assert admission.repeats.same == 1.0
    assert {bias.kind for bias in admission.biases} == {"system", "length", "rank"}
    matrix = {(cell.people, cell.judge): cell.share for cell in admission.confusion}
    assert matrix[2, 2] == pytest.approx(0.9, abs=0.12)


def test_a_poor_judge_is_not(golden, runs):
    """A judge that answers by chance is rejected, with the reason."""
    admission = checked(golden, runs, confused(truth, POOR)).admission
    assert not admission.is_admitted
    assert "the lower limit of weighted kappa" in admission.reasons[0]


def test_a_judge_that_favours_a_system_is_not_admitted(golden, runs):
    """Documents of a single system get one grade more, which kappa alone would not show."""

    def grade(query, document):
        is_of_new = int(document.split()[1]) >= 2
        return max(0, truth(query, document) - (not is_of_new))

    admission = checked(golden, runs, grade).admission
    assert admission.kappa.interval.low > 0.6
    assert any("may favour" in reason for reason in admission.reasons)


def test_a_bias_by_length_is_shown(golden, runs):
    """A judge that likes long documents has errors that grow with length."""

    def grade(query, document):
        return min(3, truth(query, document) + (len(document) > 200))

    biases = [one for one in checked(golden, runs, grade).admission.biases if one.kind == "length"]
    assert [one.favour > 0 for one in biases] == [False, False, True]


def test_without_runs_systems_are_not_compared(golden):
    """Agreement alone decides, and the report says so."""
    admission = checked(golden, {}, confused(truth, GOOD)).admission
    assert {bias.kind for bias in admission.biases} == {"length"}


def test_an_inconsistent_judge_is_noticed(golden, runs):
    """A judge that answers at random gives other grades when asked again."""
    n_asked = iter(range(10_000))

    def grade(query, document):
        return truth(query, document) if chance(next(n_asked)) < 0.7 else 0

    found = checked(golden, runs, grade, repeats=40)
    assert found.n_changed > 0
    assert found.admission.repeats.same < 1.0


def test_a_check_that_was_not_finished_decides_nothing(golden, runs):
    """The pairs that were answered are not a random part of the sample."""
    judge = judge_of(truth, meter=Meter(max_calls=30))
    found = ask_sample(golden, judge, draw_sample(golden, runs))
    assert found.admission is None
    assert found.collected.budget == "the budget of 30 calls is used up"


def test_an_admission_expires(folder, golden, runs):
    """Another fingerprint, guideline or model requires a new check."""
    judge = judge_of(lambda query, document: Answer(Opinion(truth(query, document)), "v1"))
    found = ask_sample(golden, judge, draw_sample(golden, runs))
    identity = found.identity
    assert standing_of(folder, identity).state == "unchecked"
    store_check(golden, found, {"kappa": 1})
    assert standing_of(folder, identity, frozenset({"v1"})).is_admitted
    newer = standing_of(folder, identity, frozenset({"v1", "v2"}))
    assert (newer.state, newer.why) == (
        "expired",
        "the server now answers with v2, and was checked with v1",
    )
    other = Identity("mine", {**identity.fingerprint, "template": "2:x"}, identity.guideline)
    assert standing_of(folder, other).why == "changed since the last check: the prompt template"
    (folder / "GUIDELINE.md").write_text("Be strict.\n")
    now = Identity.of(judge, guideline_of(read_golden_set(folder)))
    why = standing_of(folder, now).why
    assert why == "changed since the last check: the guideline or the scale"


def test_a_new_check_of_the_same_judge_replaces_the_old_one(folder, golden, runs):
    """The latest evidence counts, even if it is worse."""
    for matrix in (GOOD, POOR):
        (folder / "model-grades.jsonl").unlink(missing_ok=True)
        store_check(golden, checked(golden, runs, confused(truth, matrix)), {})
    [admission] = read_admissions(folder)
    assert not admission.is_admitted
    assert standing_of(folder, admission.identity).state == "rejected"


def test_grades_count_by_judge_and_model(folder, golden, runs):
    """A grade of another judge or of another model never counts."""
    judge = judge_of(lambda query, document: Answer(Opinion(truth(query, document)), "v1"))
    found = ask_sample(golden, judge, draw_sample(golden, runs))
    store_check(golden, found, {})
    standing = standing_of(folder, found.identity)
    grades = read_grades(folder)
    assert all(standing.counts(one) for one in grades)
    vary = [{"model": "v2"}, {"identity": "other"}]
    from dataclasses import replace

    assert not any(standing.counts(replace(grades[0], **change)) for change in vary)


@pytest.mark.parametrize(
    "content", ["", "[]", '{"version": 2, "admissions": []}', '{"version": 1}']
)
def test_another_file_is_not_taken_for_admissions(tmp_path, content):
    """A newer layout is an error, not an empty list."""
    (tmp_path / "judge-admissions.json").write_text(content)
    with pytest.raises(FormatError, match="expected admissions of judges, version 1"):
        read_admissions(tmp_path)


def test_the_rule_is_declared_in_the_set(folder, golden):
    """It is `[admission]` in berryeval.toml; there are defaults, and misspelt keys are errors."""
    assert (rule_of(golden).min_kappa, rule_of(golden).max_favour) == (0.6, 0.1)
    settings = folder / "berryeval.toml"
    settings.write_text('[admission]\nmin_kappa = 0.7\nweights = "quadratic"\n')
    assert (rule_of(golden).min_kappa, rule_of(golden).weights) == (0.7, "quadratic")
    for text in ("min_kapa = 0.7", "min_kappa = 7", 'weights = "cubic"', 'min_kappa = "high"'):
        settings.write_text(f"[admission]\n{text}\n")
        with pytest.raises(FormatError, match="admission"):
            rule_of(golden)


def test_one_grade_everywhere_cannot_be_checked(folder):
    """Agreement on one grade is no evidence."""
    path = folder / "relevance-judgments.json"
    path.write_text(
        '{"judgments": [{"query_id": "q0", "relevant": [{"chunk_id": "d0-0", "grade": 2}]}]}'
    )
    with pytest.raises(MismatchError, match="at least two grades, found 1 with 1"):
        draw_sample(read_golden_set(folder), {})


def test_a_guideline_or_labels_are_needed(folder):
    """Nothing else defines the grades; a scale of fractions is rejected."""
    (folder / "GUIDELINE.md").unlink()
    assert guideline_of(read_golden_set(folder)).text == ""
    path = folder / "relevance-judgments.json"
    plain = path.read_text().replace('"labels": ["no", "marginal", "partly", "yes"], ', "")
    path.write_text(plain)
    with pytest.raises(MismatchError, match=r"GUIDELINE\.md"):
        guideline_of(read_golden_set(folder))
    path.write_text(plain.replace('"scale": 3', '"scale": 3.5'))
    (folder / "GUIDELINE.md").write_text("Judge.")
    with pytest.raises(MismatchError, match="whole grades"):
        guideline_of(read_golden_set(folder))


def test_pools(golden, runs):
    """They are holes, deciding documents, a sample, and everything that the runs return."""
    holes = find_pool(golden, runs, "holes")
    assert {pair.document.doc_id[-1] for pair in holes.pairs} == {"6", "7"}
    assert len(holes.pairs) == 80
    deciding = find_pool(golden, runs, "deciding", baseline="old", limit=10)
    assert {pair.document.doc_id[-1] for pair in deciding.pairs} == {"7"}  # rank 1 of the new run
    everything = find_pool(golden, runs, "all")
    assert len(everything.pairs) == 8 * 40
    sample = find_pool(golden, runs, "sample", limit=50, seed=3)
    assert len({pair.key for pair in sample.pairs}) == 50
    assert sample == find_pool(golden, runs, "sample", limit=50, seed=3)
    assert sample != find_pool(golden, runs, "sample", limit=50, seed=4)


@pytest.mark.parametrize(
    ("pool", "how", "problem"),
    [
        ("everything", {}, "pool"),
        ("deciding", {}, "baseline"),
        ("sample", {}, "limit"),
    ],
)
def test_a_pool_needs_its_arguments(golden, runs, pool, how, problem):
    """The message names the missing argument."""
    with pytest.raises(ArgumentError, match=problem):
        find_pool(golden, runs, pool, **how)
    with pytest.raises(ArgumentError, match="runs"):
        find_pool(golden, {}, "all")


def test_documents_without_a_text_are_counted(runs, folder):
    """A run of another corpus cannot be judged."""
    lines = (folder / "documents.jsonl").read_text().splitlines()
    (folder / "documents.jsonl").write_text("\n".join(lines[:-2]) + "\n")
    found = find_pool(read_golden_set(folder), runs, "holes")
    assert (len(found.pairs), found.n_without_text) == (78, 2)


def test_a_judge_that_changes_is_noticed(golden, runs):
    """A few pairs are judged again in every batch; too many changes are a warning."""
    pool = find_pool(golden, runs, "holes").pairs
    steady = judge_of(truth)
    plan = plan_pool(golden, steady, pool[:20], repeats=5)
    assert not plan.repeats
    judge_pool(golden, steady, plan)
    plan = plan_pool(golden, steady, pool[:40], repeats=5)
    assert (len(plan.repeats), plan.n_stored, plan.estimate.n_calls) == (5, 20, 25)
    drift = judge_pool(golden, steady, plan).drift
    assert (drift.n_repeated, drift.n_changed, drift.is_suspicious) == (5, 0, False)
    changed = judge_of(lambda query, document: 3 - truth(query, document))
    judged = judge_pool(golden, changed, plan_pool(golden, changed, pool[:60], repeats=5))
    assert (judged.drift.n_repeated, judged.drift.n_changed) == (10, 5)
    assert judged.drift.is_suspicious
    assert plan_pool(golden, changed, pool[:60]).estimate.n_calls == 0


def test_judged_passages_are_shown_to_the_judge(tmp_path):
    """A pair of a judged span has the text of the span, and the document as its title."""
    (tmp_path / "test-documents").mkdir()
    (tmp_path / "test-documents" / "guide.md").write_text(
        "# Guide\n\nTokens expire after 90 days.\n"
    )
    queries = '{"queries": [{"id": "Q1", "query": "token lifetime"}]}'
    (tmp_path / "test-queries.json").write_text(queries)
    (tmp_path / "relevance-judgments.json").write_text(
        '{"judgments": [{"query_id": "Q1", "relevant": [{"document": "guide.md", '
        '"quote": "expire after 90 days", "grade": 3}]}]}'
    )
    [found] = human_pairs(read_golden_set(tmp_path))
    assert (found.pair.document.text, found.pair.document.title) == (
        "expire after 90 days",
        "guide.md",
    )
    assert found.grade == 3


def test_a_small_sample_says_what_is_missing(golden):
    """The report has the pairs needed, those without an answer, and why there is no order."""
    judge = judge_of(
        lambda query, document: None if "Page 3" in document else truth(query, document)
    )
    found = ask_sample(golden, judge, draw_sample(golden, {}, width=0.05))
    [agreement, *_] = check_tables(found)
    assert "the judge could not judge 40. About " in agreement.notes[0]
    assert "are needed for the wanted width" in agreement.notes[0]
    assert agreement.notes[1] == "tau_AP: fewer than two systems."
