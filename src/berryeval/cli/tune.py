"""``berryeval tune``."""

from __future__ import annotations

from typing import Any

import click

from berryeval.cli._options import judged_only_option
from berryeval.cli._output import check_outputs, output_options, write_output
from berryeval.cli._systems import (
    address_for,
    chunks_option,
    golden_option,
    load_golden_set,
    named_settings,
    no_questions_option,
    one_system,
    parts_options,
    progress_bar,
    system_options,
)

__all__ = ["command"]

FORMATS = ("table", "csv", "html", "json", "markdown")


@click.command("tune")
@click.argument("place", metavar="", required=False)
@click.option("--system", metavar="SYSTEM", help="hybrid, or postgres with --dsn.")
@golden_option
@parts_options
@chunks_option
@system_options
@click.option(
    "-m",
    "--measure",
    default="nDCG@10",
    show_default=True,
    help="Measure to improve.",
)
@click.option(
    "--folds",
    "n_folds",
    type=int,
    default=5,
    show_default=True,
    help="Number of folds to divide the queries into.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Random seed for the folds.")
@no_questions_option
@judged_only_option
@output_options(FORMATS)
def command(
    place: str | None,
    system: str | None,
    golden: str | None,
    dsn: str | None,
    settings: tuple[str, ...],
    measure: str,
    n_folds: int,
    seed: int,
    no_questions: bool,
    judged_only: bool,
    output: str | None,
    output_format: str,
    **parts: Any,  # noqa: ANN401 - as load_golden_set takes them
) -> None:
    """Propose settings for hybrid search, by cross-validation.

    SYSTEM is hybrid, or postgres with --dsn. Indexes the documents of a golden set, which is given
    as in `berryeval quality`, and searches with about thirty settings: weights of words, vectors
    and tokens, with and without feedback. For each fold of the queries, the best settings of the
    other folds are scored on it.

    The report shows the mean on held-out folds next to the optimistic one on training folds, and
    states whether it clearly beats the current settings and words alone. The last line gives the
    settings to use. Features turned off with -s late=0 or -s feedback=0 are not tried. Query
    weights are used, and a group is never split across folds.

    \b
    berryeval tune --system hybrid --golden golden/
    berryeval tune --system hybrid --golden scifact/ -m R@10 -o settings.json
    berryeval tune --system hybrid --golden golden/ -o tuning.html
    berryeval tune --system postgres --dsn postgresql://localhost/search --golden golden/
    """
    from berryeval.evaluation.evaluate import read_measure
    from berryeval.reports.hybrid_tuning import (
        hybrid_tuning_sentences,
        hybrid_tuning_tables,
        render_hybrid_tuning,
        use_line,
    )
    from berryeval.reports.terminal import show_tables
    from berryeval.search.opening import open_system
    from berryeval.suite.quality import TABLE
    from berryeval.suite.tuning import tune_hybrid

    system = one_system(place, system)
    check_outputs([output])
    chosen = read_measure(measure, judged_only=judged_only)
    known = load_golden_set(golden, **parts)
    opened = open_system(
        system, named_settings(settings), dsn=address_for(system, dsn), table=TABLE
    )
    with opened, progress_bar(system) as progress:
        tuning = tune_hybrid(
            opened,
            known,
            chosen,
            n_folds=n_folds,
            seed=seed,
            questions=not no_questions,
            progress=progress,
        )
    if output_format == "table" and output is None:
        click.echo("\n".join(hybrid_tuning_sentences(tuning)) + "\n")
        show_tables(hybrid_tuning_tables(tuning))
        click.echo(f"\n{use_line(tuning)}")
    elif output_format == "html":
        from berryeval.reports.html.tuning_page import hybrid_tuning_to_html

        write_output(hybrid_tuning_to_html(tuning), output)
    else:
        write_output(render_hybrid_tuning(tuning, output_format), output)
