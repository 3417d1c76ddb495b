"""Judging projects through the API: roles, progress, disagreements and agreement."""

import pytest

from berryeval import Query, Run
from berryeval.archive import RunFacts

PROJECTS = "/v1/projects"
PAIRS = [("q1", "d1"), ("q1", "d2"), ("q2", "d1"), ("q2", "d2")]


@pytest.fixture
def run_id(archive):
    """A run of two queries with two documents each, all unjudged."""
    archive.queries.put([Query("q1", "one", "how-to"), Query("q2", "two", "fact")])
    run = Run.from_lists({"q1": ["d1", "d2"], "q2": ["d1", "d2"]})
    return archive.runs.put(run, RunFacts("bm25")).run_id


@pytest.fixture
def ask(archive, service):
    """Send a request as a user: ada and bob judge, eve is an administrator, kim reads."""
    client = service(host="0.0.0.0")  # noqa: S104 - tokens are required
    roles = {"ada": "judge", "bob": "judge", "eve": "admin", "kim": "read"}
    tokens = {name: archive.tokens.create(name, role) for name, role in roles.items()}

    def ask(user, method, path="", /, **body):
        headers = {"Authorization": f"Bearer {tokens[user]}"}
        content = {"json": body} if body else {}
        return client.request(method, f"{PROJECTS}{path}", headers=headers, **content)

    def send(user, method, path, /, *, headers=None, **content):
        """Send a request to any route."""
        given = {"Authorization": f"Bearer {tokens[user]}", **(headers or {})}
        return client.request(method, path, headers=given, **content)

    ask.send = send
    return ask


@pytest.fixture
def start(ask, run_id):
    """Start a project of two judges over the holes of the run."""

    def start(name="team", **options):
        plan = {"name": name, "pairs": {"runs": [run_id]}, "n_opinions": 2,
                "judges": ["ada", "bob"]} | options  # fmt: skip
        return ask("eve", "POST", **plan)

    return start


def answers(grades, note=None):
    """Return grades by the order of the pairs as the body of a request."""
    return [
        {"query_id": query_id, "doc_id": doc_id, "grade": grade, "note": note}
        for (query_id, doc_id), grade in zip(PAIRS, grades, strict=False)
    ]


def test_a_project_from_its_start_to_a_settled_disagreement(ask, start):
    """Two judges answer, disagree once, and an administrator settles it."""
    made = start(guideline="Be fair.")
    assert (made.status_code, made.headers["Location"]) == (201, "/v1/projects/team")
    assert (made.json()["n_pairs"], made.json()["n_wanted"]) == (4, 8)
    open_pairs = ask("ada", "GET", "/team/pairs?show=open").json()
    assert (open_pairs["n_found"], open_pairs["items"][0]["ranks"]) == (4, {"bm25": 1})
    stored = ask("ada", "POST", "/team/answers", answers=answers([2, 2, 1, None], "why"))
    assert stored.json()["progress"] | {"per_minute": 0, "last_at": 0, "minutes_left": 0} == {
        "judge": "ada", "n_graded": 3, "n_refused": 1, "n_left": 0, "per_minute": 0,
        "last_at": 0, "minutes_left": 0,
    }  # fmt: skip
    ask("bob", "POST", "/team/answers", answers=answers([2, 0, 1, 3]))
    found = ask("kim", "GET", "/team").json()
    assert (found["n_done"], found["n_conflicts"]) == (4, 1)
    assert [(one["judge"], one["n_left"]) for one in found["progress"]] == [("ada", 0), ("bob", 0)]
    [refused] = ask("kim", "GET", "/team/pairs?show=refused").json()["items"]
    assert [(one["judge"], one["grade"]) for one in refused["answers"]] == [
        ("ada", None), ("bob", 3)
    ]  # fmt: skip
    [conflict] = ask("kim", "GET", "/team/pairs?show=conflicts").json()["items"]
    settled = {"query_id": "q1", "doc_id": "d2", "grade": 1, "revision": conflict["revision"]}
    assert ask("ada", "POST", "/team/settle", **settled).status_code == 403
    done = ask("eve", "POST", "/team/settle", **settled, note="half").json()
    assert (done["author"], done["source"], done["note"]) == ("eve", "settled", "half")
    assert ask("eve", "POST", "/team/settle", **settled).status_code == 409
    assert ask("kim", "GET", "/team").json()["n_conflicts"] == 0


