"""``berryeval golden queries`` and ``berryeval golden review``."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

import click

from berryeval.cli import SYSTEM_FAILED
from berryeval.cli._judges import BUDGET_SPENT, JudgeCalls, judge_options
from berryeval.cli._settings import read_project
from berryeval.cli._systems import load_golden_set, progress_bar

if TYPE_CHECKING:
    from berryeval.golden.golden_set import GoldenSet
    from berryeval.judges.metering import Price
    from berryeval.judges.proposals import Proposal
    from berryeval.search.system import System
    from berryeval.suite.query_proposals import Proposed

__all__ = ["queries", "review"]

_EXCERPT = 600
_CHOICES = ("a", "e", "r", "s", "q")


@click.command("queries")
@click.argument("folder", metavar="FOLDER")
@click.option(
    "--model",
    required=True,
    metavar="MODEL",
    help="Model that writes the queries: openai:MODEL, or openai:MODEL@http://host/v1.",
)
@click.option(
    "--judge",
    "judge_name",
    metavar="JUDGE",
    help="Judge that decides whether the document answers its query.  [default: the model]",
)
@click.option(
    "--system",
    metavar="SYSTEM",
    default="bm25",
    show_default=True,
    help="System to send each query to, to show the rank of its document; none sends nothing.",
)
@click.option(
    "-n",
    "--documents",
    "n_documents",
    type=click.IntRange(min=1),
    default=20,
    show_default=True,
    help="Chunks to write queries for, drawn at random.",
)
@click.option(
    "--per-document",
    type=click.IntRange(min=1, max=20),
    default=2,
    show_default=True,
    help="Queries per chunk.",
)
@click.option(
    "--seed", type=int, default=0, show_default=True, help="Random seed for drawing chunks."
)
@click.option(
    "--dry-run", is_flag=True, help="Show the number of calls, tokens and the cost; send nothing."
)
@judge_options
@click.pass_context
def queries(
    context: click.Context,
    /,
    folder: str,
    model: str,
    judge_name: str | None,
    system: str,
    n_documents: int,
    per_document: int,
    seed: int,
    dry_run: bool,
    calls: JudgeCalls,
) -> None:
    """Propose queries for documents with a language model.

    Each proposal has an intent, a category and a difficulty. Proposals that nearly repeat another
    query are set aside, and so are those that, according to the judge, their chunk does not answer.
    All are written to query-proposals.jsonl in FOLDER, with the model, the prompt and the chunk
    they come from. The queries of the set do not change: people decide with `golden review`.

    Chunks that were read before are not read again, so repeat the command for more. Exit code 4 if
    the model failed, and 6 if the budget is used up.

    \b
    berryeval golden queries golden/ --model openai:gpt-4.1-mini --dry-run --price 0.40,1.60
    berryeval golden queries golden/ --model openai:qwen3@http://localhost:11434/v1 -n 50
    berryeval golden review golden/
    """
    from berryeval.judges.opening import open_chat
    from berryeval.judges.proposing import Proposer
    from berryeval.suite.query_proposals import categories_of, choose_documents, propose_queries

    golden = load_golden_set(folder)
    enough = {"answer_tokens": str(200 * per_document)}
    chat = open_chat(model, enough | calls.settings, limits=calls.limits, meter=calls.meter)
    proposer = Proposer(chat, n=per_document, categories=categories_of(golden))
    # The settings are for the model; another judge may not accept them.
    judge = calls.open_judge(judge_name, {}) if judge_name else calls.open_judge(model)
    chosen = choose_documents(golden, proposer, n_documents, seed)
    if dry_run:
        tokens = [proposer.estimate(document) for document in chosen]
        _show_plan([one for one, _ in tokens], sum(most for _, most in tokens), calls.price)
        return
    with ExitStack() as stack:
        asked = None if system == "none" else stack.enter_context(_indexed(system, golden))
        progress = stack.enter_context(progress_bar("Proposing"))
        found = propose_queries(
            golden, proposer, chosen,
            judge=judge, system=asked, concurrency=calls.concurrency, progress=progress,
        )  # fmt: skip
    context.exit(_report(found, folder, calls))


def _indexed(name: str, golden: GoldenSet) -> System:
    from berryeval.suite.candidates import open_project_system

    opened = open_project_system(read_project(None), golden.queries, place=name)
    if opened.can_index:
        opened.index(golden.documents())
    return opened


def _show_plan(input_tokens: list[int], output_tokens: int, price: Price | None) -> None:
    text = f"{len(input_tokens):,} calls to write queries: about {sum(input_tokens):,} input and "
    text += f"at most {output_tokens:,} output tokens"
    if price is not None:
        text += f", cost at most {price.of(sum(input_tokens), output_tokens):,.2f}"
    click.echo(f"{text}. One call per query follows, to judge it. Nothing was sent.")


def _report(found: Proposed, folder: str, calls: JudgeCalls) -> int:
    """Report what was proposed, and return the exit code."""
    from berryeval.reports.wording import count

    counts = {
        status: sum(1 for one in found.proposals if one.status == status)
        for status in ("proposed", "duplicate", "unanswered")
    }
    click.echo(
        f"{found.n_documents:,} chunks read, {calls.meter.n_calls:,} calls"
        + (f", cost {calls.cost:,.2f}" if calls.cost is not None else "")
        + f": {count(counts['proposed'], 'query', 'queries')} proposed, "
        f"{counts['duplicate']:,} almost the same as "
        f"others, {counts['unanswered']:,} not answered by their chunk."
    )
    if counts["proposed"]:
        click.echo(f"Accept, edit or reject them with: berryeval golden review {folder}")
    for error in found.failures[:1]:
        click.echo(f"{error} ({len(found.failures):,} times)", err=True)
    if found.budget is not None:
        click.echo(f"Stopped: {found.budget}. Repeat the command to continue.", err=True)
        return BUDGET_SPENT
    return SYSTEM_FAILED if found.failures else 0


@click.command("review")
@click.argument("folder", metavar="FOLDER")
@click.option(
    "--reviewer",
    envvar="USER",
    metavar="NAME",
    default="",
    help="Name stored with each decision.  [default: the current user]",
)
@click.option(
    "--apply",
    "apply_only",
    is_flag=True,
    help="Do not ask; add the proposals whose status in the file is accepted.",
)
def review(folder: str, reviewer: str, apply_only: bool) -> None:
    """Accept, edit or reject proposed queries, and add the accepted ones.

    Shows each proposal with its chunk, the grade of the judge and the rank in the system. Every
    decision is stored at once; q ends, and the next call continues. Accepted queries are added to
    test-queries.json, with the intent as description and the id of the proposal. They have no
    judgments yet. query-proposals.jsonl records where they come from, and who accepted them.

    Instead, you can edit the file: set status to accepted or rejected, and call with --apply.

    \b
    berryeval golden review golden/
    berryeval golden review golden/ --apply
    """
    from berryeval.judges.proposals import read_proposals, write_proposals
    from berryeval.suite.query_proposals import add_accepted

    golden = load_golden_set(folder)
    proposals = read_proposals(golden.folder)
    waiting = [] if apply_only else [one for one in proposals if one.status == "proposed"]
    texts = {chunk.chunk_id: chunk.text for chunk in golden.chunks}
    for number, one in enumerate(waiting, start=1):
        _show(one, texts.get(one.doc_id, ""), f"{number} of {len(waiting)}")
        answer = click.prompt(
            "[a]ccept, [e]dit, [r]eject, [s]kip, [q]uit",
            type=click.Choice(_CHOICES), show_choices=False,
        )  # fmt: skip
        if answer == "q":
            break
        if answer != "s":
            proposals[proposals.index(one)] = _decided(one, answer, reviewer)
            write_proposals(golden.folder, proposals)
    added = add_accepted(golden, proposals)
    n_left = sum(1 for one in read_proposals(golden.folder) if one.status == "proposed")
    click.echo(f"Added: {len(added):,} queries. Waiting for review: {n_left:,}.")


def _show(proposal: Proposal, text: str, where: str) -> None:
    rank = "not found" if proposal.rank is None else f"rank {proposal.rank}"
    checks = [] if proposal.system is None else [f"{proposal.system}: {rank}"]
    if proposal.judge is not None:
        checks.append(f"{proposal.judge}: grade {proposal.grade:g}")
    labels = ", ".join(filter(None, (proposal.category, proposal.difficulty, *checks)))
    shown = " ".join(text.split())
    click.echo(f"\n{where}: {click.style(proposal.query, bold=True)}")
    click.echo(f"  intent: {proposal.intent}")
    click.echo(f"  {labels}")
    click.echo(f"  {proposal.doc_id}: {shown[:_EXCERPT]}{' …' * (len(shown) > _EXCERPT)}")


def _decided(proposal: Proposal, answer: str, reviewer: str) -> Proposal:
    from datetime import datetime, timezone

    when = datetime.now(timezone.utc).isoformat(timespec="seconds")
    if answer == "r":
        return proposal.rejected(reviewer, when, click.prompt("Why", default=""))
    if answer == "e":
        text = click.prompt("Query", default=proposal.query)
        intent = click.prompt("Intent", default=proposal.intent)
        return proposal.accepted(reviewer, when, query=text, intent=intent)
    return proposal.accepted(reviewer, when)
