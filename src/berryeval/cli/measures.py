"""``berryeval measures``, also called ``metrics``."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, repeat

import click

from berryeval.measures import Measure, all_measures, find_measure
from berryeval.measures.describing import describe_parameters
from berryeval.measures.guidance import (
    ADVICE,
    FIRST_QUESTION,
    RECOMMENDATIONS,
    Choice,
    Question,
    Recommendation,
)
from berryeval.measures.run_measures import RUN_MEASURES, RunMeasure, find_run_measure
from berryeval.measures.without_bounds import why_no_bounds
from berryeval.reports.layout import Section, json_text
from berryeval.reports.terminal import show_sections

__all__ = ["command"]

JSON_VERSION = 1


@click.command("measures")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option(
    "--for",
    "use",
    type=click.Choice(list(RECOMMENDATIONS), case_sensitive=False),
    help="Recommend measures for a use case.",
)
@click.option("--choose", is_flag=True, help="Find a measure by answering questions.")
@click.option(
    "--json", "as_json", is_flag=True, help="Print JSON, with all parameters and their defaults."
)
def command(names: tuple[str, ...], use: str | None, choose: bool, as_json: bool) -> None:
    """Explain the measures and when to use them.

    Shows definitions, parameters, when to use or avoid a measure, edge cases, and whether
    comparisons report bounds over the grades of unjudged documents. With NAME, explains only that
    measure. Measures that have no value per query, such as those of a whole run, come
    last. `berryeval metrics` is the same command.

    \b
    berryeval measures
    berryeval measures nDCG MRR
    berryeval measures --for rag
    berryeval measures --choose
    """
    if sum([bool(names), use is not None, choose]) > 1:
        raise click.UsageError("Choose one of NAME, --for and --choose.")
    if use is not None:
        _recommend(RECOMMENDATIONS[use], as_json=as_json)
    elif choose:
        if as_json:
            raise click.UsageError("--choose is interactive and has no JSON output.")
        _choose()
    else:
        # Without the cutoff, so that the printed names are accepted; each measure once.
        plain = [name.partition("@")[0] for name in names]
        found = dict.fromkeys(find_run_measure(name) or find_measure(name) for name in plain)
        _explain([*found] or [*all_measures(), *RUN_MEASURES], as_json=as_json)


def _explain(chosen: Sequence[type[Measure] | RunMeasure], *, as_json: bool) -> None:
    of_queries = [measure for measure in chosen if not isinstance(measure, RunMeasure)]
    of_runs = [measure for measure in chosen if isinstance(measure, RunMeasure)]
    if as_json:
        found: dict[str, object] = {"measures": [*map(_to_json, of_queries)]}
        _print_json("measures", found | {"run_measures": [*map(_run_measure_to_json, of_runs)]})
    else:
        show_sections([*map(_to_section, of_queries), *map(_run_measure_to_section, of_runs)])


def _recommend(recommendation: Recommendation, *, as_json: bool) -> None:
    first = [str(measure) for measure in recommendation.first]
    then = [str(measure) for measure in recommendation.then]
    if as_json:
        found: dict[str, object] = {"use": recommendation.use, "first": first, "then": then}
        found |= {"why": recommendation.why, "advice": ADVICE}
        _print_json("recommendation", found)
        return
    entries = [
        ("Report", _with_titles(recommendation.first)),
        ("Then", _with_titles(recommendation.then)),
        ("Why", recommendation.why),
    ]
    chosen = [type(measure) for measure in (*recommendation.first, *recommendation.then)]
    show_sections(
        [
            Section(recommendation.use, tuple(entries)),
            Section("Whatever you choose", tuple(("-", advice) for advice in ADVICE)),
            *map(_to_section, chosen),
        ]
    )


def _print_json(kind: str, content: dict[str, object]) -> None:
    click.echo(json_text({"version": JSON_VERSION, "kind": kind, **content}), nl=False)


def _with_titles(measures: Iterable[Measure]) -> str:
    return " and ".join(f"{measure} ({measure.title.lower()})" for measure in measures)


def _choose() -> None:
    step: Question | Choice = FIRST_QUESTION
    while isinstance(step, Question):
        step = step.yes if click.confirm(step.text) else step.no
    click.echo(f"\nReport {_with_titles([step.measure])}.")
    if step.also is not None:
        click.echo(f"Consider {_with_titles([step.also])} as well. {step.why_also}")
    click.echo()
    chosen = [step.measure] if step.also is None else [step.measure, step.also]
    show_sections(_to_section(type(measure)) for measure in chosen)


def _to_section(measure: type[Measure]) -> Section:
    heading = measure.name if measure.name == measure.title else f"{measure.name}: {measure.title}"
    parameters = describe_parameters(measure)
    return Section(
        heading,
        (
            ("Definition", measure.definition),
            ("Use when", measure.use_when),
            ("Avoid when", measure.avoid_when),
            *_list("Edge cases", measure.edge_cases),
            *_list("Parameters", (f"{name}: {text}" for name, text in parameters)),
            ("Holes", _holes(measure)),
            ("In Python", ", ".join(measure.functions) or f"berryeval.measures.{measure.__name__}"),
        ),
    )


def _list(label: str, texts: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Return entries of which the first has the label."""
    return zip(chain([label], repeat("")), texts)  # noqa: B905 - labels never end


def _holes(measure: type[Measure]) -> str:
    reason = why_no_bounds(measure)
    if reason is None:
        return "Comparisons report bounds over all grades of unjudged documents."
    return f"No bounds over the grades of unjudged documents: {reason}."


def _run_measure_to_section(measure: RunMeasure) -> Section:
    return Section(
        f"{measure.name}: {measure.title}",
        (
            ("Applies to", f"{measure.scope}; `evaluate` and `-m` do not accept it"),
            ("Definition", measure.definition),
            ("Use when", measure.use_when),
            ("Avoid when", measure.avoid_when),
            *([("Command", measure.command)] if measure.command else []),
            ("In Python", measure.function),
        ),
    )


def _run_measure_to_json(measure: RunMeasure) -> dict[str, object]:
    return {
        "name": measure.name,
        "title": measure.title,
        "aliases": measure.aliases,
        "of": measure.scope,
        "parameters": measure.parameters(),
        "definition": measure.definition,
        "use_when": measure.use_when,
        "avoid_when": measure.avoid_when,
        "command": measure.command,
        "functions": [measure.function],
    }


def _to_json(measure: type[Measure]) -> dict[str, object]:
    return {
        "name": measure.name,
        "title": measure.title,
        "aliases": measure.aliases,
        "parameters": measure.defaults(),
        "at": measure.at,
        "bounds": [bound if math.isfinite(bound) else None for bound in measure.bounds],
        "higher_is_better": measure.higher_is_better,
        "aggregate": measure.aggregate,
        "definition": measure.definition,
        "use_when": measure.use_when,
        "avoid_when": measure.avoid_when,
        "edge_cases": measure.edge_cases,
        "no_hole_bounds_because": why_no_bounds(measure),
        "functions": measure.functions,
    }
