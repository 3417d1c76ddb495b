"""Intent-aware measures have the same values over HTTP as in Python and on the command line."""

import json

import pytest
from click.testing import CliRunner

import berryeval as be
from berryeval.archive import Archive
from berryeval.cli import main
from berryeval.client.collection import Judgments as JudgmentsClient

MEASURES = ["alpha_nDCG@5", "ERR_IA@3", "nERR_IA@3", "NRBP", "AP_IA", "StRecall@2", "nDCG@5"]
TABLE = """query_id,doc_id,relevance,subtopic,subtopic_weight
q1,a,1,animal,1
q1,a,1,car,1
q1,b,2,animal,
q1,c,1,team,4
q2,d,1,red,
q2,b,0,blue,
"""
RUN = "q1 Q0 x 1 4 t\nq1 Q0 b 2 3 t\nq1 Q0 c 3 2 t\nq2 Q0 b 1 2 t\nq2 Q0 d 2 1 t\n"
FILE = "/v1/judgments/file?file_name=a.csv"


@pytest.fixture
def files(tmp_path):
    """Judgments with subtopics and weights, and a run."""
    (tmp_path / "a.csv").write_text(TABLE)
    (tmp_path / "words.run").write_text(RUN)
    return tmp_path


def means_over_http(client, measures=MEASURES):
    """Upload the run, and return its means."""
    run = client.post("/v1/runs?name=words", content=RUN).json()["run_id"]
    answer = client.post("/v1/evaluations", json={"run": run, "measures": measures})
    assert answer.status_code in (200, 201), answer.text
    return answer.json()["means"]


def test_python_the_command_and_the_service_have_the_same_values(client, files):
    """This holds for the archive and for files."""
    expected = be.evaluate(files / "a.csv", files / "words.run", MEASURES).to_dict()
    assert 0 < expected["alpha_nDCG@5"] < 1
    options = [option for measure in MEASURES for option in ("-m", measure)]
    printed = CliRunner().invoke(
        main, ["evaluate", str(files / "a.csv"), str(files / "words.run"), *options, "--json"]
    )
    assert json.loads(printed.stdout)["runs"][0]["means"] == expected
    imported = client.post(FILE, content=TABLE, headers={"Content-Type": "text/csv"})
    assert imported.json() == {"received": 5, "changed": 5, "notes": [], "import_id": 1}
    assert means_over_http(client) == expected
    again = client.post(FILE, content=TABLE, headers={"Content-Type": "text/csv"})
    assert again.json()["changed"] == 0


@pytest.mark.parametrize("format", ["jsonl", "table", "trec"])
def test_downloaded_judgments_have_the_subtopics(client, files, format):
    """TREC files have no weights."""
    client.post(FILE, content=TABLE, headers={"Content-Type": "text/csv"})
    content = client.get(f"/v1/judgments/file?format={format}").content
    path = files / "downloaded"
    path.write_bytes(content)
    found, expected = be.read_judgments(path), be.read_judgments(files / "a.csv")
    assert found.subtopics == expected.subtopics
    assert found.subtopic_weights == ({} if format == "trec" else expected.subtopic_weights)


def test_records_have_subtopics(client):
    """They can be sent in bulk or one by one; a grade without subtopics keeps them."""
    entry = {"query_id": "q", "doc_id": "d", "grade": 2, "subtopics": {"animal": 2, "car": 0}}
    given = {"judgments": [entry | {"subtopic_weights": {"animal": 3}}]}
    assert client.post("/v1/judgments", json=given).json() == {"received": 1, "changed": 1}
    place = "/v1/judgments/q/d"
    found = client.get(place).json()
    assert found["subtopics"] == {"animal": 2.0, "car": 0.0}
    assert found["subtopic_weights"] == {"animal": 3.0}
    any_match = {"If-Match": "*"}
    kept = client.put(place, json={"grade": 1}, headers=any_match).json()
    assert (kept["grade"], kept["subtopics"]) == (1.0, found["subtopics"])
    changed = {"grade": 3, "subtopics": {"car": 3}}
    assert client.put(place, json=changed, headers=any_match).json()["subtopics"] == {"car": 3.0}
    low = client.put(place, json={"grade": 1, "subtopics": {"car": 3}}, headers=any_match)
    assert low.status_code == 422
    assert "the highest grade of its subtopics" in low.json()["detail"]
    opinion = {"grade": 1, "second_opinion": True, "author": "bob", "subtopics": {"team": 1}}
    assert client.put(place, json=opinion).json()["kind"] == "opinion"
    assert client.get(place).json()["subtopics"] == {"car": 3.0, "team": 1.0}


