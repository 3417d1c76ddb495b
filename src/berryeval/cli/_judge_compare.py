"""``berryeval judge draw``, ``berryeval judge compare`` and ``berryeval judge show``."""

from __future__ import annotations

import click

from berryeval.cli._judges import price_of
from berryeval.cli._options import named_runs
from berryeval.cli._output import output_options, write_output, write_tables
from berryeval.core.files import write_whole

__all__ = ["compare", "draw", "show"]

FORMATS = ("table", "json", "markdown")

_golden_option = click.option(
    "--golden", metavar="FOLDER", required=True, help="Golden set with the grades of the judge."
)


@click.command("draw")
@_golden_option
@click.option(
    "-n", "n_queries", type=click.IntRange(min=2), required=True, help="Number of queries."
)
@click.option(
    "-o", "--output", metavar="FILE", default="-", help="File to write; `-` is standard output."
)
def draw(golden: str, n_queries: int, output: str) -> None:
    """Draw queries at random for people to judge completely.

    Writes one query id per line. The golden set alone decides which queries are drawn, and a larger
    N keeps those of a smaller one. People judge everything that the compared runs return for these
    queries; `berryeval judge compare` then corrects the grades of a judge by theirs.

    \b
    berryeval judge draw --golden golden/ -n 50 -o drawn.txt
    """
    from berryeval.golden.reading import read_golden_set
    from berryeval.suite.corrected_comparison import draw_queries

    drawn = draw_queries(read_golden_set(golden), n_queries)
    write_whole(output, [f"{query_id}\n".encode("utf-8", "surrogateescape") for query_id in drawn])


@click.command("compare")
@click.argument("baseline", metavar="BASELINE")
@click.argument("candidate", metavar="CANDIDATE")
@_golden_option
@click.option(
    "--drawn", metavar="FILE", required=True, help="Queries drawn for people, from `judge draw`."
)
@click.option(
    "--judge",
    "judge_name",
    metavar="NAME",
    help="Name of the judge, as in model-grades.jsonl.  [default: the only admitted one]",
)
@click.option(
    "-m",
    "--measure",
    metavar="MEASURE",
    default="nDCG@10",
    show_default=True,
    help="Measure with a cutoff.",
)
@click.option(
    "--level", type=float, default=0.95, show_default=True, help="Confidence level of intervals."
)
@output_options(FORMATS)
def compare(
    baseline: str,
    candidate: str,
    golden: str,
    drawn: str,
    judge_name: str | None,
    measure: str,
    level: float,
    output: str | None,
    output_format: str,
) -> None:
    """Compare two runs by a judge's grades, corrected by people's.

    The judge graded everything that both runs return, for all queries (`berryeval judge --pool
    all`), and people did so for the queries of --drawn. The difference is that of the judge over
    all queries, plus the mean of people minus judge over the drawn ones, so an error of the judge
    makes the interval wider, not wrong. With fewer than ten drawn queries on which people and judge
    differ, people's grades count alone. Refused unless the judge is admitted. Sends nothing.

    \b
    berryeval judge compare old.run new.run --golden golden/ --drawn drawn.txt
    berryeval judge compare old.run new.run --golden golden/ --drawn drawn.txt -m P@5 --json
    """
    from berryeval.evaluation.sources import load_run
    from berryeval.formats.lines import iter_lines
    from berryeval.golden.reading import read_golden_set
    from berryeval.reports.corrected_comparison import corrected_table, corrected_to_json
    from berryeval.suite.corrected_comparison import compare_corrected

    named = named_runs((baseline, candidate))
    ids = [line.strip().decode("utf-8", "surrogateescape") for _, line in iter_lines(drawn)]
    found = compare_corrected(
        read_golden_set(golden),
        {name: load_run(path) for name, path in named.items()},
        measure,
        {one for one in ids if one},
        judge=judge_name,
    )
    if output_format == "json":
        write_output(corrected_to_json(found, level), output)
    else:
        write_tables([corrected_table(found, level)], output, output_format)


@click.command("show")
@_golden_option
@click.option("--price", metavar="IN,OUT", help="Prices per million input and output tokens.")
@output_options(FORMATS)
def show(golden: str, price: str | None, output: str | None, output_format: str) -> None:
    """Show the judges of a golden set, what they did, and whether they count.

    Lists grades, calls and tokens so far, the admission of each judge, and whether its grades
    changed when it was asked again. Sends nothing.

    \b
    berryeval judge show --golden golden/ --price 0.10,0.40
    """
    from berryeval.golden.reading import read_golden_set
    from berryeval.reports.judging import judges_table, judges_to_json
    from berryeval.suite.judge_overview import judges_of

    paid = price_of(price)
    found = judges_of(read_golden_set(golden))
    if output_format == "json":
        write_output(judges_to_json(found, paid), output)
    else:
        write_tables([judges_table(found, paid)], output, output_format)
