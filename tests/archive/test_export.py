import gzip
import json
import shutil
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import select

from archive.databases import new_database
from archive.judged_by_models import admission, model_grade, proposal
from berryeval import Document, Query, Run, read_documents, read_judgments, read_queries, read_run
from berryeval.archive import Archive, JudgmentEntry, RunFacts, tables
from berryeval.archive.projects.records import PairSelection, ProjectPlan
from berryeval.archive.records import JudgingPolicy, JudgmentBatch
from berryeval.core.id_column import decode_id
from berryeval.core.judging import JUDGES
from berryeval.errors import (
    ArgumentError,
    ConflictError,
    FormatError,
    InputError,
    MismatchError,
    NotFoundError,
)
from berryeval.evaluation.label_draw import draw_labels
from depth import examples

LONG_AGO = datetime(2001, 2, 3, 4, 5, 6, 7, tzinfo=timezone.utc)
anything = st.text(max_size=8)
ids = st.binary(min_size=1, max_size=4).map(decode_id) | st.text(
    st.characters(exclude_categories=["Cs"]), min_size=1, max_size=4
)
names = st.sampled_from(["ada", "bob", "ключ", "\udcff", "a\0b"])
grades = st.sampled_from([-1, 0, 1, 2, 0.5, 1e290])
judged = st.dictionaries(st.tuples(ids, ids), grades, max_size=4)
queries = st.builds(
    Query, ids, anything, st.none() | anything, st.none() | anything, st.none() | anything,
    st.lists(anything, max_size=2).map(tuple),
    st.none() | st.floats(1e-300, 1e300), st.none() | anything.filter(bool),
).map(lambda query: replace(query, stratum=query.group and query.group[0]))  # fmt: skip
documents = st.builds(Document, ids, anything, anything)
rankings = st.dictionaries(
    st.just("q") | ids, st.dictionaries(ids, st.floats(allow_nan=False), max_size=3), max_size=3
)
facts = st.builds(
    RunFacts, names, st.dictionaries(anything, st.none() | anything | st.integers(), max_size=2),
    st.none() | st.just("c0ffee"), st.lists(st.just("tag"), max_size=2), st.none() | st.just("1e2"),
    st.none() | st.dictionaries(ids, st.floats(0, 1e6), max_size=2),
)  # fmt: skip
steps = st.lists(
    st.one_of(
        st.tuples(st.just("judge"), judged, names),
        st.tuples(st.just("opine"), st.integers(0, 5), grades, names),
        st.tuples(st.just("declare"), st.sampled_from(JUDGES)),
        st.tuples(st.just("undo"), st.integers(0, 5)),
        st.tuples(st.just("remove"), st.integers(0, 5), names),
        st.tuples(st.just("query"), st.lists(queries, max_size=3)),
        st.tuples(st.just("document"), st.lists(documents, max_size=3)),
        st.tuples(st.just("hash"), st.dictionaries(ids, st.just("abc"), max_size=3)),
        st.tuples(st.just("run"), rankings, facts),
        st.tuples(st.just("score"), st.integers(0, 3)),
        st.tuples(st.just("decide"), names, st.sampled_from(["pass", "fail", "inconclusive"])),
        st.tuples(st.just("token"), names, st.sampled_from(["read", "judge", "admin"])),
        st.tuples(st.just("revoke"), names),
        st.tuples(st.just("store"), names, st.none() | st.dictionaries(anything, anything)),
        st.tuples(st.just("import_file"), judged, names),
        st.tuples(st.just("undo_import"), st.integers(1, 3)),
        st.tuples(st.just("project"), names, st.booleans()),
        st.tuples(st.just("fill"), names, st.lists(documents, max_size=3)),
        st.tuples(st.just("grade"), ids, ids, st.none() | grades, names, anything),
        st.tuples(st.just("check"), names, st.dictionaries(anything, anything, max_size=2)),
        st.tuples(st.just("draw"), names, st.lists(ids, min_size=2, max_size=3, unique=True)),
        st.tuples(st.just("propose"), ids, anything, st.booleans()),
        st.tuples(st.just("guide"), anything),
    ),
    max_size=12,
)


