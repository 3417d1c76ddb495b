"""The judgments of an archive, with second opinions and everything that they once were."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from sqlalchemy import Connection, func

from berryeval.archive.batches import batches_of
from berryeval.archive.checks import check_id, check_text
from berryeval.archive.database import Database
from berryeval.archive.judgments import states
from berryeval.archive.judgments.judging import adopt_policy, read_policy
from berryeval.archive.judgments.known_states import KnownStates
from berryeval.archive.judgments.opinion_rows import undo_judgment, write_opinions
from berryeval.archive.judgments.opinions import saying_of
from berryeval.archive.judgments.rows import (
    IS_CURRENT,
    IS_STALE,
    STATES,
    NewJudgment,
    check_entries,
    check_revision,
    read_history,
    read_judgment,
    stored_judgment,
    write_judgments,
)
from berryeval.archive.paging import read_page
from berryeval.archive.records import JudgmentBatch, JudgmentEntry, Page, StoredJudgment
from berryeval.archive.shared_commits import SharedCommits
from berryeval.archive.tables import judgments
from berryeval.core.judgments import Judgments
from berryeval.errors import NotFoundError

__all__ = ["ArchivedJudgments"]


class ArchivedJudgments:
    """Judgments that keep author, time, source and a hash of the document as it was judged.

    Changing one keeps what it was. A second opinion is stored beside it, and counts by the rule of
    the archive (`Archive.judging`). When a document changes, its judgments are stale; they count
    until they are judged again.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._commits = SharedCommits(database, "judgments")
        self._known = KnownStates(database)

    def put(
        self,
        entries: Iterable[JudgmentEntry],
        *,
        author: str,
        source: str | None = None,
        as_opinion: bool = False,
    ) -> int:
        """Write judgments, all or none; they are on the disk when this returns.

        A pair that is judged already gets the new grade, and its old one stays in the history.
        The same grade by the same author of the same document is no change.

        Parameters
        ----------
        as_opinion : bool
            Whether these are second opinions: they leave what is judged as it is, unless the rule
            of the archive lets them count. The first opinion of a pair becomes its judgment.

        Returns
        -------
        int
            How many are new or changed.

        Raises
        ------
        ArgumentError
            If a pair comes twice with different grades, or a grade or id cannot be used.
        """
        return self.put_batches([JudgmentBatch(author, source, [*entries], as_opinion)])

    def put_batches(
        self, batches: Iterable[JudgmentBatch], *, declared: Judgments | None = None
    ) -> int:
        """Write judgments of several authors and sources, all or none, as `put` does.

        Parameters
        ----------
        declared : Judgments, optional
            Judgments whose scale, labels and rule the archive adopts first, as far as it declares
            none; see `ArchivedJudging.to_adopt`.

        Returns
        -------
        int
            How many are new or changed.
        """
        checked = [(check_entries(batch.entries), batch) for batch in batches]
        for _, batch in checked:
            check_text(batch.author, "author")
            check_text(batch.source, "source", optional=True)

        def work(connection: Connection) -> int:
            if declared is not None:
                adopt_policy(self._database, connection, declared)
            rule = read_policy(connection).rule
            n_written = 0
            for wanted, (author, source, _, as_opinion) in checked:
                if as_opinion:
                    n_written += write_opinions(
                        connection, wanted, rule, author=author, source=source
                    )
                else:
                    n_written += write_judgments(connection, wanted, author=author, source=source)
            return n_written

        return self._commits.run(work)

    def change(
        self,
        query_id: str,
        doc_id: str,
        grade: float,
        *,
        author: str,
        source: str | None = None,
        document_hash: str | None = None,
        if_revision: int | None = None,
    ) -> StoredJudgment:
        """Write one judgment, or correct it, if it still is as the caller saw it.

        Parameters
        ----------
        if_revision : int, optional
            The revision that the caller saw; 0 if there was no judgment. Without it, whatever is
            there is replaced.

        Raises
        ------
        ConflictError
            If the judgment has another revision by now.
        """
        wanted = check_entries([JudgmentEntry(query_id, doc_id, grade, document_hash)])
        check_text(author, "author")
        check_text(source, "source", optional=True)

        def work(connection: Connection) -> StoredJudgment:
            check_revision(connection, (query_id, doc_id), if_revision)
            write_judgments(connection, wanted, author=author, source=source)
            found = read_judgment(connection, (query_id, doc_id))
            assert found is not None
            return found

        return self._commits.run(work)

    def add_opinion(
        self,
        query_id: str,
        doc_id: str,
        grade: float,
        *,
        author: str,
        source: str | None = None,
        document_hash: str | None = None,
    ) -> StoredJudgment:
        """Write one second opinion, as `put` does, and return it.

        It never conflicts with what others say meanwhile. The first opinion of a pair becomes its
        judgment.
        """
        wanted = check_entries([JudgmentEntry(query_id, doc_id, grade, document_hash)])
        check_text(author, "author")
        check_text(source, "source", optional=True)

        def work(connection: Connection) -> StoredJudgment:
            rule = read_policy(connection).rule
            write_opinions(connection, wanted, rule, author=author, source=source)
            found = saying_of(read_history(connection, (query_id, doc_id)))
            own = next((one for one in found.pending if one.author == author), found.judgment)
            assert own is not None  # what is no opinion beside a judgment is one
            return own

        return self._commits.run(work)

    def remove(
        self, query_id: str, doc_id: str, *, author: str, if_revision: int | None = None
    ) -> StoredJudgment:
        """Take a judgment back; what it was stays in the history.

        Returns
        -------
        StoredJudgment
            The state without a grade, whose revision `undo` takes.

        Raises
        ------
        NotFoundError
            If there is none.
        ConflictError
            If it has another revision than the caller saw.
        """
        pair = (check_id(query_id, "query_id"), check_id(doc_id, "doc_id"))
        check_text(author, "author")

        def work(connection: Connection) -> StoredJudgment:
            check_revision(connection, pair, if_revision)
            if read_judgment(connection, pair) is None:
                raise NotFoundError("judgment", f"{doc_id} for {query_id}")
            gone = {pair: NewJudgment(*pair, None, None)}
            write_judgments(connection, gone, author=author, source=None)
            return read_history(connection, pair)[-1]

        return self._commits.run(work)

    def undo(
        self, query_id: str, doc_id: str, *, author: str, if_revision: int
    ) -> StoredJudgment | None:
        """Undo a judgment, an opinion or a take-back of one's own; what it replaced counts again.

        What counts again keeps its author and source. The history shows what happened. Undoing
        the same once more changes nothing.

        Parameters
        ----------
        author : str
            The author of what is undone.
        if_revision : int
            The revision of the state to undo.

        Returns
        -------
        StoredJudgment or None
            The judgment that counts again; None if there was none before.

        Raises
        ------
        ConflictError
            If the judgment is not the author's, or another has replaced it.
        """
        pair = (check_id(query_id, "query_id"), check_id(doc_id, "doc_id"))
        check_text(author, "author")

        def work(connection: Connection) -> StoredJudgment | None:
            rule = read_policy(connection).rule
            return undo_judgment(connection, pair, author, if_revision, rule)

        return self._commits.run(work)

    def get(self, query_id: str, doc_id: str) -> StoredJudgment | None:
        """Return the judgment of a pair; None if there is none."""
        pair = (check_id(query_id, "query_id"), check_id(doc_id, "doc_id"))
        with self._database.reading() as connection:
            return read_judgment(connection, pair)

    def history(self, query_id: str, doc_id: str) -> list[StoredJudgment]:
        """Return all that was ever said of a pair, oldest first, second opinions included."""
        pair = (check_id(query_id, "query_id"), check_id(doc_id, "doc_id"))
        with self._database.reading() as connection:
            return read_history(connection, pair)

    def page(
        self,
        *,
        query_id: str | None = None,
        is_stale: bool | None = None,
        after: str | None = None,
        limit: int = 100,
    ) -> Page[StoredJudgment]:
        """Return judgments in the order of their ids' bytes: all, a query's, or the stale ones."""
        rows = STATES.where(IS_CURRENT)
        if query_id is not None:
            rows = rows.where(judgments.c.query_id == check_id(query_id, "query_id"))
        if is_stale is not None:
            stale = func.coalesce(IS_STALE, False)
            rows = rows.where(stale if is_stale else ~stale)
        keys = (judgments.c.query_id, judgments.c.doc_id)
        with self._database.reading() as connection:
            return read_page(connection, rows, keys, stored_judgment, after=after, limit=limit)

    def of_revisions(self, revisions: Iterable[int]) -> dict[int, StoredJudgment]:
        """Return states by their revisions; those that there are."""
        found: dict[int, StoredJudgment] = {}
        with self._database.reading() as connection:
            for some in batches_of(revisions):
                rows = STATES.where(judgments.c.revision.in_(some))
                found |= {row.revision: stored_judgment(row) for row in connection.execute(rows)}
        return found

    def revision(self) -> int:
        """Return the revision of the newest change; 0 if there never was any."""
        with self._database.reading() as connection:
            return states.find(connection, None)

    def current(self) -> Judgments:
        """Return the judgments as they are now, for an evaluation."""
        return self.as_of(None)[0]

    def hash(self) -> str:
        """Return the hash of the judgments as they are now, by which `at` finds them again."""
        return self._known.hash()

    def at(self, when: str | datetime) -> Judgments:
        """Return the judgments as they were.

        Parameters
        ----------
        when : str or datetime
            A hash that `hash` or an evaluation gave, or a moment with its time zone.

        Raises
        ------
        NotFoundError
            If no judgments of this hash are known.
        """
        return self.as_of(when)[0]

    def as_of(self, when: str | datetime | None) -> tuple[Judgments, str]:
        """Return the judgments as they are (None) or were, as `at` takes it, and their hash."""
        if isinstance(when, str):
            check_id(when, "at")
        found, hashed = self._known.as_of(when)
        with self._database.reading() as connection:
            policy = read_policy(connection)
        found.scale, found.labels, found.judges = policy.highest, policy.labels, policy.rule
        return found, hashed

    def prepare(self) -> None:
        """Read what questions about the judgments of now need, so that these do not wait."""
        self._known.prepare()
