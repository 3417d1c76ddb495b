"""The pages Documents, Collections and Tokens."""

import re

import pytest

from berryeval import Document, Query, Run
from berryeval.archive import JudgmentEntry, RunFacts
from berryeval.archive.records import JudgingPolicy

HTML = {"Accept": "text/html"}


def get(client, address, status=200, **more):
    answer = client.get(address, headers=HTML, **more)
    assert answer.status_code == status, answer.text[:500]
    return answer.text


def post(client, address, data, status=303):
    answer = client.post(address, data=data, headers=HTML, follow_redirects=False)
    assert answer.status_code == status, answer.text[:500]
    return answer


@pytest.fixture
def documents(archive):
    """Some documents, one of which is judged and ranked."""
    archive.documents.put(
        [Document(f"d{n}", f"text {n} about bananas", f"Title {n}") for n in range(60)]
        + [Document("a/b", "# Apples\n\nRed **apples**, <script>x</script>", "Fruit")]
    )
    archive.queries.put([Query("q1", "red apples"), Query("q2", "fruit")])
    judged = [JudgmentEntry("q1", "a/b", 2), JudgmentEntry("q2", "gone", 1)]
    archive.judgments.put(judged, author="ada")
    archive.runs.put(Run.from_lists({"q1": ["d1", "a/b"]}), RunFacts("bm25"))


@pytest.mark.usefixtures("documents")
def test_documents_are_listed_page_by_page(client):
    """Documents are listed by id, with their titles."""
    first = get(client, "/documents")
    assert "61 documents" in first
    assert "Fruit" in first
    assert "Title 59" not in first
    following = re.search(r'rel="next" href="([^"]+)"', first)[1].replace("&amp;", "&")
    assert "Title 59" in get(client, following)


@pytest.mark.usefixtures("documents")
@pytest.mark.parametrize(
    ("text", "n_found"), [("FRUIT", 1), ("banana", 60), ("a/b", 1), ("nothing", 0), ("d5", 11)]
)
def test_documents_are_found_by_id_title_or_text(client, text, n_found):
    """The search ignores case and marks the words it found."""
    page = get(client, "/documents", params={"q": text})
    assert f"{n_found} of 61 documents" in page
    assert ("No matching documents" in page) == (n_found == 0)
    part = client.get("/documents", params={"q": text}, headers={"HX-Request": "true"}).text
    assert part.lstrip().startswith('<div id="found">')


@pytest.mark.usefixtures("documents")
def test_a_document_shows_its_text_judgments_and_ranks(client):
    """It is rendered, with the queries that it was judged for, and its ranks in the newest runs."""
    page = get(client, "/documents/a%2Fb?q=apples")
    assert "<h3><mark>Apples</mark></h3>" in page
    assert "<script>x" not in page
    assert "red apples" in page
    assert re.search(r'<td class="n">2</td>', page)
    assert "only the id" in get(client, "/documents/gone")
    get(client, "/documents/unknown", 404)


@pytest.mark.usefixtures("documents")
def test_the_drawer_marks_the_words_of_the_query(client):
    """It also renders the document."""
    page = get(client, "/queries/q1/documents/a%2Fb")
    assert "<strong><mark>apples</mark></strong>" in page


def test_large_archives_are_searched_by_title_and_id(archive, monkeypatch):
    """Reading every text would take too long."""
    archive.documents.put([Document("d1", "bananas", "Fruit")])
    assert archive.documents.search("banana") == ["d1"]
    monkeypatch.setattr("berryeval.archive.documents._SEARCHED", 0)
    assert archive.documents.search("banana") == []
    assert archive.documents.search("fruit") == archive.documents.search("d") == ["d1"]
    assert archive.documents.search(" ") == []


def test_a_manager_creates_titles_and_removes_a_collection(client):
    """Removal requires that the name is typed."""
    made = post(client, "/collections", {"name": "shop", "title": "Shop"})
    assert made.headers["location"] == "/c/shop/"
    page = get(client, "/c/shop/collections")
    assert 'class="menu switcher"' in page
    assert 'action="/c/default/collections/shop/remove"' in page
    post(client, "/collections/shop/title", {"title": "Store"})
    post(client, "/collections/shop/title", {"title": " "}, 422)
    assert "Store" in get(client, "/collections?saved=title")
    refused = post(client, "/c/default/collections/shop/remove", {"confirmation": "x"}, 422)
    assert "Nothing was removed" in refused.text
    post(client, "/c/default/collections/shop/remove", {"confirmation": "shop"})
    assert "switcher" not in get(client, "/collections?saved=removed")
    post(client, "/collections/shop/remove", {"confirmation": "shop"}, 404)


def test_the_name_of_a_collection_follows_from_its_title(client, archive):
    """It is for addresses: lower-case, with hyphens."""
    post(client, "/collections", {"name": "", "title": "Pets: Hilfe für alle"})
    assert archive.collections.get("pets-hilfe-fur-alle").title == "Pets: Hilfe für alle"