@pytest.fixture(autouse=True, scope="module")
def quick_disk():
    """Write files without waiting for the disk, which is slow and not under test."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("os.fsync", lambda _file: None)
        yield


class Player:
    """Applies steps to an archive, and ignores those that are rejected."""

    def __init__(self, archive):
        self.archive = archive

    def judge(self, grades, author):
        entries = [JudgmentEntry(*pair, grade) for pair, grade in grades.items()]
        self.archive.judgments.put(entries, author=author)

    def opine(self, number, grade, author):
        for item in self.archive.judgments.page().items[number : number + 1]:
            self.archive.judgments.add_opinion(item.query_id, item.doc_id, grade, author=author)

    def declare(self, rule):
        self.archive.judging.put(JudgingPolicy(rule, ("no", "a little", "half", "yes")))

    def undo(self, number):
        for item in self.archive.judgments.page().items[number : number + 1]:
            last = self.archive.judgments.history(item.query_id, item.doc_id)[-1]
            with suppress(ConflictError):
                self.archive.judgments.undo(
                    last.query_id, last.doc_id, author=last.author, if_revision=last.revision
                )

    def remove(self, number, author):
        for item in self.archive.judgments.page().items[number : number + 1]:
            self.archive.judgments.remove(item.query_id, item.doc_id, author=author)

    def query(self, several):
        self.archive.queries.put(several)

    def document(self, several):
        self.archive.documents.put(several)

    def hash(self, hashes):
        self.archive.documents.put_hashes(hashes)

    def run(self, rows, its_facts):
        self.archive.runs.put(Run.from_dict(rows), its_facts)

    def import_file(self, grades, author):
        entries = [
            JudgmentEntry(*pair, grade, note="a\0\udcff", given_at=LONG_AGO)
            for pair, grade in grades.items()
        ]
        batches = [JudgmentBatch(author, "file", entries)]
        self.archive.imports.put(batches, file_name="qrels.txt", author="ada")

    def undo_import(self, number):
        with suppress(ConflictError, NotFoundError):
            self.archive.imports.undo(number, author="bob")

    def project(self, name, is_refused):
        for run in self.archive.runs.page().items:
            selection = PairSelection("depth", (run.run_id,), limit=10)
            plan = ProjectPlan(selection, guideline="\udcff", judges=(name,))
            with suppress(ConflictError, ArgumentError):
                self.archive.projects.create(name, plan, author="ada")
                pair = self.archive.projects.board(name).pairs[0].asked.pair
                grade = None if is_refused else 1
                self.archive.projects.answer(name, *pair, grade, author=name, note="a\0")
                self.archive.projects.set_state(name, "paused")

    def score(self, number):
        for run in self.archive.runs.page().items[number : number + 1]:
            self.archive.evaluations.score(run.run_id, ["nDCG@10", "RR"])
            self.archive.baselines.put(run.facts.name, run.run_id)

    def decide(self, name, verdict):
        hashed = self.archive.judgments.hash()
        self.archive.gates.put(name, {"guards": [name]})
        self.archive.verdicts.put(gate=name, run_id="x", verdict=verdict, judgments_hash=hashed)

    def token(self, name, role):
        self.archive.tokens.create(name, role)

    def revoke(self, name):
        self.archive.tokens.revoke(name)

    def store(self, name, summary):
        if summary is None:
            self.archive.stores.create(name, "embedded", {"name": name})
        else:
            self.archive.stores.note_summary(name, "embedded", {"name": name}, summary)

    def title(self, text):
        self.archive.collections.retitle("default", text)

    def fill(self, name, several):
        with suppress(NotFoundError):
            self.archive.stores.put_documents(name, several)

    def grade(self, query_id, doc_id, grade, judge, reason):
        self.archive.model_grades.put([model_grade(query_id, doc_id, grade, judge, reason=reason)])

    def check(self, judge, result):
        self.archive.admissions.put([admission(judge, result=result)], stored_by="ada")

    def draw(self, name, query_ids):
        self.archive.label_draws.put(name, draw_labels(query_ids, 2), created_by="ada")

    def propose(self, query_id, text, is_accepted):
        self.archive.proposals.put([proposal(query_id, text)])
        if is_accepted:
            self.archive.proposals.accept(query_id, reviewer="ada", intent="to know")

    def guide(self, guideline):
        self.archive.judging.adopt_guideline(guideline)

    def play(self, several):
        for name, *arguments in several:
            with suppress(InputError):
                getattr(self, name)(*arguments)


def files(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*.*")}


def check_round_trip(first, second, home):
    """Export one archive, import it into the other, and compare them."""
    first.export(home / "one")
    counts = second.import_(home / "one")
    for table in set(tables.metadata.sorted_tables) - {tables.sessions, tables.systems}:
        assert rows_of(second, table) == rows_of(first, table), table.name
    second.export(home / "two")
    assert files(home / "one") == files(home / "two")
    assert counts["judgments.jsonl"] == first.judgments.current().n_rows
    assert second.judgments.current() == first.judgments.current()
    for run in first.runs.page().items:
        assert second.runs.get(run.run_id) == first.runs.get(run.run_id)
        assert second.runs.load(run.run_id) == first.runs.load(run.run_id)
    for stored in first.evaluations.page().items:
        assert second.evaluations.get(stored.evaluation_id) == stored
        one, two = (a.evaluations.load(stored.evaluation_id) for a in (first, second))
        assert one["RR"].by_query == two["RR"].by_query
    assert second.judging.get() == first.judging.get()
    assert second.admissions.all() == first.admissions.all()
    assert second.judging.guideline() == first.judging.guideline()
    for name in ("judgments", "queries", "documents", "baselines", "gates", "verdicts", "tokens",
                 "stores", "imports", "projects", "model_grades", "label_draws",
                 "proposals"):  # fmt: skip
        assert getattr(second, name).page() == getattr(first, name).page()
    for store in first.stores.page().items:
        assert second.stores.documents(store.name) == first.stores.documents(store.name)
    for item in first.judgments.page().items:
        pair = item.query_id, item.doc_id
        assert second.judgments.history(*pair) == first.judgments.history(*pair)


def rows_of(archive, table):
    """Return all columns of all rows."""
    ordered = select(table).order_by(*table.primary_key.columns)
    with archive._database.reading() as connection:
        return [tuple(row) for row in connection.execute(ordered)]


@pytest.fixture
def new_file(empty_file, tmp_path):
    """The file of an empty archive to import into."""
    return shutil.copy(empty_file, tmp_path / "b.db")


@examples(25)
@given(several=steps)
def test_any_archive_survives_export_and_import(several, empty_file, tmp_path_factory):
    """E5: the imported archive is equal, and its export is byte-identical."""
    home = tmp_path_factory.mktemp("trip")
    for name in ("1.db", "2.db"):
        shutil.copy(empty_file, home / name)
    with Archive.open(home / "1.db") as first, Archive.open(home / "2.db") as second:
        Player(first).play(several)
        check_round_trip(first, second, home)


STEPS = [
    ("judge", {("q1", "d1"): 2, ("q1", "d2"): 0, ("q2", "d1"): 1}, "ada"),
    ("judge", {("q1", "d1"): 1}, "bob"),
    ("remove", 2, "bob"),
    ("declare", "mean"),
    ("query", [Query("q1", "how?", "procedural", tags=("a",))]),
    ("document", [Document("d1", "use a token", "OAuth")]),
    ("hash", {"d2": "abc"}),
    ("run", {"q1": {"d1": 0.5, "d2": 0.25}}, RunFacts("bm25", {"k": 1}, durations={"q1": 2.5})),
    ("run", {'{"q': {"d1": 0.5}}, RunFacts("as JSON begins")),
    ("run", {"PAR1": {"d1": 0.5}}, RunFacts("as Parquet begins")),
    ("run", {"q 1": {"d1": 0.5}, "": {}}, RunFacts("odd")),
    ("score", 0),
    ("decide", "release", "pass"),
    ("token", "ci", "read"),
    ("store", "default", {"query_count": 1}),
    ("store", "own", None),
    ("fill", "own", [Document("d2", "use a token", "OAuth"), Document("d 1\n", "\udcff", "")]),
    ("fill", "own", [Document("d2", "use another token", "OAuth")]),
    ("store", "empty", None),
    ("import_file", {("q8", "d9"): 0, ("q9", "d9"): 2}, "eve"),
    ("undo_import", 1),
    ("project", "holes of \udcff", True),
    ("grade", "q1", "d1", 2, "qwen", "it answers"),
    ("grade", "q1", "d2", None, "qwen", ""),
    ("check", "qwen", {"kappa": {"value": 0.7}}),
    ("draw", "first", ["q1", "q2"]),
    ("propose", "P1", "how long?", False),
    ("propose", "P2", "how high?", True),
    ("guide", "Judge from the text."),
    ("title", "Help centre"),
]


@pytest.fixture
def filled(archive):
    """An archive with data of every kind."""
    Player(archive).play(STEPS)
    return archive


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    """The exported files of that archive, which are the same for every database."""
    folder = tmp_path_factory.mktemp("exported")
    with Archive.open(folder / "a.db") as archive:
        Player(archive).play(STEPS)
        archive.export(folder / "out")
    return folder / "out"


def test_an_archive_moves_between_databases(filled, tmp_path, postgres_dsn):
    """From a file to a server and back, every table and every document of a store."""
    empty = [table.name for table in tables.metadata.sorted_tables if not rows_of(filled, table)]
    assert sorted(empty) == ["sessions", "systems"], "there is something of everything to move"
    with new_database(postgres_dsn) as dsn:
        for number, location in enumerate((dsn, tmp_path / "b.db")):
            home = tmp_path / str(number)
            home.mkdir()
            with Archive.open(location) as other:
                check_round_trip(filled, other, home)


def test_exported_files_are_read_by_other_commands(filled, tmp_path):
    """These are judgments, queries, documents and runs."""
    filled.export(tmp_path / "out")
    out = tmp_path / "out"
    assert read_judgments(out / "judgments.jsonl") == filled.judgments.current()
    assert {query.query_id: query for query in read_queries(out / "queries.jsonl")} == (
        filled.queries.all()
    )
    run = filled.runs.page(name="bm25").items[0]
    assert read_run(out / "runs" / f"{run.content_hash}.run.gz") == filled.runs.load(run.run_id)
    assert sorted(path.name for path in out.iterdir()) == [
        "archive.json", "baselines.jsonl", "collections.jsonl", "documents.jsonl",
        "evaluations.jsonl", "gates.jsonl",
        "history.jsonl", "imports.jsonl", "judge_admissions.jsonl", "judgment_states.jsonl",
        "judgments.jsonl", "label_draws.jsonl", "model_grades.jsonl", "project_pairs.jsonl",
        "project_refusals.jsonl", "projects.jsonl", "queries.jsonl", "query_proposals.jsonl",
        "run_contents.jsonl", "runs", "runs.jsonl", "settings.jsonl",
        "store_documents.jsonl", "stores.jsonl", "tokens.jsonl", "verdicts.jsonl",
    ]  # fmt: skip


def test_exported_documents_are_a_corpus(archive, tmp_path):
    """Every document must have a text."""
    archive.documents.put([Document("d1", "use a token", "OAuth")])
    archive.export(tmp_path / "out")
    documents = read_documents(tmp_path / "out" / "documents.jsonl")
    assert documents["d1"] == Document("d1", "use a token", "OAuth")


def test_an_export_contains_no_tokens(archive, new_file, tmp_path):
    """It contains only their hashes, like the database."""
    token = archive.tokens.create("ci", "admin")
    archive.export(tmp_path / "out")
    assert all(token.encode() not in content for content in files(tmp_path / "out").values())
    with Archive.open(new_file) as other:
        other.import_(tmp_path / "out")
        assert other.tokens.verify(token).role == "admin"


def test_an_export_contains_no_sessions(archive, new_file, tmp_path):
    """After an import, users sign in again."""
    session = archive.sessions.start(archive.tokens.create("ada", "judge"))
    archive.export(tmp_path / "out")
    with Archive.open(new_file) as other:
        other.import_(tmp_path / "out")
        assert archive.sessions.verify(session).name == "ada"
        assert other.sessions.verify(session) is None


def test_an_export_overwrites_nothing(filled, tmp_path):
    """An empty folder is accepted; a folder with a file in it is not."""
    (tmp_path / "out" / ".partial").mkdir(parents=True)  # left by a process that was killed
    filled.export(tmp_path / "out")
    assert not (tmp_path / "out" / ".partial").exists()
    filled.export(tmp_path / "other")
    assert files(tmp_path / "out") == files(tmp_path / "other")
    before = files(tmp_path / "out")
    for folder in (tmp_path / "out", tmp_path / "out" / "archive.json"):
        with pytest.raises(ArgumentError, match="a new or empty folder"):
            filled.export(folder)
    assert files(tmp_path / "out") == before


def test_a_failed_export_leaves_no_files(filled, tmp_path, monkeypatch):
    """An export is written completely or not at all."""

    def refuse(_self, _target):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "rename", refuse)
    with pytest.raises(FormatError, match="cannot be written: No space left"):
        filled.export(tmp_path / "out")
    assert not (tmp_path / "out").exists()
    assert not (tmp_path / "out.partial").exists()


def test_only_an_empty_archive_accepts_an_import(filled, tmp_path):
    """Two histories cannot be merged."""
    filled.export(tmp_path / "out")
    with pytest.raises(ArgumentError, match="expected an empty one to import into, got"):
        filled.import_(tmp_path / "out")


def lines_of(out, name, change):
    path = out / name
    lines = path.read_text().splitlines()
    path.write_text("".join(f"{line}\n" for line in change(lines)))


def with_value(key, value):
    def change(lines):
        record = json.loads(lines[0])
        record[key] = value
        return [json.dumps(record), *lines[1:]]

    return change


def without(key):
    def change(lines):
        record = json.loads(lines[0])
        del record[key]
        return [json.dumps(record), *lines[1:]]

    return change


@pytest.mark.parametrize(
    ("name", "change", "words"),
    [
        ("judgments.jsonl", lambda lines: lines[1:], "expected 2 lines, found 1"),
        ("judgments.jsonl", lambda lines: [*lines[:-1], lines[-1][:20]], "2: expected a JSON obj"),
        ("judgments.jsonl", without("author"), r"1: .*author: expected a value, got none"),
        ("judgments.jsonl", with_value("relevance", "x"), r"1: .*relevance: expected a number"),
        ("judgments.jsonl", with_value("judged_at", "x"), r"1: .*judged_at: expected a time"),
        ("judgments.jsonl", with_value("revision", -1), r"1: .*revision: expected a number"),
        ("judgments.jsonl", with_value("revision", 2), "expected each revision once"),
        ("judgments.jsonl", with_value("query_id", 7), r"1: .*query_id: expected a str"),
        ("judgments.jsonl", with_value("kind", "x"), r"1: .*kind: expected 'judgment' or 'opin"),
        ("settings.jsonl", with_value("rule", "x"), r"1: .*rule: expected 'first' or 'lat"),
        ("settings.jsonl", with_value("guideline", 3), r"settings.jsonl:1: expected a line as"),
        ("settings.jsonl", with_value("colour", "red"), r"settings.jsonl:1: expected a line as"),
        ("queries.jsonl", with_value("tags", 3), r"queries.jsonl:1: expected a line as"),
        ("queries.jsonl", with_value("colour", "red"), r"queries.jsonl:1: expected a line as"),
        ("documents.jsonl", without("text"), r"documents.jsonl:1: expected a line .*'text'"),
        ("runs.jsonl", with_value("settings", 3), r"runs.jsonl:1: .*settings: expected a mapping"),
        ("runs.jsonl", with_value("run_id", "x" * 65), r"run_id: expected at most 64 characters"),
        ("evaluations.jsonl", without("columns"), r"evaluations.jsonl:1: expected a line"),
        ("evaluations.jsonl", with_value("columns", {}), r"evaluations.jsonl:1: .*'query_ids'"),
        ("model_grades.jsonl", with_value("purpose", "x"), r"1: .*purpose: expected one of pool"),
        ("model_grades.jsonl", with_value("grade", "x"), r"1: .*grade: expected a number"),
        ("judge_admissions.jsonl", with_value("models", 3), r"judge_admissions.jsonl:1: expected"),
        ("judge_admissions.jsonl", with_value("guideline", "g2"), r"identity: expected [0-9a-f]+"),
        ("label_draws.jsonl", with_value("queries", {"q1": 3}), r"1: .*expected stratum of 'q1'"),
        ("query_proposals.jsonl", with_value("status", "x"), r"1: .*status: expected one of"),
        ("archive.json", lambda _: ["{}"], "expected the facts of an exported archive"),
        ("archive.json", lambda _: ["no json"], "expected the facts of an exported archive"),
        ("archive.json", with_value, "expected the facts"),
        ("archive.json", lambda _: ['{"kind": "x", "version": 9, "lines": {}}'], "found 'x', ver"),
    ],
)  # fmt: skip
def test_edited_files_are_rejected_with_their_line(
    exported, new_file, tmp_path, name, change, words
):
    """Nothing is imported."""
    out = shutil.copytree(exported, tmp_path / "out")
    lines_of(out, name, change if change is not with_value else lambda _: ["[1"])
    with Archive.open(new_file) as other:
        with pytest.raises(FormatError, match=words):
            other.import_(out)
        assert set(other.check(deep=True).counts.values()) == {0}


def test_a_group_in_two_strata_is_rejected(filled, new_file, tmp_path):
    """The message names the file; each line would be valid on its own."""
    pair = [Query(name, "", group="g", stratum="s") for name in ("pair1", "pair2")]
    filled.queries.put(pair)
    out = tmp_path / "out"
    filled.export(out)
    path = out / "queries.jsonl"
    path.write_text(path.read_text().replace('"stratum": "s"', '"stratum": "t"', 1))
    words = r"queries.jsonl: group 'g': expected queries of one stratum, got 'pair1' in 't'"
    with Archive.open(new_file) as other, pytest.raises(FormatError, match=words):
        other.import_(out)


def test_a_missing_file_is_named(exported, new_file, tmp_path):
    """A missing folder is named as well."""
    out = shutil.copytree(exported, tmp_path / "out")
    (out / "queries.jsonl").unlink()
    with Archive.open(new_file) as other:
        with pytest.raises(FormatError, match=r"queries\.jsonl"):
            other.import_(out)
        with pytest.raises(FormatError, match=r"archive\.json"):
            other.import_(tmp_path / "nowhere")


@pytest.mark.parametrize("ending", [".run.gz", ".json.gz"])
def test_edited_rankings_are_rejected(exported, new_file, tmp_path, ending):
    """The file name is the hash of the rankings."""
    out = shutil.copytree(exported, tmp_path / "out")
    path = min((out / "runs").glob(f"*{ending}"))
    content = gzip.decompress(path.read_bytes())
    path.write_bytes(gzip.compress(content.replace(b"0.5", b"0.75")))
    with Archive.open(new_file) as other:
        with pytest.raises(MismatchError, match="expected rankings whose hash matches"):
            other.import_(out)
        if ending == ".json.gz":
            path.write_bytes(gzip.compress(b"{"))
            with pytest.raises(FormatError, match="expected a JSON object"):
                other.import_(out)
            path.unlink()
            with pytest.raises(FormatError, match=r"json\.gz"):
                other.import_(out)
        assert set(other.check(deep=True).counts.values()) == {0}


def test_an_export_is_a_consistent_snapshot(archive, new_file, tmp_path, monkeypatch):
    """A judgment made during the export is in all of its files or in none."""
    Player(archive).play(STEPS)
    from berryeval.archive import exporting

    write = exporting._write_lines

    def judge_concurrently(path, records):
        archive.judgments.put(
            [JudgmentEntry("q1", "d1", 3)], author=str(datetime.now(timezone.utc))
        )
        return write(path, records)

    monkeypatch.setattr(exporting, "_write_lines", judge_concurrently)
    archive.export(tmp_path / "out")
    with Archive.open(new_file) as other:
        other.import_(tmp_path / "out")
        states = [state.grade for state in other.judgments.history("q1", "d1")]
    # SQLite checks the archive first, and that is when its snapshot begins.
    is_sqlite = archive.check().database == "sqlite"
    assert states == ([2, 1] if is_sqlite else [2, 1, 3]), "judged again for every file"
