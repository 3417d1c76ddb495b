"""``berryeval baseline``."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from berryeval.cli._options import judged_only_option
from berryeval.cli._settings import config_option, load_settings, named_options
from berryeval.core.files import refuse_existing
from berryeval.core.inputs import release_input
from berryeval.core.notes import caution_notes
from berryeval.errors import ArgumentError, InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from berryeval.evaluation.baseline import Baseline
    from berryeval.measures import Measure
    from berryeval.suite.settings import Settings

__all__ = ["command"]


@click.group("baseline")
def command() -> None:
    """Save, update and show baselines.

    Candidates are compared with a baseline, a small JSON file to keep in git. It stores document
    ids down to the deepest guarded rank and is scored with the current judgments each time it is
    used.
    """


_named_options = named_options(
    run="Run to save as the baseline.",
    baseline="Baseline file to write (JSON).",
    timings="Times of the run's queries, to be saved with it if ms is guarded.",
)
_measure_option = click.option(
    "-m", "--measure", "measures", multiple=True, metavar="MEASURE",
    help="Measure to compare candidates by; sets the depth of the saved rankings. Repeatable.  "
    "[default: the measures guarded by the gate, else nDCG@10]",
)  # fmt: skip


@command.command("save")
@config_option
@_named_options
@click.option("--name", help="Name of the baseline.  [default: its file name]")
@click.option("--force", is_flag=True, help="Replace an existing file.")
@_measure_option
@judged_only_option
def save(
    config: str | None,
    name: str | None,
    force: bool,
    measures: tuple[str, ...],
    judged_only: bool,
    **named: str | None,
) -> None:
    """Save the run as the baseline.

    \b
    berryeval baseline save
    berryeval baseline save --judgments qrels.txt --run main.run --baseline main.json
    """
    settings = _load_settings(config, named, judged_only)
    path = _path(settings)
    _check_no_run(path)
    if not force:
        refuse_existing(path, "use --force to replace it, or `berryeval baseline update`")
    marked = _marked(path)
    release_input(path)
    baseline = replace(_make(settings, name, _measures(settings, measures)), release=marked)
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)  # noqa: PTH103, PTH120
    baseline.save(path)
    click.echo(f"Saved {path}: {_summary(baseline)}.")
    _echo_small_set(settings, baseline)
    _echo_cautions(baseline)


@command.command("update")
@config_option
@_named_options
@_measure_option
@judged_only_option
def update(
    config: str | None, measures: tuple[str, ...], judged_only: bool, **named: str | None
) -> None:
    """Replace the baseline with the run, and report what changed.

    Keeps the measures of the old baseline and, unless --corpus is given, its corpus name.

    \b
    berryeval baseline update
    """
    from berryeval.evaluation.baseline import Baseline
    from berryeval.evaluation.evaluate import read_measures

    settings = _load_settings(config, named, judged_only)
    path = _path(settings)
    _check_no_run(path)
    before = Baseline.read(path)
    release_input(path)
    settings = replace(settings, corpus=settings.corpus or before.corpus)
    wanted = read_measures((*before.means, *_measures(settings, measures)))
    after = _make(settings, before.name, wanted)
    after = replace(after, release=before.release)
    after.save(path)
    click.echo(f"Updated {path}: {_summary(after)}.")
    _echo_small_set(settings, after)
    for measure, value in after.means.items():
        was = f"{before.means[measure]:.4f}" if measure in before.means else "not kept"
        click.echo(f"{measure}: {was} -> {value:.4f}")
    _echo_cautions(after)


@command.command("release")
@click.argument("name")
@config_option
@click.option("--baseline", metavar="FILE", envvar="BERRYEVAL_BASELINE", help="Baseline file.")
@click.option("--force", is_flag=True, help="Replace an existing release of this name.")
def release(name: str, config: str | None, baseline: str | None, force: bool) -> None:
    """Mark the baseline as the release NAME.

    Saves a copy next to the baseline. `berryeval gate` then also compares candidates with the
    last marked release, because a baseline that is often updated hides many small drops.

    \b
    berryeval baseline release v1.4
    """
    from berryeval.evaluation.baseline import Baseline, release_path

    path = _path(load_settings(config, {"baseline": baseline}))
    current = Baseline.read(path)
    target = release_path(path, name)
    if not force:
        refuse_existing(target, "choose another name, or use --force to replace it")
    release_input(path)
    replace(current, name=name, release=None).save(target)
    replace(current, release=name).save(path)
    click.echo(f"Marked {path} as release {name}: {target}.")


@command.command("show")
@click.argument("file", required=False)
@config_option
def show(file: str | None, config: str | None) -> None:
    """Show what a baseline contains.

    \b
    berryeval baseline show baselines/main.json
    """
    from berryeval.evaluation.baseline import Baseline
    from berryeval.reports.layout import Section
    from berryeval.reports.terminal import show_sections

    path = file or _path(load_settings(config, {}))
    baseline = Baseline.read(path)
    entries = [
        ("Name", baseline.name),
        ("Saved", baseline.created),
        ("Queries", f"{len(baseline.rankings):,}"),
        ("Depth", _depth(baseline)),
        ("Corpus", baseline.corpus or "not set"),
        *([("Release", baseline.release)] if baseline.release else []),
        *((measure, f"{value:.4f} when it was saved") for measure, value in baseline.means.items()),
        *baseline.settings.items(),
    ]
    show_sections([Section(path, tuple(entries))])


def _load_settings(
    config: str | None, named: Mapping[str, str | None], judged_only: bool
) -> Settings:
    """Read the settings, with the rule `judged_only` from the environment or the flag."""
    settings = load_settings(config, named)
    rules = settings.gate.with_environment(os.environ)
    return replace(settings, gate=replace(rules, judged_only=rules.judged_only or judged_only))


def _path(settings: Settings) -> str:
    from berryeval.suite.references import named_file

    return named_file(settings.baseline, "baseline")


def _check_no_run(path: str) -> None:
    """Raise `ArgumentError` for a run, which a baseline would destroy."""
    from berryeval.evaluation.baseline import is_baseline

    if os.path.isfile(path) and os.path.getsize(path) and not is_baseline(path):  # noqa: PTH113, PTH202
        way_out = (
            "`berryeval gate` compares with a run directly; to save a baseline, set "
            'baseline = "baseline.json" in berryeval.toml, or use --baseline'
        )
        raise ArgumentError("baseline", "a baseline file", f"{path!r}, which is not one; {way_out}")


def _marked(path: str) -> str | None:
    """Return the release that a baseline which is replaced has marked."""
    from berryeval.evaluation.baseline import Baseline

    try:
        return Baseline.read(path).release
    except InputError:  # missing, or no longer readable
        return None


def _measures(settings: Settings, named: tuple[str, ...]) -> tuple[Measure, ...]:
    """Return the measures that were named, else those that are guarded, else the default."""
    from berryeval.evaluation.evaluate import read_measures
    from berryeval.suite.gate import guarded_measures

    wanted = named or guarded_measures(settings.gate.guards) or "nDCG@10"
    return read_measures(wanted, judged_only=settings.gate.judged_only)


def _make(settings: Settings, name: str | None, measures: tuple[Measure, ...]) -> Baseline:
    from berryeval.evaluation.baseline import Baseline
    from berryeval.evaluation.model_judgments import combine, evaluate_with_model
    from berryeval.evaluation.slices import load_queries
    from berryeval.evaluation.sources import load_judgments
    from berryeval.suite.candidates import find_candidate
    from berryeval.suite.gate import model_of
    from berryeval.suite.references import named_file

    path = named_file(settings.judgments, "judgments")
    judgments = load_judgments(path, judges=settings.judges, lengths=settings.lengths)
    queries = load_queries(settings.queries)
    model = model_of(settings)
    if model is not None:
        judgments = combine(judgments, *model.load())
    file_name = os.path.basename(_path(settings))  # noqa: PTH119
    run = find_candidate(settings, judgments, queries).run
    if settings.timings is not None:
        from berryeval.formats.timings import read_timings

        run = run.with_timings(read_timings(settings.timings))
    made = Baseline.make(
        name or os.path.splitext(file_name)[0],  # noqa: PTH122
        judgments,
        run,
        measures,
        queries=queries,
        corpus=settings.corpus,
    )
    if model is None:
        return made
    result = evaluate_with_model(judgments, *model.load(), run, measures, queries=queries)
    return replace(made, means=result.to_dict())


def _echo_cautions(baseline: Baseline) -> None:
    for note in caution_notes(baseline.cautions):
        click.echo(str(note), err=True)


def _echo_small_set(settings: Settings, baseline: Baseline) -> None:
    """Report if the queries are too few for a margin of the gate."""
    from berryeval.evaluation.slices import load_queries
    from berryeval.evaluation.small_sets import small_set_note

    queries = load_queries(settings.queries)
    note = small_set_note(settings.gate, baseline.means, baseline.rankings, queries)
    if note is not None and settings.model_judgments is None:
        way_out = 'inference = "set" under [gate], the mean difference on these queries decides'
        click.echo(f"{note} With {way_out}.", err=True)


def _summary(baseline: Baseline) -> str:
    return f"{len(baseline.rankings):,} queries, {_depth(baseline)}"


def _depth(baseline: Baseline) -> str:
    if baseline.depth is None:
        return "all documents"
    return f"up to {baseline.depth} documents per query"
