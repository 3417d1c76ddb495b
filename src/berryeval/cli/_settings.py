"""Settings from a file, the environment and flags, in this order."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import click

from berryeval.core.inputs import note_input

if TYPE_CHECKING:
    from berryeval.suite.settings import Settings

__all__ = [
    "archive_option",
    "config_option",
    "load_settings",
    "named_options",
    "read_project",
]

Command = TypeVar("Command", bound=Callable[..., Any])

config_option = click.option(
    "--config",
    metavar="FILE",
    envvar="BERRYEVAL_CONFIG",
    help="Settings file.  [default: the nearest berryeval.toml, or pyproject.toml with "
    "[tool.berryeval]]",
)

archive_option = click.option(
    "--archive",
    metavar="FILE|DSN",
    envvar="BERRYEVAL_ARCHIVE",
    help="SQLite file, or postgresql://user@host/database.  [default: berryeval.db]",
)

_NAMED = (
    ("judgments", "BERRYEVAL_JUDGMENTS", "Judgments of the queries."),
    (
        "model_judgments",
        "BERRYEVAL_MODEL_JUDGMENTS",
        "Grades by a model for every query; --judgments are then people's. Requires --label-draw.",
    ),
    (
        "label_draw",
        "BERRYEVAL_LABEL_DRAW",
        "File that records which queries people labelled, and how they were drawn.",
    ),
    ("run", "BERRYEVAL_RUN", "Candidate run."),
    (
        "baseline",
        "BERRYEVAL_BASELINE",
        "Baseline to compare with: a file written by `berryeval baseline save`, or a run.",
    ),
    ("queries", "BERRYEVAL_QUERIES", "Texts and labels of the queries."),
    (
        "timings",
        "BERRYEVAL_TIMINGS",
        "Times of the candidate's queries, for ms@p95 and latency guards: one "
        '{"query_id": "q1", "ms": 12.5} per line, as `berryeval retrieve --timings` writes them.',
    ),
    (
        "baseline_timings",
        "BERRYEVAL_BASELINE_TIMINGS",
        "Times of the baseline's queries, if the baseline is a run.",
    ),
    (
        "lengths",
        "BERRYEVAL_LENGTHS",
        "Length of each document, for measures that need it; see `berryeval evaluate --lengths`.",
    ),
    ("corpus", "BERRYEVAL_CORPUS", "Name or hash of the documents that were searched."),
)

_INPUTS = (
    "judgments",
    "model_judgments",
    "label_draw",
    "queries",
    "run",
    "documents",
    "questions",
    "baseline",
    "timings",
    "baseline_timings",
    "lengths",
)


def named_options(**texts: str) -> Callable[[Command], Command]:
    """Give a command options for what berryeval.toml names, each also a variable.

    `texts` are helps that differ from those of a gate.
    """

    def decorate(command: Command) -> Command:
        for name, variable, usual in reversed(_NAMED):
            metavar = "NAME" if name == "corpus" else "FILE"
            text = texts.get(name, usual)
            flag = f"--{name.replace('_', '-')}"
            command = click.option(flag, metavar=metavar, envvar=variable, help=text)(command)
        return command

    return decorate


def load_settings(config: str | None, named: Mapping[str, str | None]) -> Settings:
    """Read the settings; the environment and flags take precedence."""
    settings = read_project(config)
    given: dict[str, Any] = {name: value for name, value in named.items() if value is not None}
    if "run" in given:
        given["system"] = None  # a run that is named takes precedence
    settings = replace(settings, **given)
    _note_inputs(settings)
    return settings


def read_project(config: str | None) -> Settings:
    """Read the settings of the file alone; the files that it names are not recorded as inputs."""
    from berryeval.suite.settings import find_settings, read_settings

    return find_settings() if config is None else read_settings(config)


def _note_inputs(settings: Settings) -> None:
    """Record every file that is named, including those that this command does not read."""
    single = (getattr(settings, name) for name in _INPUTS)
    several = (*settings.repeats, *settings.baseline_repeats, *settings.other_baselines)
    for path in (*single, *several):
        if path is not None:
            note_input(path)
