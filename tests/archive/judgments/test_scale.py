"""Grades above the scale that an archive declares."""

import pytest

from berryeval import Judgments
from berryeval.archive import JudgmentEntry
from berryeval.archive.records import JudgingPolicy, JudgmentBatch
from berryeval.errors import ArgumentError

SCALE = JudgingPolicy(labels=("no", "partly", "yes"))
REASON = (
    "grade of document 'd1' for query 'q1': expected at most 2, the highest grade of the declared "
    "scale, got 3"
)


def ways(archive):
    """Return every way to write a grade of 3."""
    entries = [JudgmentEntry("q1", "d2", 1), JudgmentEntry("q1", "d1", 3)]
    batch = JudgmentBatch("ada", None, entries)
    declared = Judgments.from_dict({"q1": {"d2": 1, "d1": 3}})
    return {
        "put": lambda: archive.judgments.put(entries, author="ada"),
        "opinions": lambda: archive.judgments.put(entries, author="ada", as_opinion=True),
        "change": lambda: archive.judgments.change("q1", "d1", 3, author="ada"),
        "opinion": lambda: archive.judgments.add_opinion("q1", "d1", 3, author="ada"),
        "batches": lambda: archive.judgments.put_batches([batch], declared=declared),
    }


@pytest.mark.parametrize("way", ["put", "opinions", "change", "opinion", "batches"])
@pytest.mark.parametrize("is_judged", [False, True])
def test_a_grade_above_the_scale_is_rejected(archive, way, is_judged):
    """Each way to write it gives the same error, and nothing is written."""
    archive.judging.put(SCALE)
    if is_judged:
        archive.judgments.put([JudgmentEntry("q1", "d1", 2)], author="bob")
    before = archive.judgments.revision()
    with pytest.raises(ArgumentError) as error:
        ways(archive)[way]()
    assert str(error.value) == REASON
    assert archive.judgments.revision() == before


def test_an_import_names_its_file(archive):
    """Several files may be imported at once."""
    archive.judging.put(SCALE)
    batch = JudgmentBatch("ada", None, [JudgmentEntry("q1", "d1", 3)])
    with pytest.raises(ArgumentError, match=r"^new\.qrels: grade of document 'd1'"):
        archive.imports.put([batch], file_name="new.qrels", author="ada")


def test_grades_from_before_the_scale_stay_and_can_be_written_again(archive):
    """An archive reads its own export, and a judge may confirm such a grade."""
    archive.judgments.put([JudgmentEntry("q1", "d1", 3)], author="ada")
    archive.judgments.add_opinion("q1", "d1", 4, author="bob")
    archive.judging.put(SCALE)
    assert archive.judgments.put([JudgmentEntry("q1", "d1", 3)], author="eve") == 1
    archive.judgments.change("q1", "d1", 1, author="eve")
    with pytest.raises(ArgumentError):
        archive.judgments.change("q1", "d1", 3, author="eve")


def test_without_a_declared_scale_every_grade_is_accepted(archive):
    """Clients that know no scale keep working."""
    for write in ways(archive).values():
        write()
    assert archive.judgments.get("q1", "d1").grade == 3
