"""Proposes queries for a golden set, checks them, and adds those that people accept."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import datetime, timezone
from pathlib import Path

from berryeval.core.documents import Document
from berryeval.core.inputs import release_input
from berryeval.core.query import Query, QueryType
from berryeval.errors import ArgumentError, BerryEvalError, MismatchError, SystemUnderTestError
from berryeval.formats import write_queries
from berryeval.golden.golden_set import QUERIES, GoldenSet
from berryeval.golden.near_duplicates import SIMILARITY, normalised, similarity
from berryeval.judges.collecting import Task, ask_all
from berryeval.judges.metering import BudgetSpentError
from berryeval.judges.model_grades import GRADES, GradeFile
from berryeval.judges.proposals import Proposal, read_proposals, write_proposals
from berryeval.judges.proposing import PROPOSING_HASH, Draft, Proposer
from berryeval.judges.protocol import Judge, Pair
from berryeval.judges.sampling import draw_stratified
from berryeval.search.collect import collect
from berryeval.search.system import System
from berryeval.suite.judged_pairs import guideline_of

__all__ = ["Proposed", "add_accepted", "categories_of", "choose_documents", "propose_queries"]

_SHORTEST = 80
"""Minimum length of a document to write a query for, in characters; shorter ones are mere headings.
"""


@dataclass
class Proposed:
    """The result of asking for proposals."""

    proposals: list[Proposal] = field(default_factory=list)
    """The new ones, with every status."""
    n_documents: int = 0
    """Documents that the model has read."""
    failures: list[BerryEvalError] = field(default_factory=list)
    budget: str | None = None
    """Why the budget ended the work; None if it did not."""


def categories_of(golden: GoldenSet) -> tuple[str, ...]:
    """Return the categories of a set's queries; the usual ones if they have none."""
    own = dict.fromkeys(query.category for query in golden.queries if query.category)
    return tuple(own) or tuple(map(str, QueryType))


def choose_documents(
    golden: GoldenSet, proposer: Proposer, n: int, seed: int = 0
) -> list[Document]:
    """Return documents to write queries for: drawn at random among those not read yet.

    Raises
    ------
    MismatchError
        If the set has no documents.
    """
    if not golden.chunks:
        raise MismatchError(f"{golden.folder}: expected documents to write queries for, found none")
    known = {one.content for one in read_proposals(golden.folder)}
    left = [
        document
        for document in golden.documents()
        if len(document.text) >= _SHORTEST and proposer.content(document) not in known
    ]
    return [left[position] for position, _ in draw_stratified([0] * len(left), n, seed)]


def propose_queries(
    golden: GoldenSet,
    proposer: Proposer,
    documents: Sequence[Document],
    *,
    judge: Judge | None = None,
    system: System | None = None,
    k: int = 10,
    concurrency: int = 4,
    progress: Callable[[int, int], None] | None = None,
) -> Proposed:
    """Ask for queries, set aside duplicates and unanswered ones, and store all of them.

    They are stored after each few documents, in `query-proposals.jsonl`. The queries of the set do
    not change.

    Parameters
    ----------
    golden : GoldenSet
        The set.
    proposer : Proposer
        The model that writes.
    documents : sequence of Document
        What it reads, see `choose_documents`.
    judge : Judge, optional
        Grades whether the document answers its query; below the set's level of relevance the
        proposal is set aside as unanswered.
    system : System, optional
        An indexed system, which answers the query. The rank of the document is stored, but has no
        effect: a query that a system fails on is a good one.
    k : int
        Documents that the system returns.
    concurrency : int
        Calls at once.
    progress : callable, optional
        Called with the number of documents so far and in total.
    """
    found = Proposed()
    known = read_proposals(golden.folder)
    texts = [query.text for query in golden.queries]
    for start in range(0, len(documents), concurrency):
        batch = documents[start : start + concurrency]
        with ThreadPoolExecutor(concurrency) as pool:
            answers = [*pool.map(lambda one: _ask(proposer, one), batch)]
        new: list[Proposal] = []
        for document, answer in zip(batch, answers, strict=True):
            if isinstance(answer, BudgetSpentError):
                found.budget = str(answer)
            elif isinstance(answer, BerryEvalError):
                found.failures.append(answer)
            else:
                found.n_documents += 1
                new += _proposals(
                    document, answer, proposer, [*texts, *_texts(known), *_texts(new)]
                )
        if judge is not None:
            new = _judged(golden, new, batch, judge, concurrency)
        if system is not None:
            new = _ranked(new, system, k)
        known += new
        found.proposals += new
        write_proposals(golden.folder, known)
        if progress is not None:
            progress(min(start + concurrency, len(documents)), len(documents))
        if found.budget is not None or (found.failures and not found.n_documents):
            break
    return found