GRADED = {"query_id": "q1", "doc_id": "d2", "grade": 1}
INTERFACES = {
    "PUT": ("PUT", "/v1/judgments/q1/d2", {"json": {"grade": 1}, "headers": {"If-Match": "*"}}),
    "settled": (
        "PUT",
        "/v1/judgments/q1/d2",
        {"json": {"grade": 1, "source": "settled"}, "headers": {"If-Match": "*"}},
    ),
    "DELETE": ("DELETE", "/v1/judgments/q1/d2", {"headers": {"If-Match": "*"}}),
    "many": ("POST", "/v1/judgments", {"json": {"judgments": [GRADED]}}),
    "file": ("POST", "/v1/judgments/file", {"content": b"q1 0 d2 1\n"}),
    "stores": (
        "POST",
        "/v1/evaluation/judgments",
        {"json": [{"query_id": "q1", "doc_id": "d2", "grade": 1}]},
    ),
}


@pytest.mark.parametrize("user", ["ada", "eve"])
@pytest.mark.parametrize("door", INTERFACES)
def test_a_disagreement_of_a_project_is_settled_only_there(ask, start, archive, door, user):
    """No role can settle it through another route, until the project is finished."""
    start()
    ask("ada", "POST", "/team/answers", answers=answers([2, 2]))
    ask("bob", "POST", "/team/answers", answers=answers([2, 0]))
    method, path, content = INTERFACES[door]
    refused = ask.send(user, method, path, **content)
    assert refused.status_code == 409, refused.text
    assert "The project team settles this disagreement" in refused.json()["detail"]
    assert archive.judgments.get("q1", "d2").grade == 2
    assert ask("kim", "GET", "/team").json()["n_conflicts"] == 1
    agreed = ask.send(
        user, "PUT", "/v1/judgments/q1/d1", json={"grade": 1}, headers={"If-Match": "*"}
    )
    assert agreed.status_code == 200, "the judges agree on this one"
    ask("eve", "PUT", "/team/state", state="finished")
    assert ask.send(user, method, path, **content).status_code in (200, 204)
    assert archive.judgments.get("q1", "d2") is None or door != "DELETE"


def test_judges_of_a_disagreement_may_repeat_and_change_their_grades(ask, start, archive):
    """The same grade again changes nothing; a second opinion stays one."""
    start()
    ask("ada", "POST", "/team/answers", answers=answers([2, 2]))
    ask("bob", "POST", "/team/answers", answers=answers([2, 0]))
    again = {"judgments": [{"query_id": "q1", "doc_id": "d2", "grade": 2}]}
    assert ask.send("ada", "POST", "/v1/judgments", json=again).json()["changed"] == 0
    opinion = {"grade": 2, "second_opinion": True}
    assert ask.send("bob", "PUT", "/v1/judgments/q1/d2", json=opinion).status_code == 200
    assert ask("kim", "GET", "/team").json()["n_conflicts"] == 0
    assert [one.author for one in archive.judgments.history("q1", "d2")] == ["ada", "bob", "bob"]


def test_agreement_is_reported_by_pair_of_judges_and_by_category(ask, start):
    """Two of three grades are equal; those of how-to queries agree less."""
    start()
    ask("ada", "POST", "/team/answers", answers=answers([2, 2, 1, None]))
    ask("bob", "POST", "/team/answers", answers=answers([2, 0, 1, 3]))
    found = ask("kim", "GET", "/team/agreement").json()
    assert (found["n_shared"], found["share_equal"]) == (3, pytest.approx(2 / 3))
    [pair] = found["pairs"]
    assert (pair["judges"], pair["n"]) == (["ada", "bob"], 3)
    assert [(one["category"], one["n"], one["share_equal"]) for one in found["categories"]] == [
        ("how-to", 2, 0.5), ("fact", 1, 1.0)
    ]  # fmt: skip


