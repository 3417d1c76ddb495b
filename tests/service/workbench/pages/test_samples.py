"""The samples that an empty archive offers on its first page."""

import pytest

from berryeval import Query
from service.workbench.html import HTML, get_page
from service.workbench.judged_archive import ORIGIN

HEADERS = {**HTML, **ORIGIN}


def load(client, status=303):
    """Press the button, and return the answer."""
    answer = client.post("/import/samples", headers=HEADERS, follow_redirects=False)
    assert answer.status_code == status, answer.text[:2000]
    return answer


def test_an_empty_archive_gets_everything_that_pages_need(client, archive):
    """It gets documents with titles, queries, judgments, a guideline, runs, and a baseline."""
    assert get_page(client, "/").find("form", action="/import/samples")
    assert load(client).headers["location"] == "/"
    found = archive.documents.get("export-pdf")
    assert (found.title, found.text[:14]) == ("Exporting a note as PDF", "Open the note,")
    assert archive.queries.get("h01").text == "save note as pdf"
    assert archive.judgments.get("h01", "export-pdf").grade == 3
    assert archive.judging.get().guideline.startswith("3 answers the question")
    runs = {run.facts.name: run.run_id for run in archive.runs.page().items}
    assert runs.keys() == {"words", "stems"}
    assert archive.baselines.get("main").run_id == runs["words"]


def test_an_archive_with_data_rejects_them(client, archive):
    """They would be mixed with real data; the page does not offer them."""
    archive.queries.put([Query("q1", "bake bread")])
    assert not get_page(client, "/").find_all("form", action="/import/samples")
    assert "only in an empty archive; this one has queries" in load(client, 422).text
    assert not archive.runs.page().items


@pytest.mark.parametrize(("role", "is_offered"), [("judge", False), ("admin", True)])
def test_only_an_admin_is_offered_them(service, archive, role, is_offered):
    """Only admins can set the baseline that is part of them."""
    guarded = service("http://quality.example", host="0.0.0.0")  # noqa: S104
    token = archive.tokens.create("ada", role)
    answer = guarded.get("/", headers={**HTML, "Authorization": f"Bearer {token}"})
    assert ("Load samples" in answer.text) == is_offered
