"""Write the generated pages: measures and how to choose one, command line, routes.

``make reference`` runs it; a test fails when a page is stale.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import click

from berryeval import cli
from berryeval.measures import Measure, all_measures
from berryeval.measures.guidance import ADVICE, FIRST_QUESTION, RECOMMENDATIONS, Choice, Question
from berryeval.service.app import describe

REFERENCE = Path(__file__).parent / "reference"
TEXT_WIDTH = 80
_MEANS = {
    "mean": "Queries are averaged.",
    "sum": "Queries are summed.",
    "geometric": "Queries are averaged by the geometric mean.",
}
ROUTES = (
    "<!-- routes: written by `make reference`; edit the code instead -->",
    "<!-- end of routes -->",
)
QUESTIONS = (
    "<!-- questions: written by `make reference`; edit the code instead -->",
    "<!-- end of questions -->",
)
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
    lines += ["## Which one?", "", "| use | report | then | why |", "|---|---|---|---|"]
    for recommendation in RECOMMENDATIONS.values():
        first = " and ".join(f"`{measure}`" for measure in recommendation.first)
        then = " and ".join(f"`{measure}`" for measure in recommendation.then)
        lines.append(f"| {recommendation.use} | {first} | {then} | {recommendation.why} |")
    lines += ["", *(f"- {advice}" for advice in ADVICE), ""]
    return "\n".join(lines)


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
        f"- **Bounds.** {_bounds(measure)}; {better} is better. {_MEANS[measure.aggregate]}",
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


def _heading(measure: type[Measure]) -> str:
    return measure.name if measure.name == measure.title else f"{measure.name}: {measure.title}"


def _anchor(measure: type[Measure]) -> str:
    kept = (c for c in _heading(measure).lower() if c.isalnum() or c in " -")
    return "".join(kept).replace(" ", "-")


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
    return _with_part(REFERENCE / "service.md", ROUTES, _route_tables(describe()))


def _with_part(path: Path, marks: tuple[str, str], lines: list[str]) -> str:
    """Return a page with other lines between two marks."""
    before, _, rest = path.read_text(encoding="utf-8").partition(marks[0])
    _, _, after = rest.partition(marks[1])
    return "\n".join([before + marks[0], "", *lines, marks[1]]) + after


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
    return _with_part(REFERENCE / CHOOSING, QUESTIONS, _questions())


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
PAGES = {
    "measures.md": measures_page,
    "cli.md": cli_page,
    "service.md": service_page,
    CHOOSING: choosing_page,
}


def main() -> None:
    """Write every page."""
    for name, page in PAGES.items():
        path = REFERENCE / name
        path.write_text(page(), encoding="utf-8")
        print(f"wrote {path.resolve().relative_to(REFERENCE.parents[1])}")


if __name__ == "__main__":
    main()