def test_agreement_of_nobody_is_unknown(ask, start):
    """Without shared pairs there is no share."""
    start()
    found = ask("kim", "GET", "/team/agreement").json()
    assert (found["alpha"], found["share_equal"], found["n_shared"]) == (None, None, 0)


def test_roles_and_judges_are_respected(ask, start, run_id):
    """Judges judge, administrators start, pause and remove; others cannot judge here."""
    plan = {"name": "x", "pairs": {"runs": [run_id]}}
    assert ask("ada", "POST", **plan).status_code == 403
    start()
    refused = ask("eve", "POST", "/team/answers", answers=answers([1]))
    assert refused.status_code == 403
    assert "whose judges are ada, bob" in refused.json()["detail"]
    assert ask("kim", "POST", "/team/answers", answers=answers([1])).status_code == 403
    assert ask("bob", "PUT", "/team/state", state="paused").status_code == 403
    assert ask("bob", "DELETE", "/team").status_code == 403


@pytest.mark.parametrize(("name", "message"), [("kim", "may only read"), ("nil", "no token has")])
def test_a_judge_must_be_able_to_judge(ask, start, name, message):
    """Otherwise the project would wait for that judge forever."""
    refused = start(judges=["ada", name])
    assert refused.status_code == 422
    assert message in refused.json()["detail"]
    assert ask("kim", "GET").json()["items"] == []


def test_a_project_is_paused_finished_and_removed(ask, start):
    """A finished one accepts no answer; a removed one keeps its judgments."""
    start()
    assert ask("eve", "PUT", "/team/state", state="paused").json()["state"] == "paused"
    assert ask("ada", "POST", "/team/answers", answers=answers([1])).status_code == 200
    ask("eve", "PUT", "/team/state", state="finished")
    assert ask("ada", "POST", "/team/answers", answers=answers([1, 1])).status_code == 409
    assert [one["state"] for one in ask("kim", "GET").json()["items"]] == ["finished"]
    assert ask("eve", "DELETE", "/team").status_code == 204
    assert ask("eve", "DELETE", "/team").status_code == 404


@pytest.mark.parametrize(
    ("plan", "status", "message"),
    [
        ({"pairs": {"runs": ["none"]}}, 404, "none"),
        ({"pairs": {"verdict": 9, "kind": "deciding"}}, 404, "verdict"),
        ({"pairs": {"kind": "sample"}}, 422, "the size of the sample"),
        ({"pairs": {"runs": []}}, 422, "at least one run"),
        ({"n_opinions": 3}, 422, "the number of judges"),
        ({"pairs": {"runs": [], "measure": "nDGC"}}, 422, "did you mean"),
        ({"name": "a b"}, 422, "name"),
    ],
)
def test_invalid_plans_are_explained(start, plan, status, message):
    """The message names the field or the missing record."""
    answer = start(**plan)
    assert (answer.status_code, message in answer.text) == (status, True), answer.text


def test_a_name_is_used_once(start):
    """A second project of the same name is rejected."""
    start()
    assert "a project of this name" in start().json()["detail"]


def test_the_deciding_documents_of_a_verdict_are_those_of_its_runs(archive, start, run_id):
    """They are those of its run and its baseline; a verdict without a baseline has none."""
    other = archive.runs.put(Run.from_lists({"q1": ["d2", "d1"]}), RunFacts("new")).run_id
    verdict = {"gate": "g", "run_id": other, "verdict": "fail", "judgments_hash": "a" * 64}
    for number, baseline in enumerate((run_id, None), start=1):
        archive.verdicts.put(**verdict, baseline_id=baseline)
        pairs = {"kind": "deciding", "verdict": number}
        answer = start(f"v{number}", pairs=pairs)
        if baseline is None:
            assert "which has none" in answer.json()["detail"]
        else:
            assert answer.json()["pairs"]["runs"] == [other]
            assert answer.json()["pairs"]["baseline"] == run_id
