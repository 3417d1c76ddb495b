"""Judging over HTTP: nothing is lost, and no change is overwritten unseen."""

from concurrent.futures import ThreadPoolExecutor
from urllib.parse import quote

import pytest

from service_data import judgments

PAIR = "/v1/judgments/q1/d7"
ABOVE = {"query_id": "q1", "doc_id": "d7", "grade": 4}
FILE = {"content": b"q1 0 d7 4\n", "headers": {"Content-Type": "text/plain"}}


def test_a_judgment_is_returned_with_author_time_and_revision(client):
    """Judging for the first time is 201, and reading returns the same."""
    judged = client.put(PAIR, json={"grade": 2, "source": "workbench"})
    assert judged.status_code == 201
    assert judged.headers["location"] == PAIR
    found = client.get(PAIR)
    assert found.json() == judged.json()
    assert found.headers["etag"] == judged.headers["etag"] == '"1"'
    assert (found.json()["grade"], found.json()["author"]) == (2.0, "local")


def test_a_judgment_is_replaced_only_with_its_current_etag(client):
    """The status is 428 without an ETag, 412 with an old one, and 200 with the current one."""
    client.put(PAIR, json={"grade": 2})
    blind = client.put(PAIR, json={"grade": 0})
    assert blind.status_code == 428
    assert blind.json()["expected"] == '"1"'
    assert client.put(PAIR, json={"grade": 0}, headers={"If-Match": '"1"'}).status_code == 200
    late = client.put(PAIR, json={"grade": 1}, headers={"If-Match": '"1"'})
    assert late.status_code == 412
    assert "changed in the meantime" in late.json()["detail"]
    assert client.get(PAIR).json()["grade"] == 0


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"If-Match": "*"}, 200),
        ({"If-Match": '"7", "1"'}, 200),
        ({"If-Match": 'W/"1"'}, 412),
        ({"If-None-Match": "*"}, 412),
        ({"If-Match": "1"}, 400),
        ({"If-None-Match": '"1"'}, 400),
    ],
)
def test_preconditions_follow_http(client, headers, status):
    """A star matches anything, a list any of its tags, a weak tag nothing."""
    client.put(PAIR, json={"grade": 2})
    assert client.put(PAIR, json={"grade": 0}, headers=headers).status_code == status


def test_if_match_requires_an_existing_judgment(client):
    """A missing one cannot be replaced."""
    assert client.put(PAIR, json={"grade": 2}, headers={"If-Match": "*"}).status_code == 412
    assert client.put(PAIR, json={"grade": 2}, headers={"If-None-Match": "*"}).status_code == 201


def test_a_client_with_the_current_etag_gets_304(client):
    """If-None-Match with the current ETag returns 304 without a body."""
    client.put(PAIR, json={"grade": 2})
    known = client.get(PAIR, headers={"If-None-Match": '"1"'})
    assert (known.status_code, known.content) == (304, b"")
    assert client.get(PAIR, headers={"If-None-Match": '"9"'}).status_code == 200


def test_a_removed_judgment_keeps_its_history(client):
    """There are three states, the last without a grade."""
    client.put(PAIR, json={"grade": 2})
    assert client.delete(PAIR).status_code == 428
    assert client.delete(PAIR, headers={"If-Match": '"9"'}).status_code == 412
    assert client.delete(PAIR, headers={"If-Match": '"1"'}).status_code == 204
    assert client.get(PAIR).status_code == 404
    assert client.delete(PAIR).status_code == 404
    client.put(PAIR, json={"grade": 1})
    states = client.get(f"{PAIR}/history").json()
    assert [state["grade"] for state in states] == [2.0, None, 1.0]


def test_an_unjudged_pair_has_no_history(client):
    """404 names the pair."""
    missing = client.get(f"{PAIR}/history")
    assert missing.status_code == 404
    assert missing.json()["found"] == "'d7 for q1'"


@pytest.mark.parametrize("doc_id", ["docs/a.md#2", "a%2Fb", "ü ?&", "..%2f", "a+b"])
def test_ids_may_be_any_text(client, doc_id):
    """Slashes and escapes are returned unchanged."""
    path = f"/v1/judgments/q1/{quote(doc_id, safe='', errors='surrogateescape')}"
    assert client.put(path, json={"grade": 1}).status_code == 201
    assert client.get(path).json()["doc_id"] == doc_id
    assert client.get("/v1/judgments").json()["items"][0]["doc_id"] == doc_id


def test_an_id_that_is_not_valid_text_is_rejected(client):
    """Neither paths nor JSON can represent it."""
    answer = client.put("/v1/judgments/q1/%FF", json={"grade": 1})
    assert answer.status_code == 422
    assert answer.json()["where"] == "path.doc_id"


