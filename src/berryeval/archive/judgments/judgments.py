"""The judgments of an archive, with second opinions and history."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import copy
from datetime import datetime

from sqlalchemy import Connection, func

from berryeval.archive.checks import check_id
from berryeval.archive.database import Database, batches_of
from berryeval.archive.judgments import states
from berryeval.archive.judgments.batches import check_batches, check_source, write_batches
from berryeval.archive.judgments.judging import read_policy
from berryeval.archive.judgments.opinion_rows import undo_judgment, write_opinions
from berryeval.archive.judgments.opinions import history_of
from berryeval.archive.judgments.rows import (
    IS_CURRENT,
    IS_STALE,
    STATES,
    NewJudgment,
    Pair,
    check_entries,
    check_revision,
    read_history,
    read_judgment,
    read_opinions,
    stored_judgment,
    write_judgments,
)
from berryeval.archive.judgments.states import KnownStates
from berryeval.archive.paging import ArchivePart
from berryeval.archive.records import JudgmentBatch, JudgmentEntry, Page, StoredJudgment
from berryeval.archive.shared_commits import SharedCommits
from berryeval.archive.tables import judgments
from berryeval.core.judgments import Judgments
from berryeval.errors import NotFoundError

__all__ = ["ArchivedJudgments"]


class ArchivedJudgments(ArchivePart):
    """Judgments with author, time, source and the hash of the judged document.

    Changing one keeps its history. A second opinion is stored separately, and counts by the rule
    of the archive (`Archive.judging`). Grades by subtopic are part of a judgment; a judgment that
    does not mention them keeps them. When a document changes, its judgments become stale; they
    count until they are judged again.
    """

    def __init__(self, database: Database) -> None:
        super().__init__(database)
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
        """Write judgments, all or none; they are on disk when this returns.

        A pair that is already judged gets the new grade, and the old one stays in its history.
        The same grade by the same author for the same document changes nothing.

        Parameters
        ----------
        as_opinion : bool
            Whether these are second opinions, which do not change judgments unless the rule of the
            archive counts them. The first opinion on a pair becomes its judgment.

        Returns
        -------
        int
            The number of new or changed judgments.

        Raises
        ------
        ArgumentError
            If a pair has two different grades, or a grade or id is invalid.
        ScaleError
            If a new grade exceeds the declared scale.
        DisagreementError
            If judges disagree, and a project that is not finished has to settle it.
        """
        return self.put_batches([JudgmentBatch(author, source, [*entries], as_opinion)])

    def put_batches(
        self, batches: Iterable[JudgmentBatch], *, declared: Judgments | None = None
    ) -> int:
        """Write judgments of several authors and sources, all or none, as `put` does.

        Parameters
        ----------
        declared : Judgments, optional
            Judgments whose scale, labels and rule the archive adopts first, unless it declares its
            own; see `ArchivedJudging.to_adopt`.

        Returns
        -------
        int
            The number of new or changed judgments.
        """
        checked = check_batches(batches)
        return self._commits.run(
            lambda connection: write_batches(self._database, connection, checked, declared)
        )

    def change(
        self,
        query_id: str,
        doc_id: str,
        grade: float,
        *,
        author: str,
        source: str | None = None,
        document_hash: str | None = None,
        subtopics: Mapping[str, float] | None = None,
        subtopic_weights: Mapping[str, float] | None = None,
        stratum: str | None = None,
        note: str | None = None,
        if_revision: int | None = None,
        is_settling: bool = False,
    ) -> StoredJudgment:
        """Write or correct one judgment, unless it has changed since the caller read it.

        Parameters
        ----------
        subtopics, subtopic_weights, stratum : optional
            As in a `JudgmentEntry`. If omitted, those of the current judgment are kept.
        note : str, optional
            What the judge writes about it.
        if_revision : int, optional
            The revision that the caller saw; 0 if there was no judgment. If omitted, any judgment
            is replaced.
        is_settling : bool
            Whether it settles a disagreement for a project, see `ArchivedProjects.settle`.

        Raises
        ------
        ConflictError
            If the judgment has another revision.
        DisagreementError
            If judges disagree, and a project that is not finished has to settle it.
        ScaleError
            If a new grade exceeds the declared scale.
        """
        labels = subtopics, subtopic_weights, stratum, note
        wanted = check_entries([JudgmentEntry(query_id, doc_id, grade, document_hash, *labels)])
        check_source(author, source)

        def work(connection: Connection) -> StoredJudgment:
            check_revision(connection, (query_id, doc_id), if_revision)
            highest = read_policy(connection).highest
            write_judgments(
                connection, wanted, author=author, source=source, highest=highest,
                is_settling=is_settling,
            )  # fmt: skip
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
        subtopics: Mapping[str, float] | None = None,
        subtopic_weights: Mapping[str, float] | None = None,
        stratum: str | None = None,
        note: str | None = None,
    ) -> StoredJudgment:
        """Write one second opinion, as `put` does, and return it.

        It never conflicts with concurrent changes. The first opinion on a pair becomes its
        judgment; a later one has no stratum.
        """
        labels = subtopics, subtopic_weights, stratum, note
        wanted = check_entries([JudgmentEntry(query_id, doc_id, grade, document_hash, *labels)])
        check_source(author, source)

        def work(connection: Connection) -> StoredJudgment:
            policy = read_policy(connection)
            write_opinions(connection, wanted, policy, author=author, source=source)
            found = history_of(read_history(connection, (query_id, doc_id)))
            own = next((one for one in found.pending if one.author == author), found.judgment)
            assert own is not None  # it is an opinion or the judgment
            return own

        return self._commits.run(work)

    def remove(
        self, query_id: str, doc_id: str, *, author: str, if_revision: int | None = None
    ) -> StoredJudgment:
        """Withdraw a judgment; its history is kept.

        Returns
        -------
        StoredJudgment
            The state without a grade, whose revision can be passed to `undo`.

        Raises
        ------
        NotFoundError
            If there is none.
        ConflictError
            If it has another revision than the caller saw.
        DisagreementError
            If judges disagree, and a project that is not finished has to settle it.
        """
        pair = _pair(query_id, doc_id)
        check_source(author)

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
        """Undo the author's own judgment, opinion or withdrawal; the previous state counts again.

        The previous state keeps its author and source. The history shows both steps. Undoing
        the same step twice changes nothing.

        Parameters
        ----------
        author : str
            The author of the state to undo.
        if_revision : int
            The revision of the state to undo.

        Returns
        -------
        StoredJudgment or None
            The judgment that counts again; None if there was none before.

        Raises
        ------
        ConflictError
            If the state is not the author's, or another one has replaced it.
        """
        pair = _pair(query_id, doc_id)
        check_source(author)

        def work(connection: Connection) -> StoredJudgment | None:
            rule = read_policy(connection).rule
            return undo_judgment(connection, pair, author, if_revision, rule)

        return self._commits.run(work)

    def get(self, query_id: str, doc_id: str) -> StoredJudgment | None:
        """Return the judgment of a pair; None if there is none."""
        with self._database.reading() as connection:
            return read_judgment(connection, _pair(query_id, doc_id))

    def history(self, query_id: str, doc_id: str) -> list[StoredJudgment]:
        """Return all states of a pair, oldest first, including second opinions."""
        with self._database.reading() as connection:
            return read_history(connection, _pair(query_id, doc_id))

    def page(
        self,
        *,
        query_id: str | None = None,
        doc_id: str | None = None,
        is_stale: bool | None = None,
        after: str | None = None,
        limit: int = 100,
    ) -> Page[StoredJudgment]:
        """Return judgments in the order of their ids' bytes.

        All, those of a query or a document, or stale ones.
        """
        rows = STATES.where(IS_CURRENT)
        if query_id is not None:
            rows = rows.where(judgments.c.query_id == check_id(query_id, "query_id"))
        if doc_id is not None:
            rows = rows.where(judgments.c.doc_id == check_id(doc_id, "doc_id"))
        if is_stale is not None:
            stale = func.coalesce(IS_STALE, False)
            rows = rows.where(stale if is_stale else ~stale)
        keys = (judgments.c.query_id, judgments.c.doc_id)
        return self._page(rows, keys, stored_judgment, after=after, limit=limit)

    def of_revisions(self, revisions: Iterable[int]) -> dict[int, StoredJudgment]:
        """Return the existing states of some revisions, by revision."""
        found: dict[int, StoredJudgment] = {}
        with self._database.reading() as connection:
            for some in batches_of(revisions):
                rows = STATES.where(judgments.c.revision.in_(some))
                found |= {row.revision: stored_judgment(row) for row in connection.execute(rows)}
        return found

    def revision(self) -> int:
        """Return the revision of the newest change; 0 if there was none."""
        with self._database.reading() as connection:
            return states.find(connection, None)

    def current(self) -> Judgments:
        """Return the current judgments, for an evaluation."""
        return self.as_of(None, is_recorded=False)[0]

    def with_opinions(self, *, with_settled: bool = False) -> Judgments:
        """Return the current judgments with judge, source, time, note and second opinions since.

        Parameters
        ----------
        with_settled : bool
            Whether to add the opinions that a judgment has settled. They do not count: only an
            import that knows the source ``"settled"`` reads them as they are meant.
        """
        found = copy(self.current())
        with self._database.reading() as connection:
            found.opinions = read_opinions(connection, with_settled=with_settled)
        return found

    def hash(self) -> str:
        """Return the hash of the current judgments, which can be passed to `at`."""
        return self._known.hash()

    def revision_of(self, hashed: str) -> int:
        """Return a revision at which the judgments had this hash.

        Raises
        ------
        NotFoundError
            If no judgments are known to have this hash.
        """
        return self._known.revision_of(hashed)

    def at(self, when: str | datetime | int) -> Judgments:
        """Return earlier judgments.

        Parameters
        ----------
        when : str, datetime or int
            A hash from `hash` or an evaluation, a time with its time zone, or a revision.

        Raises
        ------
        NotFoundError
            If no judgments have this hash, or there is no such revision.
        """
        return self.as_of(when)[0]

    def as_of(
        self, when: str | datetime | int | None, *, is_recorded: bool = True
    ) -> tuple[Judgments, str]:
        """Return the current (None) or earlier judgments, as `at` does, and their hash.

        If `is_recorded` is false, the hash may be unknown to `at`, and nothing is written.
        """
        if isinstance(when, str):
            check_id(when, "at")
        found, hashed = self._known.as_of(when, is_recorded=is_recorded)
        with self._database.reading() as connection:
            policy = read_policy(connection)
        found.scale, found.labels, found.judges = policy.highest, policy.labels, policy.rule
        return found, hashed

    def prepare(self) -> None:
        """Read the current judgments in advance, so that later calls are fast."""
        self._known.prepare()

    def forget_earlier(self) -> None:
        """Drop earlier judgments from memory; they are read again if they are needed."""
        self._known.forget_earlier()


def _pair(query_id: str, doc_id: str) -> Pair:
    return check_id(query_id, "query_id"), check_id(doc_id, "doc_id")
