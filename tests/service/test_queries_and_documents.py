"""Queries and documents over HTTP."""

import pytest

QUERY = {"text": "configure OAuth", "category": "procedural", "difficulty": None,
         "description": None, "tags": ["security"], "weight": 12.5,
         "group": "sign-in", "stratum": "how-to", "turn": None}  # fmt: skip


def test_a_query_is_returned_as_it_was_stored(client):
    """It has labels, and an ETag of its content."""
    stored = client.put("/v1/queries/q%2F1", json=QUERY)
    assert stored.status_code == 201
    assert stored.json() == {"query_id": "q/1", **QUERY}
    again = client.put("/v1/queries/q%2F1", json=QUERY)
    assert (again.status_code, again.headers["etag"]) == (200, stored.headers["etag"])
    found = client.get(stored.headers["location"])
    assert (found.json(), found.headers["etag"]) == (stored.json(), stored.headers["etag"])
    known = client.get("/v1/queries/q%2F1", headers={"If-None-Match": found.headers["etag"]})
    assert known.status_code == 304


@pytest.mark.parametrize(
    "wrong", [{"weight": 0}, {"weight": -1}, {"weight": "2"}, {"group": ""}, {"stratum": ""}]
)
def test_an_invalid_weight_group_or_stratum_is_rejected(client, wrong):
    """The message names the field."""
    answer = client.put("/v1/queries/q1", json={**QUERY, **wrong})
    assert answer.status_code == 422
    assert next(iter(wrong)) in answer.text


def test_a_group_in_two_strata_is_rejected(client):
    """Either route names it and stores nothing; a whole group may move at once."""
    for name in ("q1", "q2"):
        assert client.put(f"/v1/queries/{name}", json=QUERY).status_code == 201
    moved = {**QUERY, "stratum": "errors"}
    alone = client.put("/v1/queries/q1", json=moved)
    assert alone.status_code == 422
    assert "group 'sign-in': expected queries of one stratum, got 'q1' in 'errors'" in alone.text
    new = client.post("/v1/queries", json={"queries": [{"query_id": "q3", **moved}]})
    assert new.status_code == 422
    assert client.get("/v1/queries/q1").json()["stratum"] == "how-to"
    assert client.get("/v1/queries/q3").status_code == 404
    both = [{"query_id": name, **moved} for name in ("q1", "q2")]
    assert client.post("/v1/queries", json={"queries": both}).status_code == 200
    assert client.get("/v1/queries/q2").json()["stratum"] == "errors"


def test_a_category_is_stored_under_its_main_name(client):
    """M11: both routes return `troubleshooting` as `troubleshoot`, and find it by that name."""
    alias = {**QUERY, "category": "troubleshooting"}
    assert client.put("/v1/queries/q1", json=alias).json()["category"] == "troubleshoot"
    client.post("/v1/queries", json={"queries": [{"query_id": "q2", **alias}]})
    found = client.get("/v1/queries").json()["items"]
    assert [one["category"] for one in found] == ["troubleshoot", "troubleshoot"]
    page = client.get("/queries?category=troubleshooting").text
    assert "<option selected>troubleshoot</option>" in page
    assert page.count('class="asked"') == 2


def test_a_query_is_not_replaced_with_an_outdated_etag(client):
    """A non-matching If-Match is 412; without one there is no condition."""
    etag = client.put("/v1/queries/q1", json=QUERY).headers["etag"]
    client.put("/v1/queries/q1", json={"text": "other"})
    late = client.put("/v1/queries/q1", json=QUERY, headers={"If-Match": etag})
    assert late.status_code == 412
    assert client.delete("/v1/queries/q1", headers={"If-Match": etag}).status_code == 412
    assert client.delete("/v1/queries/q1").status_code == 204
    assert client.delete("/v1/queries/q1").status_code == 404
    assert client.get("/v1/queries/q1").status_code == 404


def test_many_queries_are_stored_and_listed(client):
    """They are sorted by id, in pages."""
    many = [{"query_id": f"q{n}", **QUERY} for n in (2, 1, 3)]
    assert client.post("/v1/queries", json={"queries": many}).json() == {"received": 3}
    page = client.get("/v1/queries?limit=2").json()
    rest = client.get(page["next"]).json()
    found = [one["query_id"] for one in page["items"] + rest["items"]]
    assert (found, rest["next"]) == (["q1", "q2", "q3"], None)


def test_a_document_is_given_by_text_or_hash(client):
    """A text is hashed; a hash is stored unchanged."""
    shown = {"documents": [{"doc_id": "d1", "title": "OAuth", "text": "How to"},
                          {"doc_id": "d2", "hash": "abc"}]}  # fmt: skip
    assert client.post("/v1/documents", json=shown).json() == {"received": 2, "changed": 2}
    assert client.post("/v1/documents", json=shown).json() == {"received": 2, "changed": 0}
    first, second = client.get("/v1/documents").json()["items"]
    assert (first["text"], len(first["hash"]), second["text"]) == ("How to", 64, None)
    assert client.get("/v1/documents/d2").json() == second
    assert client.delete("/v1/documents/d2").status_code == 204
    assert client.delete("/v1/documents/d2").status_code == 404
    assert client.get("/v1/documents/d2").status_code == 404


@pytest.mark.parametrize("document", [{}, {"text": "a", "hash": "b"}])
def test_a_document_requires_either_a_text_or_a_hash(client, document):
    """Neither and both are rejected, with the position."""
    answer = client.post("/v1/documents", json={"documents": [{"doc_id": "d1", **document}]})
    assert answer.status_code == 422
    assert answer.json()["where"] == "body.documents[0]"
    assert answer.json()["expected"] == "a text or a hash, not both"
