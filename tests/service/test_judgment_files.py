"""Judgments are imported and exported as files, in every format that holds them."""

import json
from typing import get_args

import pytest

from berryeval.formats import read_judgments
from berryeval.formats.registry import FORMATS
from berryeval.service.judgment_files import ReadFormat, WrittenFormat
from berryeval.service.routes.runs import FileFormat
from platform_files import FILES, QUEPID_BOOK_CSV, QUEPID_CASE, SRW_JUDGMENTS
from service_data import judgments

FILE = "/v1/judgments/file"
QRELS = "q1 0 d7 2\nq1 0 d9 0\nq2 0 d7 1\n"


def names_of(alias):
    """Return the names in a Literal of Literals."""
    return {name for one in get_args(alias) for name in (get_args(one) or (one,))}


def test_every_format_that_holds_judgments_is_offered():
    """What files may be on the command line they may be here, too."""
    reads = {name for name in FORMATS if "judgments" in FORMATS[name].HOLDS.reads}
    writes = {name for name in FORMATS if "judgments" in FORMATS[name].HOLDS.writes}
    runs = {name for name in FORMATS if "run" in FORMATS[name].HOLDS.reads}
    assert names_of(ReadFormat) == reads
    assert names_of(WrittenFormat) == writes
    assert names_of(FileFormat) == runs | {"letor"}


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        (FILE, "application/octet-stream"),
        (FILE, "application/x-www-form-urlencoded"),  # as sent by `curl --data-binary @FILE`
        ("/v1/judgments", "text/plain"),
        ("/v1/judgments", "text/plain; charset=utf-8"),
    ],
)
def test_qrels_are_imported(client, path, kind):
    """A file names no judge, so its grades are by `imported`; a second import changes nothing."""
    headers = {"Content-Type": kind}
    answer = client.post(f"{path}?file_name=a.qrels", content=QRELS, headers=headers)
    assert answer.status_code == 200, answer.text
    assert answer.json() == {"received": 3, "changed": 3, "notes": []}
    (first, *_) = client.get("/v1/judgments").json()["items"]
    assert (first["author"], first["source"]) == ("imported", "file a.qrels")
    again = client.post(path, content=QRELS, headers=headers)
    assert again.json()["changed"] == 0


def test_json_is_stored_as_before(client):
    """The content type decides between records and a file."""
    answer = client.post("/v1/judgments", json={"judgments": judgments()})
    assert answer.json() == {"received": 150, "changed": 150}


def test_judges_become_authors_and_second_opinions(client):
    """Losses are reported."""
    answer = client.post(FILE, content=QUEPID_BOOK_CSV)
    assert answer.json() == {
        "received": 3,
        "changed": 6,
        "notes": ["1 row without a rating was left out."],
    }
    history = client.get("/v1/judgments/led%20tv/d7/history").json()
    assert [(one["author"], one["grade"], one["kind"]) for one in history] == [
        ("Ada Lovelace", 3.0, "judgment"),
        ("Bob", 1.0, "opinion"),
    ]


def test_queries_that_are_named_by_text_get_their_ids(client):
    """A text that the service does not know remains the id."""
    client.put("/v1/queries/q1", json={"text": "led tv"})
    answer = client.post(f"{FILE}?format=srw-judgments", json=SRW_JUDGMENTS)
    assert answer.status_code == 200
    found = client.get("/v1/judgments").json()["items"]
    assert {one["query_id"] for one in found} == {"q1", "hdmi"}


@pytest.mark.parametrize("name", sorted(names_of(WrittenFormat) - {"ranx-lz4"}))
def test_an_export_can_be_imported_again(client, tmp_path, name):
    """In every format; ids and texts find each other."""
    client.put("/v1/queries/q1", json={"text": "led tv"})
    client.post(FILE, content=QRELS)
    answer = client.get(FILE, params={"format": name})
    assert answer.status_code == 200
    assert f'filename="judgments.{name}"' in answer.headers["content-disposition"]
    (tmp_path / "file").write_bytes(answer.content)
    found = read_judgments(tmp_path / "file", format=name).to_dict()
    text = "led tv" if FORMATS[name].HOLDS.by_text else "q1"
    assert found == {text: {"d7": 2.0, "d9": 0.0}, "q2": {"d7": 1.0}}
    again = client.post(FILE, params={"format": name}, content=answer.content)
    assert {one["query_id"] for one in client.get("/v1/judgments").json()["items"]} == {"q1", "q2"}
    assert (again.status_code, again.json()["received"]) == (200, 3)


def test_an_export_has_judges_sources_and_times(client):
    """And second opinions, each in its own line; a judge who reconsidered has one."""
    client.put("/v1/judgments/q1/d7", json={"grade": 2, "source": "pool"})
    opinion = {"grade": 1, "second_opinion": True, "author": "bob"}
    client.put("/v1/judgments/q1/d7", json=opinion)
    client.put("/v1/judgments/q1/d7", json=opinion | {"grade": 0})
    client.put("/v1/judgments/q1/d9", json={"grade": 0})
    lines = client.get(FILE, params={"format": "jsonl"}).text.splitlines()
    first, second, third = map(json.loads, lines)
    assert (first["judge"], first["relevance"], first["source"]) == ("local", 2, "pool")
    assert (second["judge"], second["relevance"]) == ("bob", 0)
    assert third["doc_id"] == "d9"
    assert first["judged_at"].startswith("20")


def test_the_counting_grade_of_several_is_exported_where_one_has_a_place(client):
    """It is the one that the rule of the service chose."""
    client.put("/v1/judging", json={"rule": "mean"}, headers={"If-Match": "*"})
    client.put("/v1/judgments/q1/d7", json={"grade": 2})
    client.put("/v1/judgments/q1/d7", json={"grade": 1, "second_opinion": True, "author": "bob"})
    assert client.get(FILE).text == "q1 0 d7 1.5\n"


@pytest.mark.parametrize(
    ("content", "query", "status", "detail"),
    [
        ("q1 0 d7\n", "?file_name=a.qrels", 422, "a.qrels:1: expected"),
        ("q1 Q0 d7 1 2.5 tag\n", "?format=msmarco", 422, "format"),
        (json.dumps(FILES["srw-experiment"]), "", 422, "expected judgments, found a run or scores"),
        (json.dumps(QUEPID_CASE | {"queries": []}), "?format=quepid-case", 422, "found none"),
        ("", "", 400, "body: expected a file, found nothing"),
    ],
)
def test_an_invalid_file_stores_nothing(client, content, query, status, detail):
    """The problem has the name of the file, and what was expected."""
    answer = client.post(f"{FILE}{query}", content=content)
    assert answer.status_code == status
    assert detail in answer.json()["detail"]
    assert client.get("/v1/judgments").json()["items"] == []


def test_an_import_is_limited_in_rows(service):
    """The worker process refuses the rest."""
    client = service(max_rows=2)
    answer = client.post(FILE, content=QRELS)
    assert answer.status_code == 413
    assert "expected at most 2 rows" in answer.json()["detail"]


def test_an_import_requires_the_role_judge(service, archive):
    """An export requires only that of a reader."""
    token = archive.tokens.create("reader", "read")
    client = service()
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "text/plain"}
    for path in (FILE, "/v1/judgments"):
        assert client.post(path, content=QRELS, headers=headers).status_code == 403
    assert client.get(FILE, headers=headers).status_code == 200
