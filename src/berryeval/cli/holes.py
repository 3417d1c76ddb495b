"""``berryeval holes``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from berryeval.cli._options import (
    baseline_or_run,
    duplicates_option,
    judges_option,
    measures_option,
    named_runs,
)
from berryeval.cli._output import output_options, write_output
from berryeval.core.files import write_whole

if TYPE_CHECKING:
    from berryeval.formats import Duplicates, Judges

__all__ = ["command"]

FORMATS = ("table", "csv", "json", "jsonl", "trec")

_DEFAULT_K = 10


@click.command("holes")
@click.argument("judgments", metavar="JUDGMENTS")
@click.argument("runs", metavar="RUN...", nargs=-1, required=True)
@measures_option("nDCG@10, or nDCG at the k of -k", "Measure that the documents could change")
@click.option(
    "-k",
    "k",
    type=click.IntRange(min=1),
    metavar="N",
    help="Number of ranks to search for holes.  [default: the deepest cutoff of the measures]",
)
@click.option(
    "--against",
    metavar="BASELINE",
    help="Baseline, or baseline run: rank holes by their effect on the difference from it.",
)
@click.option(
    "--max-grade",
    type=float,
    metavar="G",
    help="Highest grade of the scale.  [default: the highest in JUDGMENTS]",
)
@click.option(
    "-n",
    "--limit",
    type=click.IntRange(min=1),
    default=50,
    show_default=True,
    metavar="N",
    help="Maximum number of documents to list.",
)
@click.option("--all", "show_all", is_flag=True, help="List all of them.")
@click.option("--queries", metavar="FILE", help="Queries file, to list texts and use weights.")
@output_options(FORMATS)
@duplicates_option
@judges_option
def command(
    judgments: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    k: int | None,
    against: str | None,
    max_grade: float | None,
    limit: int,
    show_all: bool,
    queries: str | None,
    output: str | None,
    output_format: str,
    duplicates: Duplicates,
    judges: Judges,
) -> None:
    """List the unjudged documents that matter most.

    Unjudged documents count as not relevant, so a run can look worse than it is. The list shows
    which documents, if judged, could change the results most. As .csv or .jsonl, it has an empty
    grade column; once the grades are filled in, it is a judgments file. As trec, all grades are -1,
    which means in the pool but not judged.

    \b
    berryeval holes qrels.txt bm25.run dense.run
    berryeval holes qrels.txt hybrid.run --against bm25.run -m nDCG@10
    berryeval holes qrels.txt bm25.run --queries queries.jsonl -n 200 -o to_judge.csv
    """
    from berryeval.evaluation.evaluate import read_measures
    from berryeval.evaluation.holes import find_holes, highest_grade
    from berryeval.evaluation.mean_bounds import mean_bounds
    from berryeval.evaluation.slices import load_queries
    from berryeval.evaluation.sources import load_judgments, load_run
    from berryeval.evaluation.weighting import effective_queries
    from berryeval.measures import depth_of
    from berryeval.reports import holes as report
    from berryeval.reports.layout import tables_to_text
    from berryeval.reports.terminal import show_table

    paths = runs if against is None or against in runs else (against, *runs)
    named = named_runs(paths)
    names = [*named]
    baseline = None if against is None else names[paths.index(against)]
    chosen = read_measures(measures or [f"nDCG@{k or _DEFAULT_K}"])
    loaded = load_judgments(judgments, duplicates, judges)
    scale = highest_grade(loaded) if max_grade is None else max_grade
    known = load_queries(queries)
    scored = {name: load_run(baseline_or_run(path), duplicates) for name, path in named.items()}
    listed = report.HoleList(
        holes=find_holes(
            loaded, scored, chosen, baseline=baseline, max_grade=scale, k=k, queries=known
        ),
        n_shown=None if show_all else limit,
        runs=names,
        measures=chosen,
        max_grade=scale,
        n_queries=loaded.n_queries,
        depth=depth_of(chosen) if k is None else k,
        means=mean_bounds(
            loaded, scored, chosen, baseline=baseline, max_grade=scale, queries=known
        ),
        baseline=baseline,
        texts={query_id: query.text for query_id, query in known.items()},
        effective_queries=effective_queries(known, loaded.query_ids),
    )
    if output_format == "table" and output is None:
        show_table(report.holes_table(listed))
        return
    if output_format == "trec":
        write_whole(output or "-", report.holes_to_trec(listed))
        return
    write = {
        "table": lambda found: tables_to_text([report.holes_table(found)]),
        "csv": report.holes_to_csv,
        "json": report.holes_to_json,
        "jsonl": report.holes_to_jsonl,
    }[output_format]
    write_output(write(listed), output)
