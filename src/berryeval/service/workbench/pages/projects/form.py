"""The form that starts a project: its fields, and the plan they describe."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from starlette.datastructures import FormData

from berryeval.archive import Archive
from berryeval.archive.projects.records import (
    SELECTIONS,
    ProjectPlan,
    SelectionKind,
)
from berryeval.errors import ArgumentError
from berryeval.service.judging_projects import plan_pairs
from berryeval.service.paths import name_from

__all__ = ["KINDS", "ProjectForm", "plan_of_form", "read_form"]

KINDS: dict[SelectionKind, tuple[str, str]] = {
    "holes": ("Unjudged documents", "Those in the top ranks of the runs without a grade"),
    "deciding": (
        "Deciding documents",
        "Unjudged ones that could change the difference between a run and its baseline",
    ),
    "depth": ("Everything in the top ranks", "Judged documents as well; existing grades count"),
    "sample": ("A random sample", "Drawn from the top ranks of the runs, or from all judgments"),
}
"""The title and the explanation of each selection."""

_LONGEST = 50_000


@dataclass(frozen=True)
class ProjectForm:
    """The fields of the form, as they were entered."""

    name: str = ""
    kind: str = "holes"
    runs: tuple[str, ...] = ()
    baseline: str = ""
    verdict: str = ""
    depth: str = "10"
    limit: str = ""
    seed: str = "0"
    measure: str = "nDCG@10"
    n_opinions: str = "1"
    judges: tuple[str, ...] = ()
    shows_grades: bool = False
    shows_systems: bool = False
    guideline: str = ""
    wrong: dict[str, str] = field(default_factory=dict)
    """Messages by field."""


def read_form(form: FormData) -> ProjectForm:
    """Return the fields of a form."""
    texts = ("name", "kind", "baseline", "verdict", "depth", "limit", "seed", "measure",
             "n_opinions", "guideline")  # fmt: skip
    values: dict[str, Any] = {
        name: str(form[name]).strip()[:_LONGEST] for name in texts if name in form
    }
    values["name"] = name_from(values.get("name", ""))
    return ProjectForm(
        **values,
        runs=tuple(str(one) for one in form.getlist("runs")),
        judges=tuple(str(one) for one in form.getlist("judges")),
        shows_grades="shows_grades" in form,
        shows_systems="shows_systems" in form,
    )


def plan_of_form(archive: Archive, form: ProjectForm) -> ProjectPlan:
    """Return the plan that a form describes.

    Raises
    ------
    ArgumentError
        With the name of the field as the argument.
    NotFoundError
        If a run or a verdict does not exist.
    """
    if not form.name:
        raise ArgumentError("name", "a name with a letter or a digit", "none")
    kind: SelectionKind = next((one for one in SELECTIONS if one == form.kind), "holes")
    is_deciding = kind == "deciding"
    verdict = _number(form.verdict, "verdict") if is_deciding else None
    pairs = plan_pairs(
        archive,
        kind=kind,
        runs=form.runs,
        baseline=(form.baseline or None) if is_deciding and verdict is None else None,
        verdict=verdict,
        depth=_number(form.depth, "depth") or 10,
        measure=form.measure,
        limit=_number(form.limit, "limit"),
        seed=_number(form.seed, "seed") or 0,
    )
    return ProjectPlan(
        pairs,
        _number(form.n_opinions, "n_opinions") or 1,
        form.judges or None,
        shows_grades=form.shows_grades,
        shows_systems=form.shows_systems,
        guideline=form.guideline or None,
    )


def _number(text: str, name: str) -> int | None:
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and len(text) <= 15):  # noqa: PLR2004
        raise ArgumentError(name, "a whole number", repr(text[:40]))
    return int(text)