def test_the_client_sends_subtopics():
    """They are a mapping in place of a grade, or an argument."""
    sent = []

    class Connection:
        def ask(self, *_, **options):
            sent.append(options["body"])

    judgments = JudgmentsClient(Connection())
    judgments.put({"q": {"d": {"animal": 2, "car": 0}, "e": 1}})
    judgments.set("q", "d", 2, subtopics={"animal": 2})
    assert sent[0]["judgments"] == [
        {"query_id": "q", "doc_id": "d", "grade": 2, "subtopics": {"animal": 2, "car": 0}},
        {"query_id": "q", "doc_id": "e", "grade": 1},
    ]
    assert sent[1] == {"grade": 2, "subtopics": {"animal": 2}}


def test_pages_score_with_subtopics(service, archive, files):
    """The page of a query has the scores of Python, before and after a plain grade."""
    client = service(measures=("alpha_nDCG@5", "nDCG@5"))
    client.post(FILE, content=TABLE, headers={"Content-Type": "text/csv"})
    runs = {"words": RUN, "other": RUN.replace(" x ", " a ")}
    a, b = (
        client.post(f"/v1/runs?name={name}", content=run).json()["run_id"]
        for name, run in runs.items()
    )
    assert "Grades by subtopic, which a new grade keeps" in client.get("/judgments/q1/a").text
    (files / "other.run").write_text(runs["other"])
    for grade in (1, 0):
        client.put("/v1/judgments/q1/a", json={"grade": grade}, headers={"If-Match": "*"})
        page = client.get(f"/queries/q1?a={a}&b={b}&measure=alpha_nDCG@5").text
        for name in runs:
            found = be.evaluate(archive.judgments.current(), files / f"{name}.run", "alpha_nDCG@5")
            assert f"{found['alpha_nDCG@5'].by_query['q1']:.4f}" in page


def test_an_archive_of_an_earlier_version_is_upgraded(tmp_path):
    """Its judgments have no subtopics and strata, its documents no lengths, and can get some."""
    from sqlalchemy import text

    path = tmp_path / "old.db"
    with Archive.open(path) as archive, archive._database.writing() as connection:
        for index in ("judgments_with_subtopics", "judgments_with_strata"):
            connection.execute(text(f"DROP INDEX {index}"))
        for column in ("subtopics", "subtopic_weights", "stratum", "note", "given_at"):
            connection.execute(text(f"ALTER TABLE judgments DROP COLUMN {column}"))
        connection.execute(text("ALTER TABLE documents DROP COLUMN length"))
        later = ("collections", "project_refusals", "project_pairs", "projects", "imports",
                 "systems", "model_grades", "judge_admissions", "label_draws",
                 "query_proposals")  # fmt: skip
        for table in later:
            connection.execute(text(f"DROP TABLE {table}"))
        for column in ("collections", "used_at"):
            connection.execute(text(f"ALTER TABLE tokens DROP COLUMN {column}"))
        connection.execute(text("UPDATE archive_version SET version_num = '0005'"))
        connection.execute(
            text(
                "INSERT INTO judgments (revision, query_id, doc_id, grade, author, judged_at, kind)"
                " VALUES (1, x'71', x'64', 1, '\"ada\"', '2026-11-17 00:00:00.000000', 'judgment')"
            )
        )
    with Archive.open(path) as archive:
        stored = archive.judgments.get("q", "d")
        assert (stored.grade, stored.subtopics, stored.stratum) == (1.0, None, None)
        changed = archive.judgments.change(
            "q", "d", 1, author="ada", subtopics={"car": 1}, stratum="top"
        )
        assert (changed.subtopics, changed.stratum) == ({"car": 1.0}, "top")
        archive.documents.put([], hashes={"d": "1a"}, lengths={"d": 7})
        assert archive.documents.get("d").length == 7
