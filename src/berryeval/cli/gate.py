"""``berryeval gate``."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import click

from berryeval.cli._gate_command import gate_command
from berryeval.cli._help import GroupedCommand
from berryeval.cli._logging import logging_options
from berryeval.cli._options import former_option
from berryeval.cli._output import (
    check_outputs,
    output_options,
    report_format,
    report_option,
    write_output,
)
from berryeval.cli._settings import config_option, load_settings, named_options
from berryeval.cli._spark import refuse_options, spark_options
from berryeval.errors import ArgumentError
from berryeval.evaluation.gate_rules import RULES
from berryeval.evaluation.guard_entries import ENTRY, GUARD_EXAMPLES
from berryeval.evaluation.rule_kinds import Rule

if TYPE_CHECKING:
    from berryeval.evaluation.verdict import GateResult
    from berryeval.spark.session import Cluster
    from berryeval.suite.settings import Settings

__all__ = ["command"]

FORMATS = ("table", "csv", "json", "markdown", "latex", "junit", "html")


_HEADINGS = {
    "Files": ("--judgments", "--run", "--baseline", "--queries", "--config"),
    "Guards": ("--at-least", "--margin", "--equivalent"),
    "Output": ("--save-run", "--report", "--format", "--json", "--output"),
    "Decision": ("--alpha", "--inference", "--inconclusive", "--smallest-slice"),
    "Unjudged documents": ("--holes", "--judged-only", "--pool-depth", "--max-grade"),
    "Systems and repeated runs": ("--max-failed", "--repeat", "--repeat-of"),
    "Times, lengths and corpus": (
        "--timings", "--baseline-timings", "--lengths", "--corpus", "--allow-other-corpus",
    ),
    "Many looks and releases": (
        "--n-max", "--anchor", "--reserve", "--reserve-salt", "--openings", "--open-reserve",
    ),
    "Model judgments": ("--model-judgments", "--label-draw"),
    "Apache Spark": ("--engine", "--master", "--spark-conf", "--tasks"),
}  # fmt: skip

_PLACEHOLDERS = ("JUDGMENTS", "BASELINE", "RUN")

Command = TypeVar("Command", bound=Callable[..., Any])


def rule_options(command: Command) -> Command:
    """Give a command an option for each rule of a gate; values come as text."""
    for rule in reversed(RULES):
        command = click.option(rule.flag, rule.name, help=_help(rule), **_shape(rule))(command)
    return command


def guard_options(command: Command) -> Command:
    """Give a command an option for each kind of guard; values come as ``MEASURE=VALUE``."""
    for rule in reversed([rule for rule in ENTRY if rule.name in GUARD_EXAMPLES]):
        text = f"Guard, such as {GUARD_EXAMPLES[rule.name]}. {rule.help} Repeatable."
        option = click.option(rule.flag, multiple=True, metavar="MEASURE=VALUE", help=text)
        command = option(command)
    return command


def _help(rule: Rule) -> str:
    return f"{rule.help}  [default: {rule.shown_default}]"


def _shape(rule: Rule) -> dict[str, Any]:
    if rule.annotation is bool:
        return {"is_flag": True, "flag_value": "yes", "default": None, "type": str}
    if rule.words:
        return {"type": click.Choice([str(one) for one in rule.words if one is not None])}
    return {"metavar": {int: "N", str: "NAME"}.get(rule.annotation, "NUMBER")}


@click.command(
    "gate",
    cls=GroupedCommand,
    headings=_HEADINGS,
    short_help="Decide whether a candidate can ship.",
    context_settings={"allow_extra_args": True},
)
@config_option
@named_options()
@guard_options
@rule_options
@click.option(
    "--repeat-of",
    multiple=True,
    metavar="RUN=FILE",
    help="Repeated run of the candidate (run=FILE) or of the baseline's system (baseline=FILE), as "
    "written by `berryeval retrieve --repeat`. Scores are averaged, and the system's own noise is "
    "included. Repeatable.",
)
@former_option("--repeat-run", "repeats", "--repeat-of run=FILE")
@former_option("--baseline-repeat", "baseline_repeats", "--repeat-of baseline=FILE")
@click.option(
    "--open-reserve",
    "opens_reserve",
    is_flag=True,
    help="Open the reserve for a release: report its gain over the anchor, and the drift.",
)
@click.option(
    "--save-run",
    metavar="FILE",
    help="Also write the candidate's run to FILE, such as the answers of a system, for "
    "`berryeval explain` and `berryeval holes`.",
)
@report_option
@output_options(FORMATS)
@logging_options()
@spark_options
@click.pass_context
def command(
    context: click.Context,
    /,
    config: str | None,
    at_least: tuple[str, ...],
    margin: tuple[str, ...],
    equivalent: tuple[str, ...],
    repeat_of: tuple[str, ...],
    repeats: tuple[str, ...],
    baseline_repeats: tuple[str, ...],
    opens_reserve: bool,
    save_run: str | None,
    reports: tuple[str, ...],
    cluster: Cluster | None,
    output: str | None,
    output_format: str,
    **named: Any,  # noqa: ANN401 - files, and rules as texts
) -> None:
    """Decide whether a candidate can ship: pass, fail or inconclusive.

    Judgments, run, baseline and guards come from berryeval.toml or from options. Guards on the
    command line replace those in the file. Exit codes: 0 pass, 1 fail, 2 bad input or not
    comparable, 3 inconclusive, 4 the system under test failed.

    p pass is the p-value of the hypothesis that the drop is the margin or more: up to alpha, such a
    drop is ruled out. p fail is that of the hypothesis that the drop is the margin or less: up to
    alpha, a larger drop is shown. A margin is tested on one side, so the interval is 90% at alpha
    0.05; `berryeval compare` tests both sides, and shows 95%.

    \b
    berryeval gate
    berryeval gate --judgments qrels.txt --run new.run --baseline main.json \\
        --at-least 'P@5=0.70' --margin 'nDCG@10=0.05'
    berryeval gate --run new.run --repeat-of run=new.2.run --repeat-of run=new.3.run
    berryeval gate -o gate.xml
    berryeval gate --report gate.html --report gate.md
    berryeval gate --engine spark --master yarn
    """
    _refuse_arguments(context.args)
    from berryeval.reports import gate as report
    from berryeval.reports.rendering import render_gate
    from berryeval.reports.terminal import show_tables

    texts = {rule.name: named.pop(rule.name) for rule in RULES}
    settings = load_settings(config, named)
    rules = settings.gate.with_environment(os.environ)
    given = {name: text for name, text in texts.items() if text is not None}
    rules = rules.with_texts(given, {rule.name: rule.flag for rule in RULES})
    guards = {"at_least": at_least, "margin": margin, "equivalent": equivalent}
    rules = rules.with_guards(guards, {rule.name: rule.flag for rule in ENTRY})
    of_run, of_baseline = _repeats(repeat_of, settings)
    repeats, baseline_repeats = (*repeats, *of_run), (*baseline_repeats, *of_baseline)
    settings = replace(
        settings,
        gate=rules,
        repeats=repeats or (settings.repeats if named["run"] is None else ()),
        baseline_repeats=baseline_repeats
        or (settings.baseline_repeats if named["baseline"] is None else ()),
        other_baselines=settings.other_baselines if named["baseline"] is None else (),
    )
    report_formats = {file: report_format(file, FORMATS) for file in reports}
    check_outputs([output, settings.history, save_run, *reports])
    result = _decide(settings, cluster, opens_reserve, save_run)
    for file, format_ in report_formats.items():
        write_output(render_gate(result, format_), file)
    if output_format == "table" and output is None:
        show_tables(report.gate_table(result))
    else:
        write_output(render_gate(result, output_format), output)
    context.exit(settings.gate.exit_code(result.verdict))


def _refuse_arguments(given: Sequence[str]) -> None:
    """Reject files given as `berryeval compare` takes them, with the options that take them."""
    if given:
        judgments, baseline, run = (*given, *_PLACEHOLDERS[len(given) :])[:3]
        command = gate_command(judgments, baseline, run, GUARD_EXAMPLES["margin"])
        raise click.UsageError(f"Files are options of a gate, not arguments: {command}")


def _decide(
    settings: Settings, cluster: Cluster | None, opens_reserve: bool, save_run: str | None
) -> GateResult:
    """Run the gate here, or on Spark."""
    if cluster is None:
        from berryeval.suite.gate import run_gate

        return run_gate(settings, opens_reserve=opens_reserve, save_run=save_run)
    from berryeval.spark import gating

    refuse_options(
        {
            "--open-reserve": opens_reserve,
            "--save-run": save_run,
            "--model-judgments": settings.model_judgments,
            "--label-draw": settings.label_draw,
        }
    )
    return gating.run_gate(settings, cluster)


def _repeats(repeat_of: tuple[str, ...], settings: Settings) -> tuple[list[str], list[str]]:
    """Return the repeated runs of the candidate, and those of the baseline's system."""
    found: tuple[list[str], list[str]] = [], []
    for text in repeat_of:
        name, equals, file = text.partition("=")
        names = ("run", settings.run), ("baseline", settings.baseline)
        repeated = [several for of, several in zip(names, found, strict=True) if name in of]
        if not equals or not file or not repeated:
            raise ArgumentError("--repeat-of", "run=FILE or baseline=FILE", repr(text))
        repeated[0].append(file)
    return found
