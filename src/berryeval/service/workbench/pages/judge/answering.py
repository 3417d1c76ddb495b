"""Stores the answers of judges, each once, and returns their outcomes."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from berryeval.archive import Archive
from berryeval.errors import ArgumentError, ConflictError, DisagreementError, NotFoundError
from berryeval.service.workbench.state.judging_modes import MODES, JudgingTask, Pair
from berryeval.service.workbench.state.judging_queues import Queues
from berryeval.service.workbench.state.project_queues import ProjectQueues

__all__ = ["Outcome", "Reply", "answer", "read_answer"]

Kind: TypeAlias = Literal["grade", "cannot", "skip", "undo"]

_KINDS = get_args(Kind)

_CHANGED = "the judgment has changed since"
"""Reason why an answer cannot be undone, for judges who see neither names nor grades of others."""


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer to store.

    Parameters
    ----------
    key : str
        Identifies the answer on the page.
    kind : {"grade", "cannot", "skip", "undo"}
        What to do; only in a project can a judge answer that they cannot judge.
    wanted : JudgingTask
        The queue that was being judged.
    pair : tuple of str
        Query and document.
    grade : float or None
        The grade, if one is given.
    revision : int
        Revision of the judgment that the judge saw, 0 for none; for an undo, that of the answer
        to undo, and 0 if that was a skip.
    hash : str or None
        Hash of the document that the judge saw.
    note : str or None
        The judge's note.
    """

    key: str
    kind: Kind
    wanted: JudgingTask
    pair: Pair
    grade: float | None = None
    revision: int = 0
    hash: str | None = None
    note: str | None = None


@dataclass(frozen=True, slots=True)
class GivenGrade:
    """A grade, and the judge who gave it."""

    grade: float | None
    author: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of an answer, as sent to the script of the page."""

    key: str
    status: Literal["done", "conflict", "refused"]
    revision: int = 0
    """The current revision of the judgment; 0 if there is none."""
    there: GivenGrade | None = None
    """In a conflict, the grade of the other judge; None if the judgment was withdrawn."""
    reason: str = ""


def read_answer(content: object, number: int) -> Reply:
    """Read an answer as the page's script sends it.

    Raises
    ------
    ArgumentError
        If it is invalid.
    """
    where = f"answers[{number}]"
    if not isinstance(content, dict):
        raise ArgumentError(where, "an object", type(content).__name__)
    mode = content.get("mode", "holes")
    kind: Kind | None = next((one for one in _KINDS if one == content.get("kind")), None)
    if kind is None:
        got = repr(content.get("kind"))[:40]
        raise ArgumentError(f"{where}.kind", f"one of {', '.join(_KINDS)}", got)
    if mode not in [*MODES]:  # a list, as mode may be unhashable
        raise ArgumentError(f"{where}.mode", f"one of {', '.join(MODES)}", repr(mode)[:40])
    project = _optional(content.get("project"))
    if (project is not None) != (mode == "project") or (kind == "cannot" and project is None):
        raise ArgumentError(f"{where}.project", "the project of this answer", repr(project)[:40])
    texts = {name: _text(content.get(name), f"{where}.{name}") for name in ("query_id", "doc_id")}
    revision = content.get("revision", 0)
    if not isinstance(revision, int) or isinstance(revision, bool) or revision < 0:
        raise ArgumentError(f"{where}.revision", "a whole number, 0 or more", repr(revision)[:40])
    return Reply(
        key=str(content.get("key", ""))[:100],
        kind=kind,
        wanted=JudgingTask(mode, _optional(content.get("a")), _optional(content.get("b")), project),
        pair=(texts["query_id"], texts["doc_id"]),
        grade=_number(content.get("grade"), f"{where}.grade") if kind == "grade" else None,
        revision=revision,
        hash=_optional(content.get("hash")),
        note=_optional(content.get("note")),
    )


def answer(archive: Archive, queues: Queues, given: Reply, *, author: str) -> Outcome:
    """Store an answer; storing it again changes nothing."""
    if given.wanted.project is not None:
        return _answer_in_project(archive, queues.projects, given, given.wanted.project, author)
    try:
        if given.kind == "skip":
            queues.skip(author, given.pair)
            return Outcome(given.key, "done")
        if given.kind == "undo":
            return _undo(archive, queues, given, author)
        return _grade(archive, queues, given, author)
    except (ArgumentError, DisagreementError) as error:
        return Outcome(given.key, "refused", reason=str(error))
    except ConflictError:
        return _in_conflict(archive, given, author)


def _grade(archive: Archive, queues: Queues, given: Reply, author: str) -> Outcome:
    assert given.grade is not None
    if given.wanted.mode == "second":
        stored = archive.judgments.add_opinion(
            *given.pair,
            given.grade,
            author=author,
            source=given.wanted.source,
            document_hash=given.hash,
        )
    else:
        stored = archive.judgments.change(
            *given.pair,
            given.grade,
            author=author,
            source=given.wanted.source,
            document_hash=given.hash,
            if_revision=given.revision,
        )
    queues.done(given.pair)
    return Outcome(given.key, "done", stored.revision)


def _undo(archive: Archive, queues: Queues, given: Reply, author: str) -> Outcome:
    revision = 0
    if given.revision:
        again = archive.judgments.undo(*given.pair, author=author, if_revision=given.revision)
        revision = 0 if again is None else again.revision
    else:
        queues.unskip(author, given.pair)
    queues.restore(given.wanted, author, given.pair)
    return Outcome(given.key, "done", revision)


def _answer_in_project(
    archive: Archive, queues: ProjectQueues, given: Reply, name: str, author: str
) -> Outcome:
    """Store an answer to a project; one that it does not accept is refused with the reason."""
    revision = 0
    try:
        if given.kind == "skip":
            queues.skip(name, author, given.pair)
        elif given.kind != "undo":
            stored = archive.projects.answer(
                name,
                *given.pair,
                given.grade,
                author=author,
                note=given.note,
                document_hash=given.hash,
            )
            revision = 0 if stored is None else stored.revision
        elif given.revision:
            archive.judgments.undo(*given.pair, author=author, if_revision=given.revision)
        else:
            archive.projects.undo_refusal(name, *given.pair, author=author)
            queues.unskip(name, author, given.pair)
    except ConflictError as error:
        reason = _CHANGED if given.kind == "undo" else str(error)
        return Outcome(given.key, "refused", reason=reason)
    except (ArgumentError, NotFoundError) as error:
        return Outcome(given.key, "refused", reason=str(error))
    return Outcome(given.key, "done", revision)


def _in_conflict(archive: Archive, given: Reply, author: str) -> Outcome:
    if given.wanted.mode == "second" and given.kind == "undo":
        return Outcome(given.key, "refused", reason=_CHANGED)
    there = archive.judgments.get(*given.pair)
    if (
        given.kind == "grade"
        and there is not None
        and (there.author, there.grade) == (author, given.grade)
    ):
        # A repeated answer, whose first response was lost.
        return Outcome(given.key, "done", there.revision)
    if there is None:
        return Outcome(given.key, "conflict")
    return Outcome(given.key, "conflict", there.revision, GivenGrade(there.grade, there.author))


def _text(value: object, where: str) -> str:
    if not isinstance(value, str) or not value:
        raise ArgumentError(where, "a text", repr(value)[:40])
    return value


def _number(value: object, where: str) -> float:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        with suppress(OverflowError):  # an integer with hundreds of digits
            return float(value)
    raise ArgumentError(where, "a number", repr(value)[:40])


def _optional(value: object) -> str | None:
    return value if isinstance(value, str) and value else None
