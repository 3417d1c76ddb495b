"""Write the generated pages: measures and how to choose one, command line, routes, gate rules.

On the front pages, it writes the times of the last benchmarks.

``make reference`` runs it; a test fails when a page is stale.
"""

from __future__ import annotations

import functools
import json
import math
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import click
from api_pages import api_pages
from expressions_table import expressions_page
from front_figures import DIVERSITY_PAGE, FRONT, diversity_page, front_page
from tools_table import NOTES, TOOLS, WHERE

from berryeval import cli
from berryeval.evaluation.gate_rules import GUARD_VARIABLES, RULES
from berryeval.evaluation.guard_entries import ENTRY, GUARD_EXAMPLES
from berryeval.evaluation.rule_kinds import Rule
from berryeval.fusion import METHODS, NORMS, Method
from berryeval.measures import Measure, all_measures
from berryeval.measures.describing import describe_parameters
from berryeval.measures.guidance import ADVICE, FIRST_QUESTION, RECOMMENDATIONS, Choice, Question
from berryeval.measures.run_measures import RUN_MEASURES
from berryeval.measures.without_bounds import why_no_bounds
from berryeval.service.app import describe

REFERENCE = Path(__file__).parent / "reference"
TEXT_WIDTH = 80
_MEANS = {
    "mean": "Queries are averaged.",
    "sum": "Queries are summed.",
    "geometric": "Queries are averaged by the geometric mean.",
    "percentile": "A percentile over queries is taken, or their mean.",
}
NOTICE = "<!-- Written by `make reference`; edit the code instead. -->"


def measures_page() -> str:
    """Return the page of all measures."""
    lines = [
        "# Measures",
        "",
        NOTICE,
        "",
        "A measure is a metric with a name and parameters: `nDCG@10` is `NDCG(k=10)`.",
        "The same texts are shown by [`berryeval measures`](cli.md#berryeval-measures).",
        "All take `judged_only`. *Bounds for holes* are the lowest and the highest value over all "
        "grades that unjudged documents may have; comparisons report them, except with "
        "`judged_only`.",
        "",
        "| measure | what it is | in short |",
        "|---|---|---|",
        *(
            f"| [`{measure.name}`](#{_anchor(measure)}) | {measure.title} | {measure.definition} |"
            for measure in all_measures()
        ),
        "",
    ]
    for measure in all_measures():
        lines += _measure_section(measure)
    lines += _run_measures_section()
    lines += ["## Which one?", "", "| use | report | then | why |", "|---|---|---|---|"]
    for recommendation in RECOMMENDATIONS.values():
        first = " and ".join(f"`{measure}`" for measure in recommendation.first)
        then = " and ".join(f"`{measure}`" for measure in recommendation.then)
        lines.append(f"| {recommendation.use} | {first} | {then} | {recommendation.why} |")
    lines += ["", *(f"- {advice}" for advice in ADVICE), ""]
    return "\n".join(lines)


def _run_measures_section() -> list[str]:
    return [
        "## Measures of whole runs",
        "",
        "Some measures have no value per query: they describe a run, a session, or several runs "
        "together. `evaluate` and `-m` do not take them.",
        "",
        "| measure | of | what it is | use when | avoid when | where |",
        "|---|---|---|---|---|---|",
        *(
            f"| `{it.name}`: {it.title} | {it.scope} | {it.definition} | {it.use_when} | "
            f"{it.avoid_when} | {f'`{it.command}`, ' if it.command else ''}`{it.function}` |"
            for it in RUN_MEASURES
        ),
        "",
    ]


def _measure_section(measure: type[Measure]) -> list[str]:
    better = "higher" if measure.higher_is_better else "lower"
    functions = measure.functions or (f"berryeval.measures.{measure.__name__}",)
    return [
        f"## {_heading(measure)}",
        "",
        measure.definition,
        "",
        f"- **Use when.** {measure.use_when}",
        f"- **Avoid when.** {measure.avoid_when}",
        "- **Parameters.**",
        *(f"    - `{name}`: {text}" for name, text in describe_parameters(measure)),
        f"- **Bounds.** {_bounds(measure)}; {better} is better. {_MEANS[measure.aggregate]}",
        f"- **Bounds for holes.** {_hole_bounds(measure)}.",
        f"- **Also called.** {', '.join(f'`{alias}`' for alias in measure.aliases)}.",
        "- **Edge cases.**",
        *(f"    - {edge_case}" for edge_case in measure.edge_cases),
        f"- **In Python.** {', '.join(f'`{function}`' for function in functions)}.",
        "",
    ]


def _bounds(measure: type[Measure]) -> str:
    low, high = measure.bounds
    if math.isinf(low):
        return "None"
    return f"{low:g} to {'any number' if math.isinf(high) else f'{high:g}'}"


def _hole_bounds(measure: type[Measure]) -> str:
    reason = why_no_bounds(measure)
    return "Yes" if reason is None else f"None: {reason}"


def _heading(measure: type[Measure]) -> str:
    return measure.name if measure.name == measure.title else f"{measure.name}: {measure.title}"


