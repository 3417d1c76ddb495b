"""``berryeval gate``."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from berryeval.cli._logging import logging_options
from berryeval.cli._output import (
    chosen_format,
    output_options,
    report_format,
    report_option,
    write_output,
)
from berryeval.cli._settings import config_option, load_settings, named_options

if TYPE_CHECKING:
    from berryeval.evaluation.evaluate import MeasureLike
    from berryeval.evaluation.guards import Guard

__all__ = ["command"]

FORMATS = ("table", "csv", "json", "markdown", "latex", "junit", "html")


@click.command("gate", short_help="Decide whether a candidate may ship.")
@config_option
@named_options()
@click.option(
    "--at-least",
    multiple=True,
    metavar="MEASURE=VALUE",
    help="Guard: the mean has to reach it. Repeatable.",
)
@click.option(
    "--margin",
    multiple=True,
    metavar="MEASURE=AMOUNT",
    help="Guard: the largest drop against the baseline that is accepted, as 0.05 or 2%. "
    "Repeatable.",
)
@click.option(
    "--alpha",
    type=float,
    envvar="BERRYEVAL_ALPHA",
    help="How often a verdict may be wrong.  [default: 0.05]",
)
@click.option("--seed", type=int, envvar="BERRYEVAL_SEED", help="Of resampling.  [default: 0]")
@click.option(
    "--inference",
    envvar="BERRYEVAL_INFERENCE",
    type=click.Choice(["population", "set"]),
    help="Whether the queries stand for others, or are all that matters.  [default: population]",
)
@click.option(
    "--inconclusive",
    envvar="BERRYEVAL_INCONCLUSIVE",
    type=click.Choice(["0", "1", "3"]),
    help="The exit code of an inconclusive gate.  [default: 3]",
)
@click.option(
    "--allow-other-corpus",
    is_flag=True,
    help="Compare with a baseline of another corpus.",
)
@click.option(
    "--repeat-run",
    "repeats",
    multiple=True,
    metavar="FILE",
    help="A further run of the same candidate, as `berryeval retrieve --repeat` writes them: its "
    "own noise is counted in. Repeatable.",
)
@click.option(
    "--baseline-repeat",
    "baseline_repeats",
    multiple=True,
    metavar="FILE",
    help="A further run of the baseline's system. Repeatable.",
)
@click.option(
    "--noise",
    multiple=True,
    metavar="MEASURE=SD",
    help="How much a query's difference varies by itself, where that is known. Repeatable.",
)
@report_option
@output_options(FORMATS)
@logging_options()
@click.pass_context
def command(
    context: click.Context,
    /,
    config: str | None,
    at_least: tuple[str, ...],
    margin: tuple[str, ...],
    alpha: float | None,
    seed: int | None,
    inference: str | None,
    inconclusive: str | None,
    allow_other_corpus: bool,
    repeats: tuple[str, ...],
    baseline_repeats: tuple[str, ...],
    noise: tuple[str, ...],
    reports: tuple[str, ...],
    output_format: str | None,
    as_json: bool,
    output: str | None,
    **named: str | None,
) -> None:
    """Decide whether a candidate may ship: pass, fail or inconclusive.

    Judgments, run, baseline and guards come from berryeval.toml, or from flags. Guards on the
    command line replace those of the file. Exit codes: 0 pass, 1 fail, 2 bad input or not
    comparable, 3 inconclusive.

    \b
    berryeval gate
    berryeval gate --judgments qrels.txt --run new.run --baseline main.json \\
        --at-least 'P@5=0.70' --margin 'nDCG@10=0.05'
    berryeval gate --run new.run --repeat-run new.2.run --repeat-run new.3.run
    berryeval gate -o gate.xml
    berryeval gate --report gate.html --report gate.md
    """
    from berryeval.reports import gate as report
    from berryeval.reports.rendering import render_gate
    from berryeval.reports.terminal import show_tables
    from berryeval.suite.gate import run_gate

    settings = load_settings(config, named)
    changed = {"alpha": alpha, "seed": seed, "inference": inference}
    rules = replace(settings.gate, **{k: v for k, v in changed.items() if v is not None})  # type: ignore[arg-type]
    if inconclusive is not None:
        rules = replace(rules, inconclusive=int(inconclusive))
    if allow_other_corpus:
        rules = replace(rules, allow_other_corpus=True)
    if at_least or margin:
        rules = replace(rules, guards=_guards(at_least, margin))
    if noise:
        rules = replace(rules, noise=_noise(noise))
    settings = replace(
        settings,
        gate=rules,
        repeats=repeats or (settings.repeats if named["run"] is None else ()),
        baseline_repeats=baseline_repeats
        or (settings.baseline_repeats if named["baseline"] is None else ()),
    )
    chosen = chosen_format(output_format, as_json, output, FORMATS)
    report_formats = {file: report_format(file, FORMATS) for file in reports}
    result = run_gate(settings)
    for file, format_ in report_formats.items():
        write_output(render_gate(result, format_), file)
    if chosen == "table" and output is None:
        show_tables(report.gate_table(result))
    else:
        write_output(render_gate(result, chosen), output)
    context.exit({"pass": 0, "fail": 1, "inconclusive": settings.gate.inconclusive}[result.verdict])


def _guards(at_least: tuple[str, ...], margin: tuple[str, ...]) -> tuple[Guard, ...]:
    from berryeval.errors import ArgumentError
    from berryeval.evaluation.guards import Margin, MarginGuard, ThresholdGuard
    from berryeval.measures import parse_measure

    found: list[Guard] = []
    for text in at_least:
        name, value = _split(text, "--at-least", "P@5=0.70")
        measure = parse_measure(name)
        try:
            threshold = float(value)
        except ValueError:
            expected = "MEASURE=VALUE such as P@5=0.70"
            raise ArgumentError("--at-least", expected, repr(text)) from None
        found.append(ThresholdGuard(measure, threshold))
    for text in margin:
        name, value = _split(text, "--margin", "nDCG@10=0.05")
        found.append(MarginGuard(parse_measure(name), Margin.parse(value)))
    return tuple(found)


def _noise(noise: tuple[str, ...]) -> dict[MeasureLike, float]:
    from berryeval.errors import ArgumentError

    found: dict[MeasureLike, float] = {}
    for text in noise:
        name, value = _split(text, "--noise", "nDCG@10=0.02")
        try:
            found[name] = float(value)
        except ValueError:
            expected = "MEASURE=SD such as nDCG@10=0.02"
            raise ArgumentError("--noise", expected, repr(text)) from None
    return found


def _split(text: str, option: str, example: str) -> tuple[str, str]:
    from berryeval.errors import ArgumentError

    name, equals, value = text.rpartition("=")
    if not equals or not name:
        raise ArgumentError(option, f"MEASURE=VALUE such as {example}", repr(text))
    return name, value
