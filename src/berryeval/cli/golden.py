"""``berryeval golden check``, ``init`` and ``weights``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from berryeval.cli import BAD_INPUT
from berryeval.cli._output import output_options, write_output
from berryeval.cli._systems import (
    address_for,
    chunks_option,
    load_golden_set,
    named_settings,
    no_questions_option,
    progress_bar,
    system_options,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from berryeval.core.documents import Document
    from berryeval.core.run import Run
    from berryeval.golden.golden_set import GoldenSet
    from berryeval.golden.weights import ShareWeights, TrafficWeights

__all__ = ["command"]

FORMATS = ("table", "json", "markdown")


@click.group("golden")
def command() -> None:
    """Create and check golden sets, and weight their queries."""


@command.command("check")
@click.argument("path", metavar="[FOLDER]", required=False)
@click.option(
    "--system",
    "systems",
    multiple=True,
    metavar="SYSTEM",
    help="Also run this system, list unjudged chunks in its top ranks, and report power. "
    "Repeatable; the first two systems are compared with each other.",
)
@click.option(
    "--depth",
    type=click.IntRange(min=1),
    default=10,
    show_default=True,
    help="Number of top ranks to check per query.",
)
@chunks_option
@no_questions_option
@system_options
@output_options(FORMATS)
@click.pass_context
def check(
    context: click.Context,
    /,
    path: str | None,
    systems: tuple[str, ...],
    depth: int,
    chunks: str,
    no_questions: bool,
    dsn: str | None,
    settings: tuple[str, ...],
    output: str | None,
    output_format: str,
) -> None:
    """Check a golden set for errors, and report the best possible scores.

    Reports counts, judgments of unknown documents, contradictions, near-duplicates with different
    grades, spans out of range, queries without a relevant chunk, the best possible score in each
    measure, and how well two judging passes agree. Queries that ask almost the same thing are
    listed with a suggested group. If FOLDER is omitted, the bundled set is checked. Exit code 2 if
    there are errors; warnings do not affect it.

    \b
    berryeval golden check golden/
    berryeval golden check golden/ --system bm25 --system hybrid
    berryeval golden check --json
    """
    from berryeval.golden.check import check_golden_set
    from berryeval.reports.golden import check_tables, check_to_json
    from berryeval.reports.layout import tables_to_text
    from berryeval.reports.markdown import tables_to_markdown
    from berryeval.reports.terminal import show_tables

    golden = load_golden_set(path, strict=False, chunks=chunks)
    documents = [*golden.documents(questions=not no_questions)]
    places = {name: address_for(name, dsn, systems) for name in systems}
    runs = {
        name: _run_of(name, golden, documents, depth, place, settings)
        for name, place in places.items()
    }
    found = check_golden_set(golden, runs, depth=depth)
    if output_format == "json":
        write_output(check_to_json(found), output)
    elif output_format == "markdown":
        write_output(tables_to_markdown(check_tables(found)), output)
    elif output is not None:
        write_output(tables_to_text(check_tables(found)), output)
    else:
        show_tables(check_tables(found))
    context.exit(BAD_INPUT if found.errors else 0)


def _run_of(
    name: str,
    golden: GoldenSet,
    documents: Sequence[Document],
    depth: int,
    dsn: str | None,
    settings: tuple[str, ...],
) -> Run:
    from berryeval.search.collect import collect
    from berryeval.search.opening import open_system
    from berryeval.suite.quality import TABLE

    opened = open_system(
        name, named_settings(settings), dsn=dsn, queries=golden.queries, table=TABLE
    )
    with opened, progress_bar(name) as progress:
        if opened.can_index:
            opened.index(documents)
        collected = collect(opened, golden.queries, depth, progress=progress)
    for error in collected.failures.values():
        raise error
    return collected.run


@command.command("init")
@click.argument("documents", metavar="DOCUMENTS")
@click.option(
    "-o",
    "--output",
    metavar="FOLDER",
    default="golden",
    show_default=True,
    help="Folder for the golden set; new or empty.",
)
def init(documents: str, output: str) -> None:
    """Create a golden set from a folder of Markdown files.

    Copies the documents and writes a sample query and judgment to replace, a guideline for
    judges, and a berryeval.toml.

    \b
    berryeval golden init docs/ -o golden
    """
    from berryeval.golden.init import init_golden_set
    from berryeval.search.chunking import read_chunks

    written = init_golden_set(documents, output)
    n_chunks = len(read_chunks(f"{output}/test-documents"))
    chunks = "1 chunk" if n_chunks == 1 else f"{n_chunks:,} chunks"
    click.echo(f"Copied documents with {chunks} into {output}, and wrote:")
    for file in written:
        click.echo(f"  {file}")
    click.echo(f"Write queries and judgments, and then run: berryeval golden check {output}")


@command.command("weights")
@click.argument("log", required=False)
@click.option(
    "--by",
    "label",
    type=click.Choice(["category", "difficulty"]),
    help="Weight by the shares of kinds instead of LOG. Requires one --share per value of this "
    "label.",
)
@click.option(
    "--share",
    "shares",
    multiple=True,
    metavar="VALUE=SHARE",
    help="Share of all searches for one kind of query, such as howto=0.5 or howto=50%. Shares must "
    "add up to 1, or to 100. Repeatable.",
)
@click.option(
    "--queries",
    metavar="FILE",
    default="golden/test-queries.json",
    show_default=True,
    help="Queries to weight.",
)
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="Write the weighted queries to this file, in the same format.",
)
@click.option("--in-place", is_flag=True, help="Write the weights to the queries file.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def weights(
    log: str | None,
    label: str | None,
    shares: tuple[str, ...],
    queries: str,
    output: str | None,
    in_place: bool,
    as_json: bool,
) -> None:
    """Weight queries by traffic, or by the shares of their kinds.

    LOG is JSON lines or a table with a query and an optional count, or one query per line. Texts
    are compared ignoring case, white space and Unicode form. Queries that do not occur in LOG get
    no weight.

    With --by and --share, each query gets the share of its kind divided by the number of queries
    of that kind, and the kind becomes its stratum: queries are treated as drawn separately for
    each kind, so differences between kinds no longer widen intervals.

    Without --output or --in-place, nothing is written.

    \b
    berryeval golden weights searches.csv
    berryeval golden weights searches.csv --queries queries.jsonl -o weighted.jsonl
    berryeval golden weights --by category --share howto=0.7 --share errors=0.3 --in-place
    """
    from berryeval.formats.queries import iter_log, read_queries, write_weights
    from berryeval.golden.weights import weight_by_shares, weight_by_traffic
    from berryeval.reports.golden import shares_table, weights_table, weights_to_json
    from berryeval.reports.terminal import show_tables

    if in_place and output is not None:
        raise click.UsageError("Choose either --output or --in-place.")
    if as_json and output == "-":
        raise click.UsageError("Choose either --json or --output -.")
    given = _shares(shares)
    if (log is None) == (label is None) or (label is None) != (not given):
        raise click.UsageError("Give LOG, or --by LABEL with one --share VALUE=SHARE per value.")
    known = read_queries(queries)
    target = queries if in_place else output
    found: ShareWeights | TrafficWeights
    if label is not None:
        found = weight_by_shares(known, label, given)
        table, strata = shares_table(found, target), found.strata
    else:
        assert log is not None
        found = weight_by_traffic(known, iter_log(log))
        table, strata = weights_table(found, target), None
    if target is not None:
        write_weights(queries, found.weights, output, strata=strata)
    if as_json:
        click.echo(weights_to_json(found, target), nl=False)
    elif target != "-":  # standard output has the queries
        show_tables([table])


def _shares(texts: tuple[str, ...]) -> dict[str, float]:
    found: dict[str, float] = {}
    for text in texts:
        value, _, share = text.rpartition("=")
        if value in found:
            raise click.UsageError(f"--share names {value!r} twice.")
        try:
            found[value] = float(share.removesuffix("%"))
        except ValueError:
            value = ""
        if not value:
            raise click.UsageError(f"--share takes VALUE=SHARE, not {text!r}.")
    return found
