"""The stratum of a pooled document is part of its judgment, and survives whatever happens to it."""

import hashlib
import json
import struct

import pytest

import berryeval as be
from berryeval.archive import Archive, JudgmentEntry, RunFacts
from berryeval.archive.judgments import states
from berryeval.archive.records import JudgingPolicy
from berryeval.core.content_hash import hash_of_judgments
from berryeval.errors import ArgumentError

POOL = [
    JudgmentEntry("q", "a", 2, stratum="top"),
    JudgmentEntry("q", "b", 0, stratum="rest"),
    JudgmentEntry("q", "c", -1, stratum="rest"),
]
"""Judged documents, and one that is in the pool but was not judged."""


def strata(archive):
    """Return the strata that the archive scores with, by document of the query q."""
    found = archive.judgments.current().strata.get(b"q", {})
    return {doc_id.decode(): name.decode() for doc_id, name in found.items()}


def test_strata_are_stored(archive):
    """They are part of the judgments that runs are scored with, and of their hash."""
    assert archive.judgments.put(POOL, author="ada") == 3
    expected = be.Judgments.from_dict({"q": {"a": 2, "b": 0, "c": -1}}).with_strata(
        {"q": {"a": "top", "b": "rest", "c": "rest"}}
    )
    assert archive.judgments.hash() == hash_of_judgments(expected)
    assert archive.judgments.current().strata == expected.strata
    assert archive.judgments.put(POOL, author="ada") == 0
    assert archive.judgments.get("q", "b").stratum == "rest"


def test_the_hash_has_the_strata_of_a_query_after_its_grades():
    """Histories and baselines recognise judgments by it, so it must not change."""
    sampled = be.Judgments.from_dict({"q": {"a": 1}, "r": {"b": 2}}).with_strata(
        {"q": {"a": "top"}}
    )
    expected = hashlib.sha256(
        struct.pack("<QQ", 1, 1) + b"qa" + struct.pack("<d", 1.0)
        + struct.pack("<QQ", 1, 3) + b"atop"
        + struct.pack("<QQ", 1, 1) + b"rb" + struct.pack("<d", 2.0)
    )  # fmt: skip
    assert hash_of_judgments(sampled) == expected.hexdigest()


def test_changes_are_hashed_like_everything(archive):
    """The running hash after a change is that of all judgments read again."""
    archive.judgments.put([*POOL, JudgmentEntry("r", "x", 1)], author="ada")
    archive.judgments.prepare()
    archive.judgments.change("q", "c", 1, author="bob")
    archive.judgments.change("q", "b", 0, author="bob", stratum="middle")
    found, hashed = archive.judgments.as_of(None)
    assert strata(archive) == {"a": "top", "b": "middle", "c": "rest"}
    assert hashed == hash_of_judgments(found)
    with archive._database.reading() as connection:
        again = states.read(connection, archive.judgments.revision())
    assert (again.strata, hash_of_judgments(again)) == (found.strata, hashed)


def test_earlier_states_have_their_own_strata(archive):
    """They are found by hash after the current ones have changed."""
    archive.judgments.put(POOL, author="ada")
    before = archive.judgments.as_of(None)[1]
    archive.judgments.change("q", "a", 2, author="ada", stratum="")
    assert strata(archive) == {"b": "rest", "c": "rest"}
    assert archive.judgments.at(before).strata[b"q"][b"a"] == b"top"


def test_a_withdrawn_document_returns_to_its_stratum(archive):
    """A new grade and undoing the withdrawal both restore the stratum."""
    archive.judgments.put(POOL, author="ada")
    gone = archive.judgments.remove("q", "a", author="ada")
    assert strata(archive) == {"b": "rest", "c": "rest"}
    archive.judgments.undo("q", "a", author="ada", if_revision=gone.revision)
    assert strata(archive)["a"] == "top"
    archive.judgments.remove("q", "a", author="ada")
    archive.judgments.change("q", "a", 1, author="bob")
    assert strata(archive)["a"] == "top"


def test_undoing_a_change_restores_the_stratum(archive):
    """Undo applies to all parts of a judgment."""
    archive.judgments.put(POOL, author="ada")
    changed = archive.judgments.change("q", "a", 1, author="bob", stratum="rest")
    archive.judgments.undo("q", "a", author="bob", if_revision=changed.revision)
    assert strata(archive)["a"] == "top"


@pytest.mark.parametrize("rule", ["first", "max"])
def test_second_opinions_do_not_move_a_document(archive, rule):
    """The stratum that a document was drawn from is a fact, not an opinion."""
    archive.judging.put(JudgingPolicy(rule))
    archive.judgments.put(POOL, author="ada")
    opinion = archive.judgments.add_opinion("q", "a", 3, author="bob", stratum="rest")
    assert opinion.stratum is None
    assert strata(archive)["a"] == "top"


def test_the_first_opinion_on_a_pooled_document_becomes_its_judgment(archive):
    """It was in the pool without a grade, and stays in its stratum."""
    archive.judgments.put(POOL, author="ada")
    archive.judgments.add_opinion("q", "c", 1, author="bob")
    assert archive.judgments.get("q", "c").grade == 1
    assert strata(archive)["c"] == "rest"


def test_two_strata_of_a_document_are_an_error(archive):
    """A document is drawn once."""
    twice = [JudgmentEntry("q", "a", 1, stratum=name) for name in ("top", "rest")]
    with pytest.raises(ArgumentError, match="the same stratum each time"):
        archive.judgments.put(twice, author="ada")


def test_an_estimate_of_a_stored_run_is_that_of_files(archive):
    """xinfAP and infNDCG look at the strata, and at documents that were not judged."""
    run = be.Run.from_lists({"q": ["c", "a", "x", "b"]})
    archive.judgments.put(POOL, author="ada")
    stored = archive.runs.put(run, RunFacts("words"))
    names = ["xinfAP", "infNDCG@3"]
    found = archive.evaluations.score(stored.run_id, names)
    judged = be.Judgments.from_dict({"q": {"a": 2, "b": 0, "c": -1}})
    sampled = judged.with_strata({"q": {"a": "top", "b": "rest", "c": "rest"}})
    assert found.means == be.evaluate(sampled, run, names).to_dict()
    assert found.means != be.evaluate(judged, run, names).to_dict()


def test_exports_have_strata(archive, tmp_path):
    """An import restores them, and the file of judgments contains them for any command."""
    archive.judgments.put(POOL, author="ada")
    archive.export(tmp_path / "export")
    lines = (tmp_path / "export" / "judgments.jsonl").read_text().splitlines()
    assert [json.loads(line)["stratum"] for line in lines] == ["top", "rest", "rest"]
    assert be.read_judgments(tmp_path / "export" / "judgments.jsonl").strata == {
        b"q": {b"a": b"top", b"b": b"rest", b"c": b"rest"}
    }
    with Archive.open(tmp_path / "copy.db") as copy:
        copy.import_(tmp_path / "export")
        assert strata(copy) == {"a": "top", "b": "rest", "c": "rest"}
