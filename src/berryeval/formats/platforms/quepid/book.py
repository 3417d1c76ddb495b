"""A book of Quepid as JSON, as its export writes and its import reads it.

::

    {"name": "TVs", "scale": [0, 1, 2, 3], "scale_with_labels": {"0": "Poor", "3": "Perfect"},
     "query_doc_pairs": [
      {"query_text": "led tv", "doc_id": "d7", "document_fields": {"title": "…"},
       "judgements": [{"rating": 2, "user_email": "ada@example.com", "explanation": "older",
                       "unrateable": false, "judge_later": false}]}]}

The query is its text, which is its id here. The email is the judge, the explanation the note.
Judgements without a rating, those that are unrateable or for later, and pairs without judgements
are left out, and so are fields, positions, notes and options. Labels are kept if each grade from 0
has one. Written files have the scale, or the grades up to the highest if none is declared.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from berryeval.core.grade import HIGHEST, check_labels
from berryeval.core.grouped import Grouped
from berryeval.core.id_column import decode_id
from berryeval.core.judging import JudgedRow
from berryeval.core.judgments import Judgments, Opinion
from berryeval.errors import BerryEvalError, InputError
from berryeval.formats.beginning import Beginning
from berryeval.formats.capabilities import Capabilities
from berryeval.formats.lines import PathLike
from berryeval.formats.losses import Loss, note_loss
from berryeval.formats.platforms._json import Node, as_number, load, write_list
from berryeval.formats.rows import refuse_subtopics

__all__ = ["HOLDS", "iter_judged", "scale_of", "sniff", "to_lines"]

HOLDS = Capabilities(
    ("judgments",),
    ("judgments",),
    judges=True,
    notes=True,
    scale=True,
    negative=False,
    by_text=True,
)


def sniff(beginning: Beginning) -> bool:
    """Whether the object has pairs."""
    return beginning.has_keys("query_doc_pairs")


def iter_judged(path: PathLike) -> Iterator[JudgedRow]:
    """Iterate over the judgements with a rating."""
    for pair in load(path)["query_doc_pairs"].entries():
        query_id, doc_id = pair["query_text"].id(), pair["doc_id"].id()
        note_loss(Loss.FIELDS, pair.has_any("document_fields"))
        note_loss(Loss.QUERY_FACTS, pair.has_any("notes", "options"))
        given = pair.get("judgements")
        judgements = [] if given is None else list(given.entries())
        if not judgements:
            note_loss(Loss.UNRATED)
        for one in judgements:
            rating = one.get("rating")
            if rating is None or _is_set(one, "unrateable") or _is_set(one, "judge_later"):
                note_loss(Loss.UNRATED)
                continue
            yield JudgedRow(
                None,
                query_id,
                doc_id,
                rating.number("judgments"),
                one.optional("user_email"),
                note=one.optional("explanation"),
            )


def _is_set(judgement: Node, key: str) -> bool:
    found = judgement.get(key)
    return found is not None and found.value is True


def scale_of(path: PathLike) -> tuple[float, tuple[str, ...] | None] | None:
    """Return the highest grade and the labels of the scale; None if the book has no scale."""
    book = load(path)
    scale = book.get("scale")
    if scale is None:
        return None
    # Older versions write "0,1,2,3".
    entries = scale.value.split(",") if isinstance(scale.value, str) else scale.value
    grades = [one.number("judgments") for one in Node(entries, path, "scale").entries()]
    if not grades:
        return None
    highest = max(grades)
    labels = book.get("scale_with_labels")
    if labels is None or sorted(grades) != [*range(int(highest) + 1)]:
        return highest, None
    named = {key: label.value for key, label in labels.items()}
    try:
        return highest, check_labels([named.get(str(i)) for i in range(int(highest) + 1)])
    except BerryEvalError:  # a grade without a label, or more grades than a scale may have
        return highest, None


def to_lines(data: Grouped) -> Iterator[bytes]:
    """Iterate over the lines of a file. Raises `InputError` for a run, and for subtopics."""
    if not isinstance(data, Judgments):
        raise InputError("a Quepid book holds judgments, not a run")
    refuse_subtopics(data, "a book of Quepid")
    facts = {
        "name": "BerryEval",
        "show_rank": False,
        "support_implicit_judgements": True,
        **_scale(data),
    }
    return write_list(facts, "query_doc_pairs", _pairs(data))


def _scale(data: Judgments) -> dict[str, Any]:
    highest = max([1.0, *data.grades]) if data.scale is None else data.scale
    if not highest.is_integer() or highest > HIGHEST:
        return {"scale": sorted({as_number(grade) for grade in data.grades if grade >= 0})}
    found: dict[str, Any] = {"scale": [*range(int(highest) + 1)]}
    if data.labels is not None:
        found["scale_with_labels"] = {str(i): label for i, label in enumerate(data.labels)}
    return found


def _pairs(data: Judgments) -> Iterator[dict[str, object]]:
    pairs: dict[tuple[bytes, bytes], list[Opinion]] = {}
    for query_id, doc_id, opinion in data.iter_opinions():
        if opinion.grade >= 0:
            pairs.setdefault((query_id, doc_id), []).append(opinion)
    for (query_id, doc_id), opinions in pairs.items():
        yield {
            "query_text": decode_id(query_id),
            "doc_id": decode_id(doc_id),
            "judgements": [_judgement(one) for one in opinions],
        }


def _judgement(opinion: Opinion) -> dict[str, object]:
    return {
        "rating": as_number(opinion.grade),
        "unrateable": False,
        "judge_later": False,
        **({} if opinion.judge is None else {"user_email": decode_id(opinion.judge)}),
        "explanation": None if opinion.note is None else decode_id(opinion.note),
    }