def _anchor(measure: type[Measure]) -> str:
    kept = (c for c in _heading(measure).lower() if c.isalnum() or c in " -_")
    return "-".join("".join(kept).replace("-", " ").split())


def tools_page() -> str:
    """Return the page of other tools that have our measures."""
    lines = [
        "# Measures in other tools",
        "",
        NOTICE,
        "",
        "This page lists which other tools have each measure, what they call it, and whether its "
        "values agree with ours.",
        "A name without a number in brackets is the same measure, with the same values for every "
        "query.",
        "All these names can be used here, except for those of cwl-eval.",
        "[Conformance](conformance.md) has the measurements behind the first three columns; the "
        "tests in `tests/compat` have those of BEIR.",
        "",
        *(f"- **{tool}**: {compared}." for tool, compared in TOOLS.items()),
        "",
        f"| measure | {' | '.join(TOOLS)} |",
        f"|---|{'---|' * len(TOOLS)}",
    ]
    numbers = {note: number for number, note in enumerate(NOTES, start=1)}
    for measure in all_measures():
        where = WHERE[measure.name]
        cells = [
            f"`{cell.name}`" + (f" [{numbers[cell.note]}]" if cell.note else "")
            if (cell := where.get(tool)) is not None
            else ""
            for tool in TOOLS
        ]
        link = f"[`{measure.name}`](measures.md#{_anchor(measure)})"
        lines.append(f"| {link} | {' | '.join(cells)} |")
    lines += ["", *(f"{numbers[note]}. {text}" for note, text in NOTES.items()), ""]
    return "\n".join(lines)


def cli_page() -> str:
    """Return the page of all commands, as their help shows them."""
    lines = [
        "# Command line",
        "",
        NOTICE,
        "",
        "Every command takes `--help`.",
        "Exit codes are listed under [environment](environment.md#exit-codes).",
        "",
    ]
    context = _context(cli.main, "berryeval")
    lines += _command_section("berryeval", cli.main.get_help(context))
    for name in cli.main.list_commands(context):
        command = cli.main.get_command(context, name)
        assert command is not None
        lines += _command_sections(command, name, context)
    return "\n".join(lines)


def _command_sections(command: click.Command, name: str, parent: click.Context) -> list[str]:
    """Return the section of a command, and those of the commands below it."""
    context = _context(command, name, parent=parent)
    lines = _command_section(context.command_path, command.get_help(context))
    if isinstance(command, click.Group):
        for below, child in sorted(command.commands.items()):
            lines += _command_sections(child, below, context)
    return lines


def _context(
    command: click.Command, name: str, parent: click.Context | None = None
) -> click.Context:
    return command.make_context(
        name, [], parent=parent, resilient_parsing=True, terminal_width=TEXT_WIDTH
    )


def _command_section(name: str, help_text: str) -> list[str]:
    text = "\n".join(line.rstrip() for line in help_text.splitlines())
    return [f"## {name}", "", "```text", text, "```", ""]


def service_page() -> str:
    """Return the page of the service, with its tables of routes written again."""
    return _filled(REFERENCE / "service.md", {"routes": _route_tables(describe())})


def _filled(path: Path, parts: dict[str, list[str]]) -> str:
    """Return a page with its generated parts written again."""
    page = path.read_text(encoding="utf-8")
    for name, lines in parts.items():
        begin = f"<!-- {name}: written by `make reference`; edit the code instead -->"
        end = f"<!-- end of {name} -->"
        before, found, rest = page.partition(begin)
        _, ended, after = rest.partition(end)
        assert found, name
        assert ended, name
        page = "\n".join([before + begin, "", *lines, "", end]) + after
    return page


def _route_tables(description: dict[str, Any]) -> list[str]:
    """Return a table for each tag: method and path, role, and what it does."""
    lines = []
    for tag in description["tags"]:
        rows = [
            f"| `{method.upper()} {path}` | {operation.get('x-role', '')} "
            f"| {operation['description'].partition('.')[0]}. |"
            for path, methods in description["paths"].items()
            for method, operation in methods.items()
            if tag["name"] in operation["tags"]
        ]
        if rows:
            lines += [f"### {tag['name'].capitalize()}", "", tag["description"], ""]
            lines += ["| route | role | what it does |", "|---|---|---|", *rows, ""]
    return lines


def choosing_page() -> str:
    """Return the page about choosing a measure, with its questions written again."""
    return _filled(REFERENCE / CHOOSING, {"questions": _questions()})


def _questions() -> list[str]:
    """Return the questions as a numbered list, each with where its answers lead."""
    asked = _all_questions(FIRST_QUESTION)
    lines = []
    for number, question in enumerate(asked, start=1):
        lines.append(f"{number}. {question.text}")
        for answer, step in (("Yes", question.yes), ("No", question.no)):
            if isinstance(step, Choice):
                lines.append(f"    - {answer}: {_choice(step)}")
            else:
                lines.append(f"    - {answer}: go to {asked.index(step) + 1}.")
    return [*lines, ""]


def _all_questions(step: Question | Choice) -> list[Question]:
    if isinstance(step, Choice):
        return []
    return [step, *_all_questions(step.yes), *_all_questions(step.no)]


