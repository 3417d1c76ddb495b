"""``berryeval judge``: judge a pool, check a judge, and export its grades."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from berryeval.cli import SYSTEM_FAILED
from berryeval.cli._judge_files import draw, export, show, upload
from berryeval.cli._judges import BUDGET_SPENT, JudgeCalls, judge_options
from berryeval.cli._options import measures_option, named_runs
from berryeval.cli._output import output_options, write_output, write_tables
from berryeval.cli._systems import progress_bar

if TYPE_CHECKING:
    from berryeval.core.run import Run
    from berryeval.golden.golden_set import GoldenSet
    from berryeval.judges.collecting import Collected
    from berryeval.suite.judging import Plan

__all__ = ["command"]

FORMATS = ("table", "json", "markdown")
NOT_ADMITTED = 1
"""Exit code of a judge that was checked and not admitted."""
_SHOWN = 3

_golden_option = click.option(
    "--golden", metavar="FOLDER", help="Golden set; grades are stored in it.  [required]"
)
_judge_option = click.option(
    "--judge",
    "judge_name",
    metavar="JUDGE",
    help="openai:MODEL, openai:MODEL@http://host/v1, module:function, command:PROGRAM, or a file "
    "of grades.  [required]",
)
_runs_option = click.option(
    "--run",
    "runs",
    multiple=True,
    metavar="RUN",
    help="Run whose documents are judged, as FILE or NAME=FILE. Repeatable.",
)
_dry_run_option = click.option(
    "--dry-run", is_flag=True, help="Show the number of calls, tokens and the cost; send nothing."
)
_depth_option = click.option(
    "-k",
    type=click.IntRange(min=1),
    default=10,
    show_default=True,
    help="Number of ranks of each run to consider.",
)


@click.group("judge", invoke_without_command=True)
@_golden_option
@_judge_option
@click.option(
    "--pool",
    type=click.Choice(["holes", "deciding", "sample", "all"]),
    default="holes",
    show_default=True,
    help="Pairs to judge: unjudged documents of the runs; those that could change the difference "
    "from --against; a random sample of the first K of the runs, judged or not; or all of them.",
)
@_runs_option
@click.option("--against", metavar="RUN", help="Baseline run for --pool deciding.")
@measures_option("nDCG@K", "Measure by which documents are decisive")
@_depth_option
@click.option(
    "-n",
    "--limit",
    type=click.IntRange(min=1),
    metavar="N",
    help="Maximum number of pairs; the size of --pool sample.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Random seed for the sample.")
@click.option(
    "--repeats",
    type=click.IntRange(min=0),
    default=5,
    show_default=True,
    help="Number of judged pairs to judge again, to detect a judge that has changed.",
)
@_dry_run_option
@judge_options
@output_options(FORMATS)
@click.pass_context
def command(
    context: click.Context,
    /,
    golden: str | None,
    judge_name: str | None,
    pool: Any,  # noqa: ANN401 - one of the choices
    runs: tuple[str, ...],
    against: str | None,
    measures: tuple[str, ...],
    k: int,
    limit: int | None,
    seed: int,
    repeats: int,
    dry_run: bool,
    calls: JudgeCalls,
    output: str | None,
    output_format: str,
) -> None:
    """Let a model, a function, a command or a file judge pairs.

    Grades are stored in model-grades.jsonl in the folder of the golden set, with the model, the
    settings, and hashes of the prompt, the guideline and the texts. They are never mixed with the
    judgments of people, and count only if `berryeval judge check` admitted the judge.

    No pair is sent twice: after Ctrl-C, a failure or a spent budget, repeat the command to
    continue. Exit code 4 if pairs failed, and 6 if the budget is used up.

    \b
    berryeval judge --golden golden/ --judge openai:gpt-4.1-mini --run hybrid.run --dry-run
    berryeval judge --golden golden/ --judge openai:qwen3@http://localhost:11434/v1 \\
      --pool deciding --run new.run --against old.run -n 200
    berryeval judge --golden golden/ --judge my_judges:grade --pool all --run a.run --run b.run
    """
    if context.invoked_subcommand is not None:
        given = [one for one, name in (("--golden", golden), ("--judge", judge_name)) if name]
        if given:
            raise click.UsageError(f"Write {given[0]} after {context.invoked_subcommand}.")
        return
    from berryeval.reports import judging as report
    from berryeval.suite.judged_pairs import find_pool
    from berryeval.suite.judging import judge_pool, plan_pool

    opened = _read_golden_set(golden)
    judge = calls.open_judge(_required(judge_name, "--judge"))
    loaded, baseline = _read_runs(runs, against)
    found = find_pool(
        opened, loaded, pool, measures=measures, baseline=baseline, k=k, limit=limit, seed=seed
    )
    if found.n_without_text:
        text = f"Left out, since the golden set does not have their text: {found.n_without_text:,}."
        click.echo(text, err=True)
    plan = plan_pool(opened, judge, found.pairs, repeats=repeats)
    if dry_run:
        _write_plan(plan, calls, output, output_format)
        return
    with _asking("Judging") as progress:
        judged = judge_pool(opened, judge, plan, concurrency=calls.concurrency, progress=progress)
    if output_format == "json":
        write_output(report.judged_to_json(judged, calls.meter, calls.price), output)
    else:
        labels = dict(enumerate(opened.labels or ()))
        tables = report.judged_tables(judged, calls.meter, calls.price, labels)
        write_tables(tables, output, output_format)
    context.exit(report_incomplete(judged.collected))


@command.command("check")
@_golden_option
@_judge_option
@_runs_option
@_depth_option
@click.option(
    "--pairs",
    "n_pairs",
    type=click.IntRange(min=1),
    metavar="N",
    help="Pairs to judge.  [default: as many as --width requires]",
)
@click.option(
    "--width",
    type=click.FloatRange(min=0, min_open=True),
    default=0.2,
    show_default=True,
    help="Desired width of the interval of kappa.",
)
@click.option(
    "--repeats",
    type=click.IntRange(min=0),
    default=20,
    show_default=True,
    help="Pairs to judge twice.",
)
@_dry_run_option
@judge_options
@output_options(FORMATS)
@click.pass_context
def check(
    context: click.Context,
    /,
    golden: str | None,
    judge_name: str | None,
    runs: tuple[str, ...],
    k: int,
    n_pairs: int | None,
    width: float,
    repeats: int,
    dry_run: bool,
    calls: JudgeCalls,
    output: str | None,
    output_format: str,
) -> None:
    """Check a judge against people, and decide whether to admit it.

    Draws a sample of the pairs that people judged, with equal shares of grades and of the systems
    that returned them, lets the judge grade it blind, and reports the agreement, the confusion
    matrix, and biases by system, length, rank and wording, all with intervals. The judge is
    admitted if the lower limit of weighted kappa reaches 0.6, and if for each system the whole
    interval of how much it is favoured lies within 0.1 of the scale; `[admission]` in the golden
    set's berryeval.toml declares other limits. Name the systems to be compared with --run.

    The result is stored in judge-admissions.json in the golden set. Another model, prompt, setting
    or guideline requires a new check. Exit code 0 if the judge is admitted, 1 if not.

    \b
    berryeval judge check --golden golden/ --judge openai:gpt-4.1-mini --run a.run --run b.run
    berryeval judge check --golden golden/ --judge openai:gpt-4.1-mini --dry-run --price 0.40,1.60
    berryeval judge check --golden golden/ --judge my_judges:grade --pairs 300 --json
    """
    from berryeval.reports.judge_check import check_as_dict, check_tables
    from berryeval.reports.layout import json_text
    from berryeval.suite.judge_check import (
        ask_sample,
        draw_sample,
        plan_check,
        rule_of,
        store_check,
    )

    opened = _read_golden_set(golden)
    judge = calls.open_judge(_required(judge_name, "--judge"))
    loaded, _ = _read_runs(runs)
    rule = rule_of(opened)
    sample = draw_sample(opened, loaded, k=k, n=n_pairs, width=width, rule=rule)
    if dry_run:
        plan = plan_check(opened, judge, sample, repeats=repeats)
        _write_plan(plan, calls, output, output_format)
        return
    with _asking("Checking") as progress:
        found = ask_sample(
            opened, judge, sample,
            rule=rule, repeats=repeats, concurrency=calls.concurrency, progress=progress,
        )  # fmt: skip
    shown = check_as_dict(found)
    if output_format == "json":
        write_output(json_text(shown), output)
    elif found.admission is not None:
        write_tables(check_tables(found), output, output_format)
    if calls.cost is not None:
        click.echo(f"Cost: {calls.cost:,.2f}.", err=True)
    if found.admission is None:
        context.exit(report_incomplete(found.collected))
    store_check(opened, found, shown)
    context.exit(0 if shown["admitted"] else NOT_ADMITTED)


@contextmanager
def _asking(label: str) -> Iterator[Callable[[int, int], None]]:
    """Show progress, and after Ctrl-C that nothing is lost."""
    try:
        with progress_bar(label) as progress:
            yield progress
    except KeyboardInterrupt:
        click.echo("All answers so far are stored; repeat the command to continue.", err=True)
        raise


def _write_plan(plan: Plan, calls: JudgeCalls, output: str | None, output_format: str) -> None:
    from berryeval.reports.judging import plan_table, plan_to_json

    if output_format == "json":
        write_output(plan_to_json(plan, calls.price), output)
    else:
        write_tables([plan_table(plan, calls.price)], output, output_format)


def report_incomplete(collected: Collected) -> int:
    """Report failures and a spent budget on standard error, and return the exit code."""
    by_error: dict[str, int] = {}
    for error in collected.failures.values():
        by_error[str(error)] = by_error.get(str(error), 0) + 1
    for text, number in list(by_error.items())[:_SHOWN]:
        click.echo(f"{text} ({_count(number)})", err=True)
    n_left = collected.n_left
    if collected.budget is not None:
        text = f"Stopped: {collected.budget}. Left: {_count(n_left)}"
        click.echo(f"{text}; repeat the command to continue.", err=True)
        return BUDGET_SPENT
    if collected.failures:
        click.echo(f"Left: {_count(n_left)}; repeat the command to retry.", err=True)
        return SYSTEM_FAILED
    return 0


def _count(n_pairs: int) -> str:
    return "1 pair" if n_pairs == 1 else f"{n_pairs:,} pairs"


def _required(value: str | None, option: str) -> str:
    """Return the value of an option. Click cannot require it, since subcommands have it, too."""
    if value is None:
        raise click.UsageError(f"Missing option '{option}'.")
    return value


def _read_golden_set(path: str | None) -> GoldenSet:
    from berryeval.golden.reading import read_golden_set

    return read_golden_set(_required(path, "--golden"))


def _read_runs(
    runs: tuple[str, ...], against: str | None = None
) -> tuple[dict[str, Run], str | None]:
    """Return runs by name, and the name of the baseline."""
    from berryeval.evaluation.sources import load_run

    paths = runs if against is None or against in runs else (against, *runs)
    named = named_runs(paths) if paths else {}
    loaded = {name: load_run(path) for name, path in named.items()}
    return loaded, None if against is None else [*named][paths.index(against)]


command.add_command(draw)
command.add_command(export)
command.add_command(show)
command.add_command(upload)
