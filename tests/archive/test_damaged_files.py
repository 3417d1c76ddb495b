"""A damaged archive file causes a one-sentence error with its name, and no other error."""

import random
import sqlite3
import tempfile
from contextlib import closing, suppress
from pathlib import Path

import pytest

from archive.judged_by_models import admission, model_grade, proposal
from berryeval import Document, Query, Run, evaluate
from berryeval.archive import Archive, JudgmentEntry, RunFacts
from berryeval.archive.projects.records import PairSelection, ProjectPlan
from berryeval.archive.records import JudgingPolicy, JudgmentBatch
from berryeval.errors import ArchiveError, NotFoundError
from berryeval.evaluation.label_draw import draw_labels
from depth import IS_DEEP

N_FILES = 1000 if IS_DEEP else 20
PAGE = 4096
WAYS_OUT = (
    "; restore it from a backup, or from `berryeval archive export`",
    "; choose another file",
    "; upgrade berryeval",
)


@pytest.fixture(scope="module")
def intact(tmp_path_factory):
    """The bytes of an archive with data of every kind."""
    path = tmp_path_factory.mktemp("intact") / "a.db"
    with Archive.open(path) as archive:
        archive.queries.put([Query(f"q{i}", f"how to {i}", "factual", "easy") for i in range(40)])
        archive.documents.put([Document(f"d{i}", f"text {i} " * 20, "title") for i in range(40)])
        judged = [JudgmentEntry(f"q{i}", f"d{j}", j % 3) for i in range(40) for j in range(6)]
        archive.judgments.put(judged, author="ada")
        judgments, hashed = archive.judgments.as_of(None)
        for number in range(3):
            run = Run.from_lists({f"q{i}": [f"d{j}" for j in range(number, 9)] for i in range(40)})
            stored = archive.runs.put(run, RunFacts(f"run {number}", {"k": number}))
            found = evaluate(judgments, run, ["nDCG@10", "AP"])
            archive.evaluations.put(stored.run_id, found, judgments_hash=hashed)
        archive.baselines.put("main", stored.run_id)
        archive.gates.put("gate", {"guards": [{"measure": "AP", "at_least": 0.5}]})
        archive.verdicts.put(gate="gate", run_id=stored.run_id, verdict="pass",
                             judgments_hash=hashed, report={"sentence": "well"})  # fmt: skip
        for item in archive.judgments.page(limit=20).items:
            archive.judgments.add_opinion(item.query_id, item.doc_id, 2, author="bob")
        archive.judging.put(JudgingPolicy("max", ("no", "partly", "yes")))
        archive.sessions.start(archive.tokens.create("ci", "judge"))
        archive.stores.create("help", "embedded", {"name": "bm25"})
        archive.stores.put_documents("help", [Document(f"s{i}", "words " * 9) for i in range(40)])
        entries = [JudgmentEntry(f"q{i}", "d0", 1) for i in range(9)]
        archive.imports.put([JudgmentBatch("eve", "file", entries)], file_name="a", author="ada")
        selection = PairSelection("depth", (stored.run_id,))
        archive.projects.create("depth", ProjectPlan(selection), author="ada")
        pair = archive.projects.board("depth").pairs[0].asked.pair
        archive.projects.answer("depth", *pair, None, author="bob")
        archive.model_grades.put([model_grade(f"q{i}", "d1", i % 3) for i in range(40)])
        archive.admissions.put([admission()], stored_by="ada")
        archive.label_draws.put("first", draw_labels([f"q{i}" for i in range(40)], 20),
                                created_by="ada")  # fmt: skip
        archive.proposals.put([proposal()])
        archive.systems.put("products", "http://search.example", {}, {"key": "x"}, author="ada")
        archive.collections.retitle("default", "Help centre")
        counts = archive.check(deep=True).counts
        assert [table for table, n_rows in counts.items() if n_rows == 0] == []
    return path.read_bytes()