def test_many_judgments_are_stored_together(client):
    """All are stored, and sending them again changes nothing."""
    sent = {"judgments": judgments(), "source": "pool"}
    assert client.post("/v1/judgments", json=sent).json() == {"received": 150, "changed": 150}
    assert client.post("/v1/judgments", json=sent).json() == {"received": 150, "changed": 0}


def test_two_grades_for_one_pair_are_rejected_and_nothing_is_stored(client):
    """E5: the message names the pair."""
    entries = [*judgments(1, 1), {"query_id": "q9", "doc_id": "d", "grade": 1},
               {"query_id": "q9", "doc_id": "d", "grade": 2}]  # fmt: skip
    answer = client.post("/v1/judgments", json={"judgments": entries})
    assert answer.status_code == 422
    assert answer.json()["where"] == "judgments[2]"
    assert client.get("/v1/judgments").json() == {"items": [], "next": None}


def test_a_list_continues_at_its_next_link(client):
    """Every judgment is listed once, in the order of ids, for any page size."""
    client.post("/v1/judgments", json={"judgments": judgments()})
    address, found = "/v1/judgments?limit=40", []
    while address:
        page = client.get(address)
        found += [(one["query_id"], one["doc_id"]) for one in page.json()["items"]]
        address = page.json()["next"]
        assert (f'<{address}>; rel="next"' == page.headers.get("link")) is (address is not None)
    assert found == sorted((one["query_id"], one["doc_id"]) for one in judgments())


def test_a_list_can_be_limited_to_a_query_or_to_stale_judgments(client):
    """A changed document makes its judgments stale."""
    documents = {"documents": [{"doc_id": "d1", "text": "old"}]}
    client.post("/v1/documents", json=documents)
    client.post("/v1/judgments", json={"judgments": judgments(2, 2)})
    client.post("/v1/documents", json={"documents": [{"doc_id": "d1", "text": "new"}]})
    stale = client.get("/v1/judgments", params={"is_stale": True}).json()["items"]
    assert [(one["query_id"], one["doc_id"]) for one in stale] == [("q0", "d1"), ("q1", "d1")]
    of_query = client.get("/v1/judgments", params={"query_id": "q1"}).json()["items"]
    assert [one["doc_id"] for one in of_query] == ["d0", "d1"]


def test_of_concurrent_judges_of_a_pair_one_is_first(client):
    """One request creates the judgment; the others get a conflict."""
    with ThreadPoolExecutor(8) as people:
        found = list(
            people.map(lambda grade: client.put(PAIR, json={"grade": grade}).status_code, range(24))
        )
    assert found.count(201) == 1
    assert set(found) <= {201, 412, 428}


def test_concurrent_changes_of_a_judgment_build_on_each_other(client):
    """There are as many revisions as 200 responses: no change was overwritten unseen."""
    client.put(PAIR, json={"grade": 0})

    def raise_grade(_number):
        while True:
            seen = client.get(PAIR)
            wanted = {"grade": seen.json()["grade"] + 1}
            answer = client.put(PAIR, json=wanted, headers={"If-Match": seen.headers["etag"]})
            if answer.status_code == 200:
                return answer.json()["grade"]
            assert answer.status_code == 412

    with ThreadPoolExecutor(4) as people:
        grades = list(people.map(raise_grade, range(12)))
    assert sorted(grades) == list(range(1, 13))
    assert len(client.get(f"{PAIR}/history").json()) == 13


def as_judge(archive, name, role="judge"):
    """Return the headers of a judge with a token."""
    return {"Authorization": f"Bearer {archive.tokens.create(name, role)}"}


def test_a_second_opinion_is_stored_with_the_judgment(client, archive):
    """It requires no ETag, changes no grade, and is an opinion in the history."""
    client.put(PAIR, json={"grade": 2})
    ada = as_judge(archive, "ada")
    answer = client.put(PAIR, json={"grade": 0, "second_opinion": True}, headers=ada)
    assert (answer.status_code, answer.json()["kind"], answer.json()["author"]) == (
        200,
        "opinion",
        "ada",
    )
    body = {"judgments": [{"query_id": "q1", "doc_id": "d7", "grade": 1}], "second_opinion": True}
    bob = as_judge(archive, "bob")
    assert client.post("/v1/judgments", json=body, headers=bob).json()["changed"] == 1
    now = client.get(PAIR).json()
    assert (now["grade"], now["author"], now["kind"]) == (2, "local", "judgment")
    history = client.get(f"{PAIR}/history").json()
    assert [(one["kind"], one["grade"]) for one in history] == [
        ("judgment", 2), ("opinion", 0), ("opinion", 1),
    ]  # fmt: skip
    first = client.put("/v1/judgments/q1/new", json={"grade": 1, "second_opinion": True})
    assert (first.status_code, first.json()["kind"]) == (201, "judgment")


