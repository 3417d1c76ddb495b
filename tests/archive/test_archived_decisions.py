import hashlib
from datetime import datetime, timezone

import pytest

from berryeval import Document, Query, Run
from berryeval.archive import Archive, RunFacts, tables
from berryeval.archive.clock import backdated
from berryeval.errors import ArgumentError, ConflictError, InputTypeError, NotFoundError
from berryeval.evaluation.memory import Decision

RUN = Run.from_lists({"q1": ["d1"]})


def test_queries_keep_texts_and_labels(archive):
    """Any text is allowed, and an existing query is replaced."""
    queries = [
        Query("Q2", "what\0 now \ud83d", "factual", "hard", "wants to know", ("a", "b"), 2.5, "g"),
        Query("Q1", ""),
    ]
    assert archive.queries.put(queries) == 2
    assert archive.queries.put(queries) == 0
    assert archive.queries.put([Query("Q1", "new")]) == 1
    assert archive.queries.get("Q2") == queries[0]
    assert archive.queries.get("Q3") is None
    assert archive.queries.page().items == (Query("Q1", "new"), queries[0])
    assert list(archive.queries.all()) == ["Q1", "Q2"]
    assert archive.queries.remove("Q1")
    assert not archive.queries.remove("Q1")
    with pytest.raises(InputTypeError, match="Q4: category: expected a str, got int"):
        archive.queries.put([Query("Q3", "x"), Query("Q4", "x", category=1)])
    assert archive.queries.get("Q3") is None


def test_archived_query_types_are_resolved_through_aliases(archive):
    """M11: this includes types stored as `troubleshooting` before it became an alias."""
    row = {"query_id": "Q1", "content": {"text": "why", "category": "troubleshooting"},
           "updated_at": datetime.now(timezone.utc)}  # fmt: skip
    with archive._database.writing() as connection:
        connection.execute(tables.queries.insert(), [row])
    archive.queries.put([Query("Q2", "why", category="troubleshooting")])
    assert [query.category for query in archive.queries.all().values()] == ["troubleshoot"] * 2
    assert archive.queries.get("Q1").category == "troubleshoot"


def test_documents_keep_their_hash_and_optional_text(archive):
    """The hash alone shows whether a document changed."""
    assert archive.documents.put([Document("d1", "text", "title")]) == 1
    assert archive.documents.put([Document("d1", "text", "title")]) == 0
    assert archive.documents.put_hashes({"d2": "abc"}) == 1
    found = archive.documents.get("d1")
    assert (found.title, found.text) == ("title", "text")
    assert archive.documents.put_hashes({"d1": found.hash}) == 0, "the text is still the right one"
    assert archive.documents.get("d1").text == "text"
    assert archive.documents.put_hashes({"d1": "other"}) == 1
    assert archive.documents.get("d1").text is None
    assert [item.doc_id for item in archive.documents.page().items] == ["d1", "d2"]
    assert archive.documents.remove("d2")
    assert not archive.documents.remove("d2")
    assert archive.documents.get("d2") is None
    with pytest.raises(ArgumentError, match="hash of d3"):
        archive.documents.put_hashes({"d3": ""})


def test_texts_and_hashes_are_stored_together_or_not_at_all(archive):
    """An error in one of them rejects both."""
    with pytest.raises(ArgumentError):
        archive.documents.put([Document("d1", "text")], hashes={"d2": ""})
    assert archive.documents.get("d1") is None
    assert archive.documents.put([Document("d1", "text")], hashes={"d2": "abc"}) == 2
    assert archive.documents.get("d2").hash == "abc"


def test_many_queries_and_documents_are_stored_in_one_call(archive):
    """Several SQL statements are needed; storing them again updates the one that changed."""
    queries = [Query(f"Q{number}", "text") for number in range(1234)]
    documents = [Document(f"d{number}", "text") for number in range(1234)]
    assert archive.queries.put(queries) == archive.documents.put(documents) == 1234
    assert archive.queries.put([*queries[:-1], Query("Q1233", "new")]) == 1
    assert archive.documents.put([*documents[:-1], Document("d1233", "new")]) == 1
    assert len(archive.queries.all()) == len(archive.documents.page(limit=9999).items) == 1234
    assert archive.documents.get("d1233").text == "new"


def test_baselines_are_names_for_runs(archive):
    """A baseline can be moved to another run, and removed without removing the run."""
    one, two = (archive.runs.put(RUN, RunFacts(name)).run_id for name in "xy")
    archive.baselines.put("main", one)
    moved = archive.baselines.put("main", two)
    assert archive.baselines.get("main") == moved
    assert archive.baselines.page().items == (moved,)
    with pytest.raises(NotFoundError, match="no run 'beef'"):
        archive.baselines.put("main", "beef")
    assert archive.baselines.remove("main")
    assert not archive.baselines.remove("main")
    assert archive.baselines.get("main") is None
    assert archive.runs.get(two) is not None