def damaged(content, chance):
    """Return the content with changed bits, changed pages, or truncated."""
    found = bytearray(content)
    kind = chance.choice(["bit", "bits", "zeros", "cut", "noise", "swapped"])
    place = chance.randrange(len(found))
    if kind == "cut":
        return bytes(found[:place])
    if kind in ("bit", "bits"):
        for _ in range(1 if kind == "bit" else 200):
            found[chance.randrange(len(found))] ^= 1 << chance.randrange(8)
        return bytes(found)
    start = place // PAGE * PAGE
    if kind == "swapped":
        other = chance.randrange(len(found)) // PAGE * PAGE
        found[start : start + PAGE], found[other : other + PAGE] = (
            found[other : other + PAGE], found[start : start + PAGE],
        )  # fmt: skip
    else:
        found[start : start + PAGE] = bytes(PAGE) if kind == "zeros" else chance.randbytes(PAGE)
    return bytes(found)


def reads(archive):
    """Return functions that together read a whole archive."""

    def load_runs():
        for run in archive.runs.page(limit=100).items:
            archive.runs.load(run.run_id)

    def load_evaluations():
        for evaluation in archive.evaluations.page(limit=100).items:
            archive.evaluations.load(evaluation.evaluation_id)

    def export():
        with tempfile.TemporaryDirectory() as folder:
            archive.export(Path(folder) / "export")

    return (
        lambda: archive.check(deep=True), archive.judgments.current, archive.judgment_index.table,
        archive.queries.all, lambda: archive.documents.page(limit=1000), load_runs,
        load_evaluations, archive.gates.page, lambda: archive.verdicts.page(gate="gate"),
        archive.baselines.page, archive.tokens.page, archive.judging.get, archive.stores.page,
        lambda: archive.stores.documents("help"), lambda: archive.sessions.verify("unknown"),
        archive.judgments.with_opinions, archive.collections.all, export,
        lambda: archive.queries.put([Query("new", "text")]),
    )  # fmt: skip


def error_of(read):
    """Return the archive error that a function raises, or None."""
    try:
        with suppress(NotFoundError):  # an index may list rows that its table has lost
            read()
    except ArchiveError as error:
        return error
    return None


def check_export(archive, folder):
    """Require that damage which the integrity check reports prevents an export."""
    try:
        is_intact = archive.check(deep=True).problem is None
    except ArchiveError:
        is_intact = False
    if not is_intact:
        with pytest.raises(ArchiveError, match="restore it from a backup"):
            archive.export(folder)
        assert not folder.exists()


@pytest.mark.parametrize("seed", range(N_FILES))
def test_a_damaged_file_is_reported_with_a_remedy(tmp_path, intact, seed):
    """Every error is an archive error that names the file and says what to do."""
    path = tmp_path / "damaged.db"
    path.write_bytes(damaged(intact, random.Random(seed)))  # noqa: S311
    errors = []
    try:
        archive = Archive.open(path)
    except ArchiveError as error:
        errors.append(error)
    else:
        with archive:
            errors += filter(None, map(error_of, reads(archive)))
            check_export(archive, tmp_path / "export")
    for error in errors:
        assert str(error).startswith(f"{path}: ")
        assert "\n" not in str(error)
        assert str(error).endswith(WAYS_OUT)


def test_text_that_is_not_utf_8_is_damage(tmp_path):
    """SQLite's own message names a column, but no remedy."""
    path = tmp_path / "damaged.db"
    with Archive.open(path) as archive:
        archive.baselines.put("main", archive.runs.put(Run.from_lists({}), RunFacts("a")).run_id)
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("UPDATE baselines SET run_id = CAST(x'ff' AS TEXT)")
    with Archive.open(path) as archive:
        error = error_of(archive.baselines.page)
    assert str(error).startswith(f"{path}: is damaged; ")
    assert str(error).endswith(WAYS_OUT)


def test_a_damaged_index_prevents_an_export(tmp_path):
    """All rows can be read, but a search in the index would miss some."""
    path = tmp_path / "damaged.db"
    with Archive.open(path) as archive:
        archive.judgments.put([JudgmentEntry("q1", "d1", 1)], author="ada")
    with closing(sqlite3.connect(path)) as database:
        database.executescript(
            "PRAGMA writable_schema=ON;"
            "UPDATE sqlite_master SET sql = replace(sql, '(doc_id)', '(query_id)')"
            " WHERE name = 'judgments_by_document';"
        )
    with Archive.open(path) as archive, pytest.raises(ArchiveError, match=r"is damaged \(.*row"):
        archive.export(tmp_path / "export")
    assert not (tmp_path / "export").exists()
