"""``berryeval quality``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from berryeval.cli import SYSTEM_FAILED
from berryeval.cli._logging import logging_options
from berryeval.cli._options import judged_only_option, time_option
from berryeval.cli._output import (
    check_outputs,
    output_options,
    report_format,
    report_option,
    write_output,
)
from berryeval.cli._settings import config_option, load_settings
from berryeval.cli._systems import (
    address_for,
    chunks_option,
    golden_option,
    limits_of,
    limits_options,
    load_golden_set,
    named_settings,
    no_questions_option,
    parts_options,
    progress_bar,
    system_options,
)

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from berryeval.evaluation.evaluate import MeasureLike
    from berryeval.golden.golden_set import GoldenSet

__all__ = ["command"]

FORMATS = ("table", "csv", "json", "markdown", "junit", "html")
BELOW = 1


@click.command("quality")
@click.option(
    "--system",
    "name",
    metavar="SYSTEM",
    help="bm25, vector or hybrid; with --dsn, postgres (hybrid), postgres-bm25, postgres-text or "
    "postgres-vector; or any system that `berryeval retrieve` accepts.  [default: that of the "
    "settings file, or hybrid]",
)
@golden_option
@parts_options
@chunks_option
@system_options
@click.option(
    "--at-least",
    multiple=True,
    metavar="MEASURE=VALUE",
    help="Threshold that replaces those of the suite. Repeatable.  [default: MRR=0.70, P@5=0.70, "
    "R@10=0.75, as far as the judgments allow them]",
)
@click.option(
    "--max-failed",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="Number of queries that may fail; if more fail, the exit code is 4.",
)
@no_questions_option
@limits_options
@click.option(
    "--repeat",
    metavar="N",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="Repeat every query N times, to measure how much scores vary between repeats.",
)
@judged_only_option
@report_option
@click.option("--history", metavar="FILE", help="Also append the means to this history.")
@time_option
@config_option
@output_options(FORMATS)
@logging_options()
@click.pass_context
def command(
    context: click.Context,
    /,
    name: str | None,
    golden: str | None,
    dsn: str | None,
    settings: tuple[str, ...],
    at_least: tuple[str, ...],
    max_failed: int,
    no_questions: bool,
    concurrency: int,
    timeout: float,
    repeat: int,
    judged_only: bool,
    reports: tuple[str, ...],
    history: str | None,
    time: datetime | None,
    config: str | None,
    output: str | None,
    output_format: str,
    **parts: Any,  # noqa: ANN401 - as load_golden_set takes them
) -> None:
    """Measure the quality of a search system on a golden set.

    The golden set is a folder in the layout of BerryEval or BEIR, or its parts are given
    separately. If neither is given, the judgments, queries and documents of the settings file are
    used, or else the bundled set.

    Indexes the documents, retrieves ten hits per query, scores them, and compares the means with
    thresholds. A query that fails scores 0. With --judged-only, the report also shows the means
    without unjudged documents, and thresholds apply to these.

    Exit codes: 0 all thresholds are reached, 1 one is not, 2 bad input or a threshold above the
    best possible mean, 4 the system under test failed.

    \b
    berryeval quality
    berryeval quality --system bm25 --report quality.html --report quality.json
    berryeval quality --system postgres --dsn postgresql://localhost/search
    berryeval quality --system my_search:find --golden golden/ --at-least nDCG@10=0.6
    berryeval quality --golden golden/ --chunks size --at-least nDCG@10=0.60
    berryeval quality --golden scifact/ --at-least nDCG@10=0.6
    berryeval quality --documents docs/ --judgments qrels.txt --at-least RR@10=0.60
    """
    from berryeval.evaluation.ceilings import check_reachable
    from berryeval.reports.quality import quality_tables
    from berryeval.reports.rendering import render_quality
    from berryeval.reports.terminal import show_tables
    from berryeval.suite.candidates import open_project_system
    from berryeval.suite.quality import TABLE, THRESHOLDS, run_quality, thresholds_of

    report_formats = {file: report_format(file, FORMATS) for file in reports}
    if time is not None and history is None:
        raise click.UsageError("--time requires --history FILE.")
    check_outputs([output, history, *reports])
    project = load_settings(config, {})
    own = ("documents", "queries", "judgments")
    is_named = golden or any(parts[name] for name in own)
    if not is_named and project.queries is not None and project.judgments is not None:
        parts |= {name: getattr(project, name) for name in own}
    known = load_golden_set(golden, **parts)
    thresholds = _thresholds(at_least) or _reachable(THRESHOLDS, known)
    way_out = "choose others with --at-least, or judge more documents"
    guards = thresholds_of(known, thresholds, judged_only=judged_only)
    check_reachable(known.judgments, guards, queries=known.queries, way_out=way_out)
    name = name or project.system or "hybrid"
    opened = open_project_system(
        project,
        known.queries,
        place=name,
        own_settings=named_settings(settings),
        dsn=address_for(name, dsn),
        documents_table=TABLE,
    )
    with opened, progress_bar(name) as progress:
        result = run_quality(
            opened,
            known,
            thresholds=thresholds,
            limits=limits_of(concurrency, timeout, max_failed),
            repeat=repeat,
            questions=not no_questions,
            judged_only=judged_only,
            progress=progress,
        )
    for file, format_ in report_formats.items():
        write_output(render_quality(result, format_), file)
    if output_format == "table" and output is None:
        show_tables(quality_tables(result))
    else:
        write_output(render_quality(result, output_format), output)
    if history is not None:
        from berryeval.suite.history import append

        decided = result.gate
        append(history, name, decided.evaluation, known.judgments, decided.verdict, time=time)
    if len(result.failures) > max_failed:
        context.exit(SYSTEM_FAILED)
    context.exit(0 if result.gate.verdict == "pass" else BELOW)


def _thresholds(at_least: tuple[str, ...]) -> dict[MeasureLike, float]:
    from berryeval.errors import ArgumentError
    from berryeval.measures import parse_measure

    found: dict[MeasureLike, float] = {}
    for text in at_least:
        name, _, value = text.rpartition("=")
        try:
            found[parse_measure(name)] = float(value)
        except ValueError:
            raise ArgumentError(
                "--at-least", "MEASURE=VALUE such as P@5=0.70", repr(text)
            ) from None
    return found


def _reachable(
    thresholds: Mapping[MeasureLike, float], known: GoldenSet
) -> dict[MeasureLike, float]:
    """Return the default thresholds that a set allows, and report the others."""
    found = {}
    for measure, threshold in thresholds.items():
        [best] = known.ceilings([measure]).values() or [threshold]
        if best >= threshold:
            found[measure] = threshold
            continue
        click.echo(
            f"{measure} is not compared with the default threshold {threshold:g}, since the best "
            f"possible mean is {best:.4f} with these judgments; choose thresholds with --at-least.",
            err=True,
        )
    return found