def test_gates_keep_their_settings(archive):
    """Settings are stored as JSON, and storing a gate again replaces it."""
    archive.gates.put("release", {"guards": []})
    gate = archive.gates.put("release", {"guards": [{"measure": "RR", "margin": 0.1}]})
    assert archive.gates.get("release") == gate
    assert archive.gates.page().items == (gate,)
    assert archive.gates.remove("release")
    assert archive.gates.get("release") is None
    with pytest.raises(InputTypeError, match="settings"):
        archive.gates.put("release", {"x": {1, 2}})


def test_the_last_release_is_recorded(archive):
    """Setting a baseline to another run clears the mark unless it is repeated."""
    run_id = archive.runs.put(Run.from_lists({"q": ["d"]}), RunFacts("a")).run_id
    assert archive.baselines.last_release() is None
    archive.baselines.put("main", run_id)
    assert archive.baselines.last_release() is None
    first = archive.baselines.put("v1", run_id, is_release=True)
    second = archive.baselines.put("v2", run_id, is_release=True)
    assert first.released_at is not None
    assert archive.baselines.last_release() == second == archive.baselines.get("v2")
    archive.baselines.put("v2", run_id)
    assert archive.baselines.last_release() == first


def test_subjects_of_verdicts_are_listed_by_gate(archive):
    """They are listed oldest first, with arbitrary ids; verdicts without a subject are omitted."""
    facts = {"run_id": "a" * 64, "judgments_hash": "b" * 64, "verdict": "pass"}
    decisions = [
        Decision("c", None, "q", 2, 1, query_ids=("q1", "\udc80\0é")),
        Decision("c", "b", "q", 2, 2),
    ]
    for one in decisions:
        archive.verdicts.put(gate="release", decision=one, **facts)
    archive.verdicts.put(gate="release", **facts)
    archive.verdicts.put(gate="nightly", decision=decisions[1], **facts)
    assert archive.verdicts.decisions("release") == decisions
    assert archive.verdicts.decisions("other") == []


def test_verdicts_are_kept_permanently(archive):
    """Removing their gate or run does not remove them."""
    archive.gates.put("release", {})
    run_id = archive.runs.put(RUN, RunFacts("x")).run_id
    facts = {"gate": "release", "run_id": run_id, "judgments_hash": "beef"}
    first = archive.verdicts.put(**facts, verdict="fail", report={"sentence": "worse"})
    second = archive.verdicts.put(**facts, verdict="pass", baseline_id=run_id)
    other = archive.verdicts.put(**facts | {"gate": "nightly"}, verdict="inconclusive")
    archive.gates.remove("release")
    archive.runs.remove(run_id)
    assert archive.verdicts.get(first.verdict_id) == first
    assert (first.report, second.report) == ({"sentence": "worse"}, {})
    assert archive.verdicts.get(99) is None
    assert archive.verdicts.page().items == (other, second, first)
    assert archive.verdicts.page(gate="release").items == (second, first)
    assert archive.verdicts.page(run_id="other").items == ()
    page = archive.verdicts.page(limit=1)
    assert archive.verdicts.page(limit=1, after=page.next).items == (second,)
    brief = archive.verdicts.summaries(gate="release").items
    assert [(one.verdict_id, one.verdict, one.sentence) for one in brief] == [
        (second.verdict_id, "pass", ""),
        (first.verdict_id, "fail", "worse"),
    ]
    assert brief[1].created_at == first.created_at
    assert archive.verdicts.summaries(run_id="other").items == ()
    with pytest.raises(ArgumentError, match="'pass' or 'fail' or 'inconclusive', got 'maybe'"):
        archive.verdicts.put(**facts, verdict="maybe")
    with pytest.raises(ArgumentError, match="run_id: expected a hash"):
        archive.verdicts.put(**facts | {"run_id": "x" * 65}, verdict="pass")


def test_stores_keep_their_latest_summary(archive):
    """E5: a summary has the kind and settings; a store without documents may have one, too."""
    noted = archive.stores.note_summary("own", "configured", {"a": 1}, {"query_count": 2})
    assert (noted.n_documents, noted.summary) == (0, {"query_count": 2})
    assert noted.evaluated_at is not None
    again = archive.stores.note_summary("own", "configured", {"a": 2}, {"query_count": 3})
    assert (again.settings, again.summary) == ({"a": 2}, {"query_count": 3})
    assert archive.stores.get("own") == again
    assert archive.stores.page().items == (again,)
    assert archive.stores.remove("own")
    assert not archive.stores.remove("own")
    assert archive.stores.get("own") is None


