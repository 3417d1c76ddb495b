"""The in-memory index of current judgments: search, filters, counts and freshness."""

import random
import shutil
from contextlib import ExitStack, suppress

import pytest

from archive.databases import new_database
from berryeval import Document
from berryeval.archive import Archive, JudgmentEntry
from berryeval.archive.judgments import index as judgment_index
from berryeval.archive.judgments.opinions import SETTLED, history_of
from berryeval.archive.judgments.table import WantedJudgments
from berryeval.archive.records import JudgingPolicy
from berryeval.core.judging import JUDGES
from berryeval.errors import ConflictError
from depth import IS_DEEP

AUTHORS = ("ada", "bob", "cy")


def judge(archive, pair, grade, author, **more):
    """Judge a pair, replacing any judgment it has."""
    return archive.judgments.change(*pair, grade, author=author, **more)


def found(table, **wanted):
    """Return the pairs that match a filter, newest first."""
    return [table.pair(row) for row in table.find(WantedJudgments(**wanted)).tolist()]


def indexed_facts(archive):
    """Return all facts in the index, by pair."""
    table = archive.judgment_index.table()
    return {
        table.pair(row): (
            (
                float(table.grades[row]),
                table.author_names[table.authors[row]],
                table.source_names[table.sources[row]],
                int(table.revisions[row]),
                bool(table.stale[row]),
            ),
            (bool(table.conflicts[row]), opinions(table, row)),
        )
        for row in range(len(table))
    }


def opinions(table, row):
    """Return each judge's opinion from the table; usually this is the judgment itself."""
    own = {table.author_names[table.authors[row]]: float(table.grades[row])}
    return dict(table.opinions.get(int(table.revisions[row]), own))


def expected(archive):
    """Return the same facts, computed from the history of each pair."""
    rows = {}
    for one in archive.judgments.page(limit=10_000).items:
        pair = (one.query_id, one.doc_id)
        states = archive.judgments.history(*pair)
        history = history_of(states)
        rows[pair] = (
            (one.grade, one.author, one.source, one.revision, one.is_stale),
            (history.is_conflict, history.independent),
        )
    return rows


def change(archive, chance):
    """Apply a random change to the archive."""
    pair = (f"q{chance.randrange(4)}", f"d{chance.randrange(6)}")
    author = chance.choice(AUTHORS)
    kind = chance.random()
    if kind < 0.3:
        judge(archive, pair, chance.randrange(-1, 4), author, source=chance.choice([None, "file"]))
    elif kind < 0.6:
        archive.judgments.add_opinion(*pair, chance.randrange(-1, 4), author=author)
    elif kind < 0.65:
        judge(archive, pair, chance.randrange(-1, 4), author, source=SETTLED)
    elif kind < 0.7:
        archive.judging.put(JudgingPolicy(chance.choice(JUDGES)))
    elif kind < 0.8 and archive.judgments.history(*pair):
        last = archive.judgments.history(*pair)[-1]
        with suppress(ConflictError):
            archive.judgments.undo(*pair, author=last.author, if_revision=last.revision)
    elif kind < 0.9 and archive.judgments.get(*pair) is not None:
        archive.judgments.remove(*pair, author=author)
    else:
        archive.documents.put([Document(pair[1], f"text {chance.random()}")])


@pytest.mark.parametrize("most", [2000, 1])
def test_the_index_is_always_up_to_date(archive, monkeypatch, most):
    """After any change, the index matches the histories, whether reread or updated."""
    monkeypatch.setattr(judgment_index, "_MAX_CHANGES", most)
    chance = random.Random(5)  # noqa: S311
    for _ in range(60 if IS_DEEP else 25):
        for _ in range(chance.randrange(1, 5)):
            change(archive, chance)
        assert indexed_facts(archive) == expected(archive)
    with Archive.open(archive._database.location.dsn or archive.name) as another:
        assert indexed_facts(another) == expected(archive)


def test_equal_opinions_are_stored_once(archive):
    """A dictionary per pair would take as much memory as all columns."""
    entries = [[JudgmentEntry("q1", f"d{i}", grade) for i in range(3)] for grade in (1.0, 2.0)]
    for author, given in zip(("ada", "bob"), entries, strict=True):
        archive.judgments.put(given, author=author, as_opinion=True)
    table = archive.judgment_index.table()
    assert [*table.opinions.values()] == 3 * [{"ada": 1.0, "bob": 2.0}]
    assert len({id(one) for one in table.opinions.values()}) == 1


def test_an_unchanged_archive_is_not_reread(archive):
    """The index returns the same table object, not an equal copy."""
    judge(archive, ("q1", "d1"), 1, "ada")
    table = archive.judgment_index.table()
    assert archive.judgment_index.table() is table


