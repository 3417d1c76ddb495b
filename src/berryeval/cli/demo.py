"""``berryeval demo``."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import click

from berryeval.cli import SYSTEM_FAILED
from berryeval.cli._output import write_output
from berryeval.cli._systems import golden_option, load_golden_set, progress_bar

if TYPE_CHECKING:
    from berryeval.suite.demo import Demo

__all__ = ["command"]

_RECORDED = "The answers were recorded; pip install 'berryeval[search]' runs the search engines."


@click.command("demo")
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    default="berryeval-demo.html",
    show_default=True,
    help="Report file: a single HTML page.",
)
@golden_option
@click.pass_context
def command(context: click.Context, /, output: str, golden: str | None) -> None:
    """Compare three search systems on a golden set.

    BM25, vector and hybrid search run over the documentation of an invented product, in this
    process and without a network. The documents are indexed with and without questions that they
    answer, and scores are shown for both. The gate decides whether hybrid search can replace
    BM25. Without pip install 'berryeval[search]', the bundled golden set is shown with recorded
    answers of these systems.

    \b
    berryeval demo
    berryeval demo -o report.html --golden golden/
    """
    from berryeval.core.files import format_of_ending
    from berryeval.reports.demo import demo_tables, questions_note
    from berryeval.reports.html import comparison_to_html
    from berryeval.reports.terminal import show_tables
    from berryeval.suite.demo import run_demo

    # The tables show what falls short; warnings would only repeat it.
    logging.getLogger("berryeval").addHandler(logging.NullHandler())
    format_of_ending(
        output, {".htm": "html", ".html": "html"}, "html", choice="none at all", is_strict=True
    )
    known = load_golden_set(golden)
    click.echo(
        f"Three search systems answer {len(known.queries)} queries from {len(known.sources)} "
        "documents.\nThe relevant passages of each query were judged beforehand."
    )
    with progress_bar("Asking") as progress:
        found = run_demo(known, report=lambda text: click.echo(text, err=True), progress=progress)
    notes = [*questions_note(found), *([_RECORDED] if found.is_recorded else [])]
    write_output(comparison_to_html(found.comparison, found.gate, notes=notes), output)
    click.echo()
    show_tables(demo_tables(found))
    click.echo()
    click.echo("\n".join(_what_next(found, output)))
    if any(result.failures for result in found.results.values()):
        context.exit(SYSTEM_FAILED)


def _what_next(found: Demo, output: str) -> list[str]:
    """Print where the report is, and what to try next."""
    folder = found.golden.folder
    return [
        *([_RECORDED, ""] if found.is_recorded else []),
        f"The report shows the rankings of every query side by side; open {output}",
        "",
        "Try next:",
        "  berryeval examples                           the files that the tutorials use",
        "  berryeval serve --demo --open                the workbench, with a month of such runs",
        "  berryeval quality --system my_module:search  your own search, as a Python function",
        "  berryeval golden init docs/                  a golden set of your own documents",
        "  berryeval golden check --system hybrid       whether a golden set can be trusted",
        "  berryeval gate --help                        the same verdict in your build",
        "",
        f"Queries, documents and judgments of this demonstration: {folder}",
    ]