def test_stores_keep_their_documents(archive):
    """Documents stay in the order they were first added; the newest text counts."""
    assert archive.stores.create("docs", "bm25", {"a": 1})
    assert not archive.stores.create("docs", "bm25", {"a": 1})
    with pytest.raises(ConflictError, match=r"store 'docs': expected bm25 \{\}, found bm25"):
        archive.stores.create("docs", "bm25")
    assert archive.stores.put_documents("docs", [Document("b", "one"), Document("a", "two")]) == 2
    archive.stores.put_documents("docs", [Document("b", "three", "\udcff"), Document("c", "\0")])
    assert archive.stores.document_ids("docs") == ["b", "a", "c"]
    known = archive.stores.documents("docs")
    assert known[0] == Document("b", "three", "\udcff")
    assert archive.stores.find_documents("docs", ["c", "x"]) == {"c": Document("c", "\0")}
    assert archive.stores.documents_after("docs", "a", 2) == [known[0], known[2]]
    stored = archive.stores.get("docs")
    assert (stored.n_documents, stored.version) == (3, 2)


def test_documents_are_removed_with_their_store(archive):
    """One or all can be removed; an unknown store has none."""
    archive.stores.create("docs", "bm25")
    archive.stores.create("other", "bm25")
    for name in ("docs", "other"):
        archive.stores.put_documents(name, [Document("a", "one"), Document("b", "two")])
    assert archive.stores.discard_document("docs", "a")
    assert not archive.stores.discard_document("docs", "a")
    assert archive.stores.get("docs").n_documents == 1
    archive.stores.remove("docs")
    assert archive.stores.documents("docs") == []
    assert len(archive.stores.documents("other")) == 2
    for change in (lambda: archive.stores.put_documents("docs", []),
                   lambda: archive.stores.discard_document("docs", "b")):  # fmt: skip
        with pytest.raises(NotFoundError, match="no store 'docs'"):
            change()


def test_tokens_are_shown_once_and_stored_as_hashes(archive):
    """The hashes in the database cannot be used as tokens."""
    token = archive.tokens.create("ci", "judge")
    assert len(token) >= 43 + 4
    found = archive.tokens.verify(token)
    assert (found.name, found.role, found.revoked_at) == ("ci", "judge", None)
    assert archive.tokens.verify(token + "x") is None
    assert archive.tokens.verify("\ud800") is None
    with archive._database.reading() as connection:
        row = connection.execute(tables.tokens.select()).one()
    assert row.hash == hashlib.sha256(token.encode()).hexdigest()
    assert token not in str(row)


def test_a_revoked_token_is_invalid_at_once(archive):
    """Its name can be reused, and the list shows both tokens."""
    token = archive.tokens.create("ci", "read")
    with pytest.raises(ConflictError, match="'ci'; revoke that one first"):
        archive.tokens.create("ci", "admin")
    assert archive.tokens.revoke("ci")
    assert not archive.tokens.revoke("ci")
    assert archive.tokens.verify(token) is None
    again = archive.tokens.create("ci", "admin")
    assert archive.tokens.verify(again).role == "admin"
    listed = archive.tokens.page().items
    assert [(one.role, one.revoked_at is None) for one in listed] == [
        ("read", False),
        ("admin", True),
    ]
    page = archive.tokens.page(limit=1)
    assert archive.tokens.page(limit=1, after=page.next).items == listed[1:]
    with pytest.raises(ArgumentError, match="role: expected 'read' or 'judge' or 'admin'"):
        archive.tokens.create("x", "root")


def test_queries_are_reread_only_after_a_change(archive, location):
    """Changes and removals by other processes are noticed."""
    archive.queries.put([Query("q1", "one"), Query("q2", "two")])
    found = archive.queries.all()
    assert archive.queries.all() is found
    with Archive.open(location) as another:
        another.queries.put([Query("q2", "second")])
    assert archive.queries.all()["q2"].text == "second"
    archive.queries.remove("q1")
    assert list(archive.queries.all()) == ["q2"]
    with backdated(datetime(2020, 1, 1, tzinfo=timezone.utc)):
        archive.queries.put([Query("q2", "another")])
    assert archive.queries.all()["q2"].text == "another"


def test_callers_cannot_modify_cached_queries(archive):
    """Cached queries are shared between callers."""
    archive.queries.put([Query("q1", "one")])
    with pytest.raises(TypeError):
        archive.queries.all()["q2"] = Query("q2", "two")


def test_a_summary_extracts_the_sentence_of_a_long_report(archive):
    """Only the beginning is read; without a sentence in it, the summary is empty."""
    facts = {"gate": "release", "run_id": "a" * 64, "judgments_hash": "b" * 64, "verdict": "pass"}
    message = 'it "fell" \u2212 by \ud83d far'
    long = ["x" * 100] * 1000
    for report, sentence in (
        ({"verdict": "pass", "sentence": message, "holes": long}, message),
        ({"holes": long, "sentence": message}, ""),
        ({"sentence": "y" * 9000}, ""),
        ({"sentence": 7}, ""),
    ):
        archive.verdicts.put(**facts, report=report)
        assert archive.verdicts.summaries(limit=1).items[0].sentence == sentence