def _ask(proposer: Proposer, document: Document) -> tuple[list[Draft], str | None] | BerryEvalError:
    try:
        return proposer.propose(document)
    except (SystemUnderTestError, BudgetSpentError) as error:
        return error


def _texts(proposals: Iterable[Proposal]) -> list[str]:
    return [one.query for one in proposals if one.query and one.status != "duplicate"]


def _proposals(
    document: Document,
    answer: tuple[list[Draft], str | None],
    proposer: Proposer,
    existing: list[str],
) -> list[Proposal]:
    drafts, model = answer
    plain = Proposal(
        Proposal.id_of("", document.doc_id), "unanswered", "", "", None, None, document.doc_id,
        proposer.content(document), model or proposer.name, PROPOSING_HASH,
        datetime.now(timezone.utc).isoformat(timespec="seconds"), "the model wrote no query",
    )  # fmt: skip
    found = []
    for draft in drafts:
        twin = _find_twin(draft.query, existing)
        found.append(replace(
            plain, query_id=Proposal.id_of(draft.query, document.doc_id), query=draft.query,
            intent=draft.intent, category=draft.category, difficulty=draft.difficulty,
            status="proposed" if twin is None else "duplicate",
            why="" if twin is None else f"almost the same as {twin!r}",
        ))  # fmt: skip
        existing.append(draft.query)
    return found or [plain]


def _find_twin(query: str, others: Iterable[str]) -> str | None:
    """Return a query that nearly repeats it; None if there is none."""
    plain = normalised(query)
    for other in others:
        if normalised(other) == plain or similarity(query, other) >= SIMILARITY:
            return other
    return None


def _judged(
    golden: GoldenSet,
    proposals: list[Proposal],
    documents: Sequence[Document],
    judge: Judge,
    concurrency: int,
) -> list[Proposal]:
    """Have the judge grade each document for its query."""
    texts = {document.doc_id: document for document in documents}
    tasks = {
        one.query_id: Task(Pair(one.to_query(), texts[one.doc_id]), 0, "proposal")
        for one in proposals
        if one.status == "proposed"
    }
    with GradeFile(golden.folder / GRADES) as store:
        collected = ask_all(
            judge, tasks.values(), guideline_of(golden), store, concurrency=concurrency
        )
    checked = []
    for one in proposals:
        task = tasks.get(one.query_id) if one.status == "proposed" else None
        given = None if task is None else collected.grades.get(task)
        if task is None:
            checked.append(one)
        elif given is None:
            checked.append(replace(one, why="the judge did not answer"))
        else:
            is_answer = given.grade is not None and given.grade >= golden.relevant_from
            checked.append(replace(
                one, judge=given.judge, grade=given.grade,
                status="proposed" if is_answer else "unanswered",
                why="" if is_answer else given.reason,
            ))  # fmt: skip
    return checked


def _ranked(proposals: list[Proposal], system: System, k: int) -> list[Proposal]:
    """Send each query to the system, and record the rank of its document."""
    queries = {one.query_id: one.to_query() for one in proposals if one.status == "proposed"}
    run = collect(system, queries.values(), k).run
    found = []
    for one in proposals:
        if one.query_id not in queries or one.status != "proposed":
            found.append(one)
            continue
        ranking = run.ranking(one.query_id) if one.query_id in run.query_ids else []
        rank = ranking.index(one.doc_id) + 1 if one.doc_id in ranking else None
        found.append(replace(one, system=system.name, rank=rank))
    return found


def add_accepted(golden: GoldenSet, proposals: Sequence[Proposal]) -> list[Query]:
    """Add the accepted proposals to the queries of a set, and return the new queries.

    Their status becomes ``"added"``, and `query-proposals.jsonl` is written.

    Parameters
    ----------
    golden : GoldenSet
        The set. Its queries have to be in `test-queries.json`: other files may have keys of their
        own, which would be lost.
    proposals : sequence of Proposal
        All proposals of the set.

    Raises
    ------
    ArgumentError
        If the queries are in another file.
    """
    accepted = [one for one in proposals if one.status == "accepted"]
    known = {query.query_id for query in golden.queries}
    new = [one.to_query() for one in accepted if one.query_id not in known]
    path = Path(golden.folder) / QUERIES
    if accepted and not path.is_file():
        way_out = "`berryeval golden init` copies a set into this layout"
        raise ArgumentError("queries", f"the file {QUERIES}; {way_out}", "another one")
    if new:
        release_input(str(path))
        write_queries([*golden.queries, *new], path)
    write_proposals(
        golden.folder,
        [replace(one, status="added") if one.status == "accepted" else one for one in proposals],
    )
    return new