def test_a_correction_over_http_replaces_the_grade_and_keeps_the_history(client, archive):
    """E5: posting a judged pair again is a correction, not a second opinion."""
    client.put(PAIR, json={"grade": 2})
    body = [{"query_id": "q1", "doc_id": "d7", "relevance": 1}]
    ada = as_judge(archive, "ada")
    posted = client.post("/v1/evaluation/judgments", json=body, headers=ada)
    assert posted.status_code == 204
    assert (client.get(PAIR).json()["grade"], client.get(PAIR).json()["author"]) == (1, "ada")
    assert [one["grade"] for one in client.get(f"{PAIR}/history").json()] == [2, 1]


def test_undo_restores_the_previous_grade(client, archive):
    """It keeps its author; judgments, second opinions and removals can be undone."""
    client.put(PAIR, json={"grade": 2})
    ada = as_judge(archive, "ada")
    made = client.put(PAIR, json={"grade": 0}, headers={**ada, "If-Match": '"1"'})
    undone = client.post(f"{PAIR}/undo", headers={**ada, "If-Match": made.headers["etag"]})
    assert (undone.status_code, undone.json()["grade"], undone.json()["author"]) == (
        200, 2, "local",
    )  # fmt: skip
    gone = client.delete(PAIR, headers={**ada, "If-Match": undone.headers["etag"]})
    assert gone.status_code == 204
    again = client.post(f"{PAIR}/undo", headers={**ada, "If-Match": gone.headers["etag"]})
    assert (again.json()["grade"], again.json()["author"]) == (2, "local")
    first = client.put("/v1/judgments/q1/new", json={"grade": 1})
    nothing = client.post("/v1/judgments/q1/new/undo", headers={"If-Match": first.headers["etag"]})
    assert (nothing.status_code, nothing.content) == (204, b"")


@pytest.mark.parametrize(
    ("headers", "status"),
    [({}, 428), ({"If-Match": "*"}, 428), ({"If-Match": '"x"'}, 428), ({"If-Match": '"1"'}, 412)],
)
def test_a_judge_cannot_undo_the_changes_of_others(client, archive, headers, status):
    """A request without If-Match is rejected, too; the problem names the header."""
    client.put(PAIR, json={"grade": 2})
    answer = client.post(f"{PAIR}/undo", headers={**as_judge(archive, "ada"), **headers})
    assert (answer.status_code, answer.json()["where"]) == (status, "If-Match")
    assert client.get(PAIR).json()["grade"] == 2


def test_the_judging_policy_defines_the_rule_and_the_labels(client, archive):
    """The effect of each rule can be previewed; only an admin can set one."""
    client.put(PAIR, json={"grade": 2})
    ada = as_judge(archive, "ada")
    client.put(PAIR, json={"grade": 1, "second_opinion": True}, headers=ada)
    assert client.get("/v1/judging").json() == {
        "rule": "first",
        "labels": None,
        "guideline": "",
        "highest_grade": None,
        "changes": {"first": 0, "latest": 1, "max": 0, "mean": 1, "majority": 1},
    }
    wanted = {"rule": "mean", "labels": ["no", "a little", "half", "most", "all"]}
    assert client.put("/v1/judging", json=wanted, headers=ada).status_code == 403
    declared = client.put("/v1/judging", json=wanted)
    assert (declared.json()["changed"], declared.json()["highest_grade"]) == (1, 4)
    assert (client.get(PAIR).json()["grade"], client.get(PAIR).json()["kind"]) == (1.5, "rule")
    assert client.put("/v1/judging", json={"labels": ["one"]}).status_code == 422
    assert client.put("/v1/judging", json={"rule": "median"}).status_code == 422


def test_the_declared_scale_limits_the_grades_of_holes(client, archive):
    """It is the default for bounds, even if no judgment uses its highest grade."""
    client.put(PAIR, json={"grade": 1})
    assert archive.judgments.current().scale is None
    client.put("/v1/judging", json={"labels": ["0", "1", "2", "3", "4"]})
    assert archive.judgments.current().scale == 4


@pytest.mark.parametrize(
    ("method", "path", "sent"),
    [
        ("PUT", PAIR, {"json": {"grade": 4}}),
        (
            "POST",
            "/v1/judgments",
            {"json": {"judgments": [ABOVE]}},
        ),
        ("POST", "/v1/judgments?file_name=new.qrels", FILE),
        ("POST", "/v1/judgments/file?file_name=new.qrels", FILE),
    ],
)
def test_a_grade_above_the_declared_scale_is_rejected(client, method, path, sent):
    """Every route names the query, the document and the highest grade, and stores nothing."""
    scale = {"labels": ["no", "partly", "yes"]}
    assert client.put("/v1/judging", json=scale, headers={"If-Match": "*"}).status_code == 200
    answer = client.request(method, path, **sent)
    assert answer.status_code == 422
    detail = answer.json()["detail"]
    assert all(part in detail for part in ("at most 2", "document 'd7'", "query 'q1'")), detail
    assert client.get(PAIR).status_code == 404
