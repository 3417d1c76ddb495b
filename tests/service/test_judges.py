"""Automated judges over HTTP, and the effects of their grades."""

import re

import pytest
from click.testing import CliRunner

from archive.judged_by_models import proposal
from berryeval.archive import Archive
from berryeval.cli import main
from berryeval.golden.reading import read_golden_set
from berryeval.judges.model_grades import read_grades
from berryeval.judges.proposals import write_proposals
from berryeval.suite.archived_judges import judges_in
from berryeval.suite.golden_archive import import_golden_set
from judges.judged_set import write_judged_set
from judges.model_judged import RESTS, fill, write_model_judged
from service_server import application, listening

GATE = {
    "baseline": "main",
    "guards": [{"measure": "nDCG@6", "margin": 0.1}],
    "label_draw": "first",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A golden set that a judge graded."""
    return write_model_judged(tmp_path_factory.mktemp("set") / "golden").folder


@pytest.fixture
def runs(archive, folder):
    """The golden set as an archive; the ids of both runs."""
    old, new = fill(archive, read_golden_set(folder))
    archive.baselines.put("main", old)
    return old, new


def test_a_comparison_says_what_it_rests_on(client, runs):
    """The difference is that of people and model, as in `berryeval compare`."""
    body = {"baseline": runs[0], "candidates": [runs[1]], "measures": ["nDCG@6"]}
    plain = client.post("/v1/comparisons", json=body).json()
    both = client.post("/v1/comparisons", json={**body, "model": {"label_draw": "first"}})
    assert both.status_code == 200, both.text
    assert re.search(RESTS, both.json()["sentence"])
    assert "model judgments" not in plain["sentence"]
    assert both.json()["differences"][0]["difference"] != plain["differences"][0]["difference"]


def test_what_model_judgments_do_not_go_with_is_refused(client, runs):
    """These are bounds, unknown draws and judges, and a judge that is not admitted."""
    body = {"baseline": runs[0], "candidates": [runs[1]], "measures": ["nDCG@6"]}

    def refused(**model):
        answer = client.post("/v1/comparisons", json={**body, "model": model})
        return answer.status_code, answer.json()["detail"]

    assert refused(label_draw="second")[0] == 404
    status, why = refused(label_draw="first", judge="nobody")
    assert (status, "judge 'nobody' is not admitted" in why) == (422, True)
    bounded = {**body, "model": {"label_draw": "first"}, "bounds": True}
    assert client.post("/v1/comparisons", json=bounded).status_code == 422
    policy = client.get("/v1/judging").json()
    new = {"labels": policy["labels"], "guideline": "Judge otherwise."}
    assert client.put("/v1/judging", json=new).status_code == 200
    assert "no judge is admitted" in refused(label_draw="first")[1]
    [judge] = client.get("/v1/judges").json()["judges"]
    assert judge["standing"] == {
        "state": "expired", "counts": False, "why": "the guideline or the scale has changed",
    }  # fmt: skip


def test_a_gate_decides_by_people_and_model(client, runs):
    """Its verdict says so, and looks are counted at the labelled queries."""
    assert client.put("/v1/gates/release", json=GATE).status_code == 201
    made = client.post("/v1/gates/release/verdicts", json={"run": runs[1]})
    assert made.status_code == 201, made.text
    assert re.search(RESTS, made.json()["report"]["sentence"])
    assert client.get("/v1/gates/release").json()["settings"]["label_draw"] == "first"


@pytest.mark.usefixtures("runs")
def test_cost_is_shown_for_a_price(client):
    """Prices are per million tokens; the judge of this set is a function, which has no tokens."""
    assert client.get("/v1/judges").json()["judges"][0]["cost"] is None
    assert client.get("/v1/judges?price=0.1,0.4").json()["judges"][0]["cost"] == 0
    assert client.get("/v1/judges?price=much").status_code == 422


def test_judges_are_uploaded_to_a_service_and_to_a_file(folder, tmp_path):
    """Both ways give the same figures, and nothing is sent twice."""
    golden = read_golden_set(folder)
    n_grades = len(read_grades(folder))
    draw = str(tmp_path / "first.json")
    drawn = ["judge", "draw", "--golden", str(folder), "-n", "50", "-o", draw]
    assert CliRunner().invoke(main, drawn).exit_code == 0

    def upload(place):
        words = ["judge", "upload", "--golden", str(folder), "--archive", place, "--label-draw"]
        result = CliRunner().invoke(main, [*words, draw])
        assert result.exit_code == 0, result.output
        return result.stdout

    with application(tmp_path) as app, listening(app) as url:
        import_golden_set(app.state.archive, golden)
        message = upload(url)
        assert judges_in(app.state.archive)[0].standing.is_admitted
        assert (
            message == f"Uploaded to {url}; new: 0 grades, 0 checks, 0 proposed queries, 1 draw.\n"
        )
    (tmp_path / "new").mkdir()
    with application(tmp_path / "new") as app, listening(app) as url:
        assert f"new: {n_grades} grades, 1 check, 0 proposed queries, 1 draw." in upload(url)
        assert app.state.archive.judging.get().guideline == "Judge from the text."
        import_golden_set(app.state.archive, golden)
        assert judges_in(app.state.archive)[0].standing.is_admitted
        by_service = [*app.state.archive.model_grades.iter_all()]
        [stored] = app.state.archive.label_draws.page().items
    assert f"new: {n_grades} grades, 1 check" in upload(str(tmp_path / "b.db"))
    with Archive.open(tmp_path / "b.db") as archive:
        assert [*archive.model_grades.iter_all()] == by_service
        drawn = archive.label_draws.get("first").draw
        assert (drawn, drawn.why) == (stored.draw, stored.draw.why)
        assert stored.draw.why == "Every query had the same probability."
    wrong = ["judge", "upload", "--golden", str(folder), "--archive", "http://127.0.0.1:9"]
    assert CliRunner().invoke(main, wrong).exit_code != 0


def test_an_archive_that_has_a_guideline_keeps_it(folder, tmp_path):
    """Each command that uploads another one says so."""
    golden, file = str(folder), str(tmp_path / "b.db")
    with Archive.open(file) as archive:
        archive.judging.adopt_guideline("Be strict.")
    with application(tmp_path) as app, listening(app) as url:
        app.state.archive.judging.adopt_guideline("Be strict.")
        commands = [
            ["judge", "upload", "--golden", golden, "--archive", url],
            ["judge", "upload", "--golden", golden, "--archive", file],
            ["golden", "import", golden, file],
        ]
        for words in commands:
            result = CliRunner().invoke(main, words)
            assert "another guideline, which was kept" in result.stderr, words
        assert app.state.archive.judging.get().guideline == "Be strict."
    with Archive.open(file) as archive:
        assert archive.judging.get().guideline == "Be strict."
        assert judges_in(archive)[0].standing.state == "expired"


def test_only_proposals_that_wait_for_people_are_counted_as_such(tmp_path):
    """Proposals that a judge or a person set aside are uploaded, and counted separately."""
    folder = write_judged_set(tmp_path / "golden", 3)
    states = ("proposed", "accepted", "added", "rejected", "duplicate", "unanswered")
    write_proposals(folder, [proposal(f"P{place}", f"{place}?", status=status)
                             for place, status in enumerate(states)])  # fmt: skip

    def upload(place):
        words = ["judge", "upload", "--golden", str(folder), "--archive", place]
        return CliRunner().invoke(main, words).stdout

    expected = "; new: 0 grades, 0 checks, 2 proposed queries, 4 other proposals.\n"
    assert upload(str(tmp_path / "b.db")).endswith(expected)
    with application(tmp_path) as app, listening(app) as url:
        assert upload(url).endswith(expected)
        assert app.state.archive.proposals.counts()["proposed"] == 2
        assert upload(url).endswith("; new: 0 grades, 0 checks, 0 proposed queries.\n")