@pytest.mark.parametrize("name", ["../x", "Größe", "", "x" * 300, "default"])
def test_a_refused_collection_is_explained(client, name):
    """The page shows the error, and keeps what was typed."""
    assert "expected" in post(client, "/collections", {"name": name}, 422).text


def test_a_token_is_shown_once(client, archive):
    """It works with its role and its limits, and is revoked on the page."""
    archive.collections.create("shop")
    data = {"name": "ci", "role": "judge", "limited": "yes", "collection": "shop"}
    answer = post(client, "/tokens", data, 200)
    assert answer.headers["cache-control"] == "no-store"
    token = re.search(r"<code>(bev_[^<]+)</code>", answer.text)[1]
    found = archive.tokens.verify(token)
    assert (found.role, found.collections) == ("judge", ("shop",))
    assert token not in get(client, "/tokens")
    assert "expected a new name" in post(client, "/tokens", data, 422).text
    assert "There is no token" in post(client, "/tokens/nope/revoke", {}, 404).text
    post(client, "/tokens/ci/revoke", {})
    assert archive.tokens.verify(token) is None
    assert "The token of ci is revoked" in get(client, "/tokens?revoked=ci")


def test_the_page_says_who_is_admin_without_a_token(client, archive, service):
    """On this machine, a person whose token is revoked would become admin."""
    words = "admin without a token, also for people whose token was revoked"
    assert words in " ".join(get(client, "/tokens").split())
    guarded = service(host="0.0.0.0")  # noqa: S104 - tokens are required
    guarded.headers["Authorization"] = f"Bearer {archive.tokens.create('eve', 'admin')}"
    assert "without a token, also" not in get(guarded, "/tokens")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"name": "", "role": "read"}, "1 to 1,024 bytes"),
        ({"name": "x", "role": "king"}, "expected &#39;read&#39;"),
        ({"name": "x", "limited": "yes"}, "Choose at least one collection"),
        ({"name": "x", "limited": "yes", "collection": "nope"}, "There is no collection"),
    ],
)
def test_a_refused_token_is_explained(client, data, message):
    """The page rejects the same tokens as the command line."""
    assert message in post(client, "/tokens", data, 422).text


def test_a_refused_token_keeps_what_was_entered(client):
    """A second try must not give more access than the first."""
    data = {"name": "anna", "role": "judge", "limited": "yes"}
    form = post(client, "/tokens", data, 422).text
    radios = re.findall(r'<input type="radio"[^>]*>', form)
    checked = {re.search(r'value="(\w+)"', one)[1] for one in radios if "checked" in one}
    assert checked == {"judge", "yes"}
    assert 'value="anna"' in form


def test_a_chosen_collection_limits_a_token(client, archive):
    """This holds even if *all* is still selected; the page states what the token can do."""
    data = {"name": "anna", "role": "judge", "limited": "no", "collection": "default"}
    assert "The token of anna: judge in default" in post(client, "/tokens", data, 200).text
    assert archive.tokens.all()[0].collections == ("default",)


def test_only_admins_of_all_collections_manage(service, archive):
    """Others see neither the pages nor their links; no token revokes itself."""
    archive.collections.create("shop")
    client = service(is_token_required=True)
    cases = (("judge", None, 403), ("admin", ["shop"], 403), ("admin", None, 200))
    for role, limits, status in cases:
        name = f"{role}-{limits}"
        headers = HTML | {"Authorization": f"Bearer {archive.tokens.create(name, role, limits)}"}
        prefix = "/c/shop" if limits else ""
        assert client.get(f"{prefix}/tokens", headers=headers).status_code == status
        page = client.get(f"{prefix}/collections", headers=headers).text
        assert ("New collection" in page) == (status == 200)
        assert ("/tokens" in page) == (status == 200)
    own = client.post("/tokens/admin-None/revoke", headers=headers)
    assert own.status_code == 422
    assert "cannot revoke itself" in own.text


def test_the_guideline_is_at_hand_while_judging(client, archive):
    """An admin writes it in Markdown, and judges see it rendered."""
    archive.judging.put(JudgingPolicy("mean", ("bad", "good")))
    post(client, "/judgments/policy", {"guideline": "## Be fair\n\n- read **all** of it"})
    policy = archive.judging.get()
    assert (policy.rule, policy.labels) == ("mean", ("bad", "good"))
    page = get(client, "/judge")
    assert "<summary>Guideline</summary>" in page
    assert "<strong>all</strong>" in page
    refused = post(client, "/judgments/policy", {"guideline": "x" * 40_001}, 422)
    assert "at most 40,000 characters" in refused.text
    assert client.put("/v1/judging", json={"rule": "max"}).json()["guideline"] == policy.guideline
    assert client.put("/v1/judging", json={"guideline": ""}).json()["guideline"] == ""