def _choice(choice: Choice) -> str:
    shown = f"`{choice.measure}`, {choice.measure.title.lower()}."
    if choice.also is None:
        return shown
    also = f"`{choice.also}`, {choice.also.title.lower()}"
    return f"{shown} Consider {also}, as well. {choice.why_also}"


CHOOSING = "../how-to/choose-a-measure.md"


def _rule_table(rules: Iterable[Rule]) -> list[str]:
    rows = [
        f"| `{rule.name}` | {_default(rule)} | {_typed(rule.help)}{_range(rule)} |"
        for rule in rules
    ]
    return ["| key | default | meaning |", "|---|---|---|", *rows]


def _default(rule: Rule) -> str:
    if rule.default_text:
        return _typed(rule.default_text)
    value = rule.plain(rule.default)
    return f"`{json.dumps(value)}`"


def _range(rule: Rule) -> str:
    """Return the limits of a number, without those that no value reaches."""
    limits = rule.limits
    if "lt" in limits:
        return f" Between {limits['gt']:g} and {limits['lt']:g}."
    if "gt" in limits:
        return f" Above {limits['gt']:g}."
    if "ge" not in limits:
        return ""
    is_open = limits["le"] >= 2**31 - 1
    return f" At least {limits['ge']}." if is_open else f" From {limits['ge']} to {limits['le']:,}."


def _typed(text: str) -> str:
    """Return a text with what stands in quotes, and names of rules, as code."""
    names = "|".join(rule.name for rule in RULES if "_" in rule.name)
    return re.sub(rf'(?<!`)("\w+"|\b(?:{names})\b)', r"`\1`", text)


def settings_page() -> str:
    """Return the page of settings, with the tables of a gate's rules written again."""
    guards = [
        "| key | meaning |",
        "|---|---|",
        *(f"| `{rule.name}` | {rule.help} |" for rule in ENTRY),
    ]
    return _filled(
        REFERENCE / "settings.md",
        {
            "rules of the set": _rule_table(rule for rule in RULES if rule.is_of_set),
            "rules of the gate": _rule_table(rule for rule in RULES if not rule.is_of_set),
            "guards": guards,
        },
    )


def fusion_page() -> str:
    """Return the page of fusion, with its tables written again."""
    methods = [
        "| method | score of d | a run without d | parameters | source |",
        "|---|---|---|---|---|",
        *(
            f"| `{method.name}` {method.title} | {method.formula} | {method.absent} "
            f"| {', '.join(_parameters(method)) or '-'} | {method.reference} |"
            for method in METHODS.values()
        ),
    ]
    norms = [
        "| normalisation | score of d | if all scores are equal | source |",
        "|---|---|---|---|",
        *(
            f"| `{norm.name}` {norm.title} | {norm.formula} | {norm.equal} | {norm.reference} |"
            for norm in NORMS.values()
        ),
    ]
    return _filled(REFERENCE / "fusion.md", {"methods": methods, "normalisations": norms})


def _parameters(method: Method) -> Iterator[str]:
    if method.is_weighted:
        yield "weights"
    if method.is_trained:
        yield "judgments"
    for name, parameter in method.parameters.items():
        yield f"`{name}` = {parameter.default:g}"


def environment_page() -> str:
    """Return the page of the environment, with the variables of a gate's rules written again."""
    guards = [
        f"| `{variable}` | `{flag}` of guards, which replace the others | "
        f"`{GUARD_EXAMPLES[flag]}`; separate several with spaces |"
        for flag, variable in GUARD_VARIABLES.items()
    ]
    rows = [
        f"| `{rule.variable}` | `{rule.name}` | `{rule.example or rule.text(_sample(rule))}` |"
        for rule in RULES
    ]
    table = ["| variable | rule | such as |", "|---|---|---|", *rows, *guards]
    return _filled(REFERENCE / "environment.md", {"variables": table})


def _sample(rule: Rule) -> object:
    """Return a value for an example: the last choice, or one that is in range."""
    if rule.annotation is bool:
        return True
    if rule.words:
        return [*rule.words][-1]
    return 3 if rule.default is None else rule.default


PAGES: dict[str, Callable[[], str]] = {
    "measures.md": measures_page,
    "tools.md": tools_page,
    "expressions.md": lambda: expressions_page(NOTICE),
    "cli.md": cli_page,
    "service.md": service_page,
    CHOOSING: choosing_page,
    "settings.md": settings_page,
    "environment.md": environment_page,
    "fusion.md": fusion_page,
    **{name: functools.partial(front_page, name) for name in FRONT},
    DIVERSITY_PAGE: diversity_page,
}


def all_pages() -> dict[str, str]:
    """Return every generated page by its path below the reference."""
    return {**{name: page() for name, page in PAGES.items()}, **api_pages(NOTICE)}


def main() -> None:
    """Write every page."""
    for name, text in all_pages().items():
        path = REFERENCE / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        print(f"wrote {path.resolve().relative_to(REFERENCE.parents[1])}")


if __name__ == "__main__":
    main()