def test_a_table_in_use_never_changes(archive):
    """A page shows one consistent state."""
    judge(archive, ("q1", "d1"), 1, "ada")
    table = archive.judgment_index.table()
    judge(archive, ("q1", "d1"), 2, "ada")
    judge(archive, ("q1", "d2"), 2, "ada")
    assert found(table) == [("q1", "d1")]
    assert table.grades.tolist() == [1.0]
    assert len(archive.judgment_index.table()) == 2


@pytest.fixture(scope="module", params=["sqlite", "postgresql"] if IS_DEEP else ["sqlite"])
def mixed(request, empty_file, tmp_path_factory):
    """The index of judgments of every kind, which is in memory with any database."""
    with ExitStack() as kept:
        if request.param == "sqlite":
            location = shutil.copy(empty_file, tmp_path_factory.mktemp("mixed"))
        else:
            dsn = request.getfixturevalue("postgres_dsn")
            location = kept.enter_context(new_database(dsn))
        yield index_of_mixed(kept.enter_context(Archive.open(location)))


def index_of_mixed(archive):
    archive.documents.put([Document("Doc-10", "old"), Document("doc-2", "as it is")])
    judge(archive, ("q1", "Doc-10"), 3, "ada", source="workbench")
    judge(archive, ("q1", "doc-2"), 0, "ada")
    judge(archive, ("Q-two", "doc-2"), 2, "bob")
    archive.judgments.add_opinion("Q-two", "doc-2", 1, author="ada")
    judge(archive, ("q3", "c-1"), 2, "bob", source="workbench")
    judge(archive, ("q3", "0doc"), 2, "cy", source=SETTLED)
    archive.documents.put([Document("Doc-10", "new")])
    return archive.judgment_index.table()


@pytest.mark.parametrize(
    ("wanted", "pairs"),
    [
        ({}, ["q3 0doc", "q3 c-1", "Q-two doc-2", "q1 doc-2", "q1 Doc-10"]),
        ({"author": "ada"}, ["Q-two doc-2", "q1 doc-2", "q1 Doc-10"]),
        ({"author": "nobody"}, []),
        ({"grade": 2}, ["q3 0doc", "q3 c-1", "Q-two doc-2"]),
        ({"source": "workbench"}, ["q3 c-1", "q1 Doc-10"]),
        ({"source": ""}, ["Q-two doc-2", "q1 doc-2"]),
        ({"source": "workbench", "author": "bob"}, ["q3 c-1"]),
        ({"is_stale": True}, ["q1 Doc-10"]),
        ({"is_stale": False, "author": "ada"}, ["Q-two doc-2", "q1 doc-2"]),
        ({"is_conflict": True}, ["Q-two doc-2"]),
        ({"query_id": "q1"}, ["q1 doc-2", "q1 Doc-10"]),
        ({"doc_id": "doc-2"}, ["Q-two doc-2", "q1 doc-2"]),
        ({"doc_id": "doc-10"}, []),
        ({"text": "q-T"}, ["Q-two doc-2"]),
        ({"text": "DOC-"}, ["Q-two doc-2", "q1 doc-2", "q1 Doc-10"]),
        ({"text": "10doc"}, []),
        ({"text": "nothing"}, []),
        ({"text": "nothing", "query_ids": ["q3", "q9"]}, ["q3 0doc", "q3 c-1"]),
        ({"text": "nothing", "doc_ids": ["c-1", "x"]}, ["q3 c-1"]),
    ],
)
def test_judgments_are_found_by_any_of_their_attributes(mixed, wanted, pairs):
    """Newest first; text that spans two neighbouring ids does not match."""
    assert [" ".join(pair) for pair in found(mixed, **wanted)] == pairs


def test_judgments_are_counted_by_author_source_and_grade(mixed):
    """These are the filters a page offers; a second opinion counts for its author."""
    assert mixed.counts_of("authors") == {"ada": 3, "bob": 2, "cy": 1}
    assert mixed.counts_of("sources") == {"workbench": 2, None: 2, SETTLED: 1}
    assert mixed.counts_of("grades") == {0.0: 1, 2.0: 3, 3.0: 1}


def test_opinions_are_counted_by_judge(mixed):
    """Opinions that do not set the grade are counted; settlements are not."""
    assert mixed.counts_by_author() == {
        "ada": {0.0: 1, 1.0: 1, 3.0: 1},
        "bob": {2.0: 2},
    }


def test_pairs_judged_only_by_others_need_a_second_opinion(mixed):
    """A judge who already gave an opinion is not asked again."""
    for_ada = [mixed.pair(row) for row in mixed.without_opinion_of("ada").tolist()]
    assert for_ada == [("q3", "c-1"), ("q3", "0doc")]
    assert len(mixed.without_opinion_of("new")) == 5


def test_ids_that_are_not_valid_text_are_found(archive):
    """Ids are bytes."""
    archive.judgments.put([JudgmentEntry("q\udcff", "d\udcfe", 1)], author="ada")
    table = archive.judgment_index.table()
    assert found(table, text="\udcfe") == [("q\udcff", "d\udcfe")]
    assert found(table, query_id="q\udcff") == [("q\udcff", "d\udcfe")]
