"""Judgments are imported and exported as files, in every format that supports them."""

import json
from typing import get_args

import pytest
from starlette.testclient import TestClient

from berryeval import Query
from berryeval.archive import Archive
from berryeval.archive.records import JudgingPolicy
from berryeval.formats import read_judgments
from berryeval.formats.registry import FORMATS
from berryeval.service.app import create_app
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
    """The formats are those of the command line."""
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
    assert answer.json() == {"received": 3, "changed": 3, "notes": [], "import_id": 1}
    (first, *_) = client.get("/v1/judgments").json()["items"]
    assert (first["author"], first["source"]) == ("imported", "file a.qrels")
    again = client.post(path, content=QRELS, headers=headers)
    assert again.json()["changed"] == 0


def test_a_list_of_records_is_imported(client):
    """A JSON list is a file like JSON lines, for judgments and for runs."""
    records = [{"query_id": "q1", "doc_id": "d7", "grade": 2}]
    answer = client.post(FILE, content=json.dumps(records, indent=1))
    assert answer.json()["changed"] == 1, answer.text
    ranked = [{"query_id": "q1", "doc_id": "d7", "score": 0.5}]
    uploaded = client.post("/v1/runs?name=a", content=json.dumps(ranked))
    assert uploaded.status_code == 201, uploaded.text


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
        "import_id": 1,
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
    """This holds for every format; ids and texts are matched."""
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
    """Second opinions have their own lines; a judge who reconsidered has one."""
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


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ("q1 0 d7 2\nq1 0 d9 0\nq2 0 d7 4\n", 3),
        ("# pool\n\nq2 0 d7 4\n", 3),
        ('{"query_id": "q1", "doc_id": "d7", "relevance": 1}\n'
         '{"query_id": "q2", "doc_id": "d7", "relevance": 4}\n', 2),
        ("query_id,doc_id,relevance\nq1,d7,1\nq2,d7,4\n", 3),
        ("query_id,doc_id,relevance,judge\nq2,d7,1,ada\nq2,d7,4,bob\n", 3),
        ("query_id,doc_id,relevance\nhow to bake bread,d7,4\n", 2),
        ('{"q2": {"d7": 4}}', None),
    ],
    ids=["trec", "comments", "jsonl", "csv", "second opinion", "query by text", "no lines"],
)  # fmt: skip
def test_a_grade_above_the_scale_names_its_line(client, archive, content, line):
    """The user can find the grade in a long file; nothing is stored."""
    archive.queries.put([Query("q2", "how to bake bread")])
    archive.judging.put(JudgingPolicy(labels=("No", "Some", "Yes")))
    refused = client.post(f"{FILE}?file_name=pool.txt", content=content)
    assert refused.status_code == 422, refused.text
    problem = refused.json()
    assert problem["detail"] == (
        f"pool.txt{'' if line is None else f':{line}'}: expected a grade of at most 2, the highest "
        "of the declared scale, found 4 for document 'd7' of query 'q2'"
    )
    assert problem.get("line") == line
    assert archive.judgments.revision() == 0


def test_an_import_is_limited_in_rows(service):
    """The worker process rejects the file beyond the limit."""
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


@pytest.mark.parametrize("format", ["jsonl", "table", "parquet", "arrow"])
def test_opinions_survive_a_round_trip(client, archive, tmp_path, format):
    """Judge, grade, time, source and note of every opinion survive, even of settled ones."""
    fill_with_opinions(archive)
    address = f"{FILE}?format={format}&with_settled=true"
    file = client.get(address).content
    assert client.post(FILE, content=file).json()["changed"] == 0
    with Archive.open(tmp_path / "other.db") as other:
        with TestClient(create_app(other), base_url="http://localhost:8765") as there:
            stored = there.post(FILE, content=file).json()
            assert (stored["received"], stored["notes"]) == (3, [])
            again = there.get(address).content
        assert other.judgments.current() == archive.judgments.current()
        tables = [one.judgment_index.table() for one in (archive, other)]
        assert [table.n_conflicts for table in tables] == [1, 1]
        assert [*tables[1].opinions.values()] == [*tables[0].opinions.values()]
    assert rows_of(again, tmp_path) == rows_of(file, tmp_path)


def fill_with_opinions(archive):
    """Judge three pairs: one judge, two who disagree, and two whose disagreement is settled."""
    archive.judgments.change(
        "q1", "d1", 2, author="ada", source="x", note='a "note",\nof two lines'
    )
    for doc_id in ("d2", "d3"):
        archive.judgments.add_opinion("q1", doc_id, 3, author="ada", source="project x")
        archive.judgments.add_opinion("q1", doc_id, 0, author="bob", source="y", note="no")
    archive.judgments.change("q1", "d3", 1, author="eve", source="settled", note="half")


def rows_of(file, folder):
    """Return the opinions of a file in order."""
    path = folder / "file"
    path.write_bytes(file)
    return sorted(map(repr, read_judgments(path).iter_opinions()))


def test_times_that_are_none_are_noted(client):
    """Valid times are kept, in UTC."""
    lines = [
        {"query_id": "q1", "doc_id": doc_id, "relevance": 1, "judge": "ada", "judged_at": at}
        for doc_id, at in (("d1", "2026-01-02T03:04:05+01:00"), ("d2", "yesterday"))
    ]
    stored = client.post(FILE, content="\n".join(map(json.dumps, lines))).json()
    assert stored["notes"] == [
        "1 time is not in ISO 8601, such as 2026-11-16T08:00:00Z, and left out."
    ]
    first, second = client.get("/v1/judgments").json()["items"]
    assert (first["given_at"], second["given_at"]) == ("2026-01-02T02:04:05+00:00", None)


def test_an_import_is_undone_by_its_owner_or_an_admin(archive, service):
    """Another judge cannot, and it is undone once."""
    guarded = service(host="0.0.0.0")  # noqa: S104 - tokens are required
    tokens = {
        name: {"Authorization": f"Bearer {archive.tokens.create(name, role)}"}
        for name, role in (("ada", "judge"), ("bob", "judge"), ("eve", "admin"))
    }
    for number, undoer in enumerate(("ada", "eve"), start=1):
        stored = guarded.post(FILE, content=QRELS, headers=tokens["ada"]).json()
        assert stored["import_id"] == number
        place = f"/v1/imports/{number}"
        assert guarded.post(f"{place}/undo", headers=tokens["bob"]).status_code == 403
        undone = guarded.post(f"{place}/undo", headers=tokens[undoer]).json()
        assert (undone["author"], undone["undone_by"], undone["n_kept"]) == ("ada", undoer, 0)
        assert guarded.get(place, headers=tokens["bob"]).json() == undone
        assert guarded.post(f"{place}/undo", headers=tokens[undoer]).status_code == 409
        assert guarded.get("/v1/judgments", headers=tokens["bob"]).json()["items"] == []
    assert guarded.get("/v1/imports/3", headers=tokens["bob"]).status_code == 404
    listed = guarded.get("/v1/imports", headers=tokens["bob"]).json()["items"]
    assert [one["import_id"] for one in listed] == [2, 1]
