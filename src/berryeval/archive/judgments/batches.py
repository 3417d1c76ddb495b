"""Judgments of several authors and sources, written together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from sqlalchemy import Connection

from berryeval.archive.checks import check_text
from berryeval.archive.database import Database
from berryeval.archive.judgments.judging import adopt_policy, read_policy
from berryeval.archive.judgments.opinion_rows import write_opinions
from berryeval.archive.judgments.rows import NewJudgment, Pair, check_entries, write_judgments
from berryeval.archive.records import JudgmentBatch
from berryeval.core.judgments import Judgments
from berryeval.errors import DisagreementError

__all__ = ["CheckedBatch", "check_batches", "check_source", "write_batches"]

CheckedBatch: TypeAlias = tuple[dict[Pair, NewJudgment], JudgmentBatch]


def check_batches(batches: Iterable[JudgmentBatch]) -> list[CheckedBatch]:
    """Return the states to write for each batch, or raise for invalid entries."""
    checked = [(check_entries(batch.entries), batch) for batch in batches]
    for _, batch in checked:
        check_source(batch.author, batch.source)
    return checked


def check_source(author: str, source: str | None = None) -> None:
    """Raise if an author or a source cannot be stored."""
    check_text(author, "author")
    check_text(source, "source", optional=True)


def write_batches(
    database: Database,
    connection: Connection,
    checked: Sequence[CheckedBatch],
    declared: Judgments | None,
    refused: list[DisagreementError] | None = None,
) -> int:
    """Write batches within a transaction, and return the number of new or changed judgments.

    Disagreements of unfinished projects are put into `refused`, if it is given, instead of raised.
    """
    if declared is not None:
        adopt_policy(database, connection, declared)
    policy = read_policy(connection)
    n_written = 0
    for wanted, (author, source, _, as_opinion) in checked:
        if as_opinion:
            n_written += write_opinions(connection, wanted, policy, author=author, source=source)
        else:
            n_written += write_judgments(
                connection, wanted, author=author, source=source, highest=policy.highest,
                refused=refused,
            )  # fmt: skip
    return n_written
