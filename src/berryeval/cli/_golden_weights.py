"""``berryeval golden weights``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from berryeval.golden.weights import ShareWeights, TrafficWeights

__all__ = ["weights"]


@click.command("weights")
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
    elif target != "-":  # else the queries are on standard output
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
