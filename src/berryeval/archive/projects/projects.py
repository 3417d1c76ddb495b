"""The judging projects of an archive."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from typing import Any

from sqlalchemy import Connection, delete, insert, select, update

from berryeval.archive.checks import check_id, check_note, check_text
from berryeval.archive.clock import moment_after, now
from berryeval.archive.database import Database, batches_of
from berryeval.archive.judgments import ArchivedJudgments
from berryeval.archive.judgments.disagreements import UNFINISHED_PAIRS, unfinished_project_of
from berryeval.archive.judgments.opinions import SETTLED
from berryeval.archive.paging import ArchivePart
from berryeval.archive.projects.board import PROJECTS, required_project, stored_project
from berryeval.archive.projects.boards import Boards
from berryeval.archive.projects.records import (
    PROJECT_STATES,
    PairSelection,
    ProjectBoard,
    ProjectPair,
    ProjectPlan,
    ProjectState,
    StoredProject,
)
from berryeval.archive.projects.selecting import select_pairs
from berryeval.archive.queries import ArchivedQueries
from berryeval.archive.records import Page, StoredJudgment, StoredRun
from berryeval.archive.runs import ArchivedRuns
from berryeval.archive.tables import project_pairs, project_refusals, projects
from berryeval.core.run import Run
from berryeval.errors import ArgumentError, ConflictError, NotFoundError

__all__ = ["ArchivedProjects"]


class ArchivedProjects(ArchivePart):
    """Judging projects by name.

    The pairs of a project are chosen when it starts, and never change. What its judges answer is
    stored as judgments and second opinions (`Archive.judgments`), and counts for every project
    that has the pair; only "cannot judge" is stored with the project.
    """

    def __init__(
        self,
        database: Database,
        judgments: ArchivedJudgments,
        queries: ArchivedQueries,
        runs: ArchivedRuns,
    ) -> None:
        super().__init__(database)
        self._judgments = judgments
        self._queries = queries
        self._runs = runs
        self._boards = Boards(database)

    def create(self, name: str, plan: ProjectPlan, *, author: str) -> StoredProject:
        """Select the pairs of a project, and start it.

        Raises
        ------
        ConflictError
            If there is a project of this name.
        NotFoundError
            If a run does not exist.
        ArgumentError
            If there is nothing to judge, or too much.
        """
        check_id(name, "name")
        check_text(author, "author")
        pairs = self._select(plan.pairs)
        moment = now()
        row = {
            "name": name,
            "settings": asdict(plan),
            "state": "running",
            "created_by": author,
            "created_at": moment,
            "updated_at": moment,
        }
        with self._database.writing(alone="projects") as connection:
            if not self._database.insert_new(connection, projects, row):
                raise ConflictError(f"project {name!r}", "a new name", "a project of this name")
            rows = (_row(name, position, one) for position, one in enumerate(pairs))
            for some in batches_of(rows):
                connection.execute(insert(project_pairs), some)
            return required_project(connection, name)

    def get(self, name: str) -> StoredProject | None:
        """Return a project; None if it does not exist."""
        return self._one(PROJECTS.where(projects.c.name == check_id(name, "name")), stored_project)

    def page(self, *, after: str | None = None, limit: int = 100) -> Page[StoredProject]:
        """Return projects in the order of their names' bytes."""
        return self._page(PROJECTS, (projects.c.name,), stored_project, after=after, limit=limit)

    def all(self) -> list[StoredProject]:
        """Return all projects, by name."""
        rows = PROJECTS.order_by(projects.c.name)
        with self._database.reading() as connection:
            return [*map(stored_project, connection.execute(rows))]

    def board(self, name: str) -> ProjectBoard:
        """Return a project with all its pairs and answers.

        Raises
        ------
        NotFoundError
            If there is no such project.
        """
        return self._boards.get(check_id(name, "name"))

    def set_state(self, name: str, state: ProjectState) -> StoredProject:
        """Pause, continue or finish a project.

        A paused project offers no documents, but still accepts answers that are on their way. A
        finished one accepts none.

        Raises
        ------
        NotFoundError
            If there is no such project.
        """
        if state not in PROJECT_STATES:
            raise ArgumentError("state", " or ".join(map(repr, PROJECT_STATES)), repr(state)[:40])
        with self._database.writing(alone="projects") as connection:
            required_project(connection, check_id(name, "name"))
            changes = update(projects).where(projects.c.name == name)
            connection.execute(changes.values(state=state, updated_at=now()))
            return required_project(connection, name)

    def remove(self, name: str) -> bool:
        """Remove a project, and return whether it existed; its judgments are kept."""
        with self._database.writing(alone="projects") as connection:
            for table in (project_refusals, project_pairs):
                connection.execute(delete(table).where(table.c.project == check_id(name, "name")))
            return connection.execute(delete(projects).where(projects.c.name == name)).rowcount > 0

    def answer(
        self,
        name: str,
        query_id: str,
        doc_id: str,
        grade: float | None,
        *,
        author: str,
        note: str | None = None,
        document_hash: str | None = None,
    ) -> StoredJudgment | None:
        """Store the answer of a judge; it is on disk when this returns.

        A grade is a second opinion: it never replaces that of another judge. None means that the
        judge cannot judge the document.

        Returns
        -------
        StoredJudgment or None
            The stored grade; None if the judge cannot judge it.

        Raises
        ------
        NotFoundError
            If there is no such project, or it does not have the pair.
        ConflictError
            If it is finished, or the judge does not take part.
        """
        project = self._open_pair(name, query_id, doc_id)
        if project.state == "finished":
            raise ConflictError(f"project {name!r}", "a running project", "a finished one")
        if not project.plan.includes(author):
            judges = ", ".join(project.plan.judges or ())
            raise ConflictError(f"judge of project {name!r}", judges, author)
        stored = None
        if grade is not None:
            stored = self._judgments.add_opinion(
                query_id,
                doc_id,
                grade,
                author=author,
                source=project.source,
                document_hash=document_hash,
                note=note,
            )
        key = _refusal(name, query_id, doc_id, author)
        with self._database.writing(alone="projects") as connection:
            _delete_refusal(connection, key)
            if stored is None:
                required_project(connection, name)  # it may have been removed since
                moment = moment_after(connection, project_refusals.c.given_at)
                row = {**key, "note": check_note(note, "note"), "given_at": moment}
                connection.execute(insert(project_refusals).values(**row))
        return stored

    def undo_refusal(self, name: str, query_id: str, doc_id: str, *, author: str) -> bool:
        """Undo "cannot judge", and return whether the judge had answered that."""
        key = _refusal(name, query_id, doc_id, author)
        with self._database.writing(alone="projects") as connection:
            return _delete_refusal(connection, key)

    def settle(
        self,
        name: str,
        query_id: str,
        doc_id: str,
        grade: float,
        *,
        author: str,
        note: str | None = None,
        if_revision: int | None = None,
    ) -> StoredJudgment:
        """Settle a disagreement: this grade counts, and its author is the settler.

        Parameters
        ----------
        if_revision : int, optional
            The revision of the judgment that the settler saw.

        Raises
        ------
        NotFoundError
            If there is no such project, or it does not have the pair.
        ConflictError
            If the judgment has another revision.
        """
        self._open_pair(name, query_id, doc_id)
        return self._judgments.change(
            query_id, doc_id, grade, author=author, source=SETTLED, note=note,
            if_revision=if_revision, is_settling=True,
        )  # fmt: skip

    def settling(self, query_id: str, doc_id: str) -> str | None:
        """Return the unfinished project that settles disagreements on a pair; None without one."""
        with self._database.reading() as connection:
            return unfinished_project_of(connection, query_id, doc_id)

    def unfinished_pairs(self) -> set[tuple[str, str]]:
        """Return the pairs of all projects that are not finished."""
        with self._database.reading() as connection:
            return {(row.query_id, row.doc_id) for row in connection.execute(UNFINISHED_PAIRS)}

    def _open_pair(self, name: str, query_id: str, doc_id: str) -> StoredProject:
        c = project_pairs.c
        wanted = (c.project == name, c.query_id == check_id(query_id, "query_id"),
                  c.doc_id == check_id(doc_id, "doc_id"))  # fmt: skip
        with self._database.reading() as connection:
            project = required_project(connection, check_id(name, "name"))
            if connection.execute(select(c.position).where(*wanted)).first() is None:
                raise NotFoundError("pair", f"{doc_id} for {query_id} in project {name}")
        return project

    def _select(self, wanted: PairSelection) -> list[ProjectPair]:
        run_ids = [*dict.fromkeys([*filter(None, [wanted.baseline]), *wanted.runs])]
        stored = [self._run(run_id) for run_id in run_ids]
        names = Counter(one.facts.name for one in stored)
        labels = {
            one.run_id: one.facts.name
            if names[one.facts.name] == 1
            else f"{one.facts.name} {one.run_id[:8]}"
            for one in stored
        }
        runs: dict[str, Run] = {labels[run_id]: self._runs.load(run_id) for run_id in run_ids}
        baseline = None if wanted.baseline is None else labels[wanted.baseline]
        judgments, queries = self._judgments.current(), self._queries.all()
        return select_pairs(wanted, judgments, runs, queries, baseline=baseline)

    def _run(self, run_id: str) -> StoredRun:
        found = self._runs.get(run_id, with_durations=False)
        if found is None:
            raise NotFoundError("run", run_id)
        return found


def _refusal(name: str, query_id: str, doc_id: str, judge: str) -> dict[str, str]:
    return {
        "project": check_id(name, "name"),
        "query_id": check_id(query_id, "query_id"),
        "doc_id": check_id(doc_id, "doc_id"),
        "judge": check_id(judge, "author"),
    }


def _delete_refusal(connection: Connection, key: dict[str, str]) -> bool:
    is_it = [project_refusals.c[column] == value for column, value in key.items()]
    return connection.execute(delete(project_refusals).where(*is_it)).rowcount > 0


def _row(name: str, position: int, one: ProjectPair) -> dict[str, Any]:
    return {"project": name, "position": position, **asdict(one)}
