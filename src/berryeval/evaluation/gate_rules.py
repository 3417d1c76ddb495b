"""The rules of a gate, each declared once.

`GateRules` is the only place where a rule has a name, a type, a default, a check and a
description. The reader and the writer of ``berryeval.toml``, environment variables, flags, the
keyword arguments of `gate`, the HTTP model, the workbench's form and the reference page are made
from it: a new rule is a new field here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

from berryeval.core.grade import MAX_GRADE
from berryeval.errors import InputTypeError
from berryeval.evaluation.guard_entries import entry_of, guards_of_texts, read_guards
from berryeval.evaluation.guards import (
    Guard,
    LatencyGuard,
    MarginGuard,
    ThresholdGuard,
    condensed_guard,
)
from berryeval.evaluation.rule_kinds import (
    Rule,
    check_keys,
    choice,
    flag,
    number,
    rules_of,
    text,
    whole,
)
from berryeval.measures import Measure

__all__ = [
    "DEFAULT_RULES",
    "GUARD_VARIABLES",
    "POWER",
    "RULES",
    "GateRules",
    "HolesPolicy",
    "Inference",
    "Verdict",
]

Inference: TypeAlias = Literal["population", "set"]
"""Whether the queries are a sample of many, or all that matters."""

Verdict: TypeAlias = Literal["pass", "fail", "inconclusive"]
"""What a guard, and a gate, can decide."""

HolesPolicy: TypeAlias = Literal["report", "inconclusive"]
"""Whether a verdict that unjudged documents could change is only marked, or blocked."""

POWER = 0.8
"""Probability that an equally good candidate passes, for which needed queries are counted."""

GUARD_VARIABLES = {
    "at_least": "BERRYEVAL_AT_LEAST",
    "margin": "BERRYEVAL_MARGIN",
    "equivalent": "BERRYEVAL_EQUIVALENT",
}
"""The environment variables of guards, by the flag whose texts they hold."""


@dataclass(frozen=True)
class GateRules:
    """The rules of a gate: its guards, and how it decides.

    Parameters
    ----------
    guards : iterable of Guard
        Requirements on the candidate.

    Raises
    ------
    ArgumentError
        For an invalid value of a rule, with the valid ones.

    Examples
    --------
    >>> GateRules(alpha=0.1).alpha
    0.1
    >>> GateRules(alpha=0.7)
    Traceback (most recent call last):
    berryeval.errors.ArgumentError: alpha: expected a number between 0 and 0.5, got 0.7
    """

    guards: tuple[Guard, ...] = ()
    alpha: float = number(
        0.05,
        above=0,
        below=0.5,
        label="Alpha",
        is_common=True,
        help="Significance level: maximum probability of a wrong pass, and of a wrong fail, over "
        "all looks at a growing set.",
    )
    inference: Inference = choice(  # noqa: RUF009 - makes a field
        "population",
        words={"population": "are a sample of many", "set": "are all that matters"},
        label="The queries",
        is_common=True,
        help='"population" treats the queries as a sample and tests differences. "set" treats them '
        "as all that matters; the point difference decides.",
        form_help="Differences of a sample are tested. If these queries are all that matters, "
        "their mean difference decides without a test.",
    )
    holes: HolesPolicy | None = choice(  # noqa: RUF009 - as above
        None,
        words={
            None: "block if the pool is deep enough",
            "report": "are only reported",
            "inconclusive": "block what they could change",
        },
        default_text='"inconclusive" if pool_depth reaches the cutoff, else "report"',
        label="Unjudged documents",
        is_common=True,
        help="What to do with a verdict that the grades of unjudged documents could change: "
        '"report" marks it, "inconclusive" makes it inconclusive.',
        form_help="What to do with a verdict that the grades of unjudged documents could change. "
        "The pool is deep enough if Pool depth, below, reaches the cutoff of the measure.",
    )
    judged_only: bool = flag(
        default=False,
        label="Judged only",
        help="Remove unjudged documents from the rankings before scoring.",
    )
    smallest_slice: int = whole(
        20,
        least=1,
        label="Smallest slice",
        help="Slices with fewer queries are reported, but do not affect the verdict.",
    )
    pool_depth: int | None = whole(
        None,
        least=1,
        is_of_set=True,
        default_text="unknown",
        label="Pool depth",
        help="Number of ranks judged for every system when the set was built. If it reaches a "
        "guard's cutoff, unjudged documents that could change a verdict make it inconclusive.",
    )
    max_grade: float | None = number(
        None,
        above=0,
        most=MAX_GRADE,
        is_of_set=True,
        default_text="the highest grade given",
        label="Highest grade",
        help="Highest grade of the scale, for the bounds of unjudged documents.",
    )
    n_max: int | None = whole(
        None,
        least=1,
        is_of_set=True,
        default_text="unknown",
        label="Final size",
        example="200",
        help="Number of queries at which the set will stop growing. If looks are counted, early "
        "looks then use little of alpha and the last one most of it; beyond this number nothing "
        "is left. If omitted, each look uses half as much as the one before.",
    )
    reserve: float | None = number(
        None,
        above=0,
        below=1,
        is_of_set=True,
        default_text="none",
        label="Reserve",
        example="0.3",
        help="Share of the queries that stay hidden from gates until the reserve is opened for a "
        "release. The queries of a group are reserved together.",
    )
    reserve_salt: str | None = text(
        longest=100,
        is_of_set=True,
        default_text="none",
        label="Reserve salt",
        example="spring 2026",
        help="Text that determines which queries are reserved. Do not change it while the reserve "
        "is in use.",
    )
    openings: int = whole(
        5,
        least=1,
        most=1000,
        is_of_set=True,
        label="Openings",
        help="Number of times the reserve can be opened. Each opening uses alpha divided by this "
        "number; after the last one the reserve is retired.",
    )
    anchor: str | None = text(
        longest=200,
        default_text="the last marked release, if any",
        label="Anchor",
        example="v1.4",
        help="Release to compare the candidate with in addition to the baseline, to detect many "
        'small drops: its name, or a baseline file. "none" compares with the baseline only.',
    )
    inconclusive: int = choice(
        3,
        words={0: "passes, with exit code 0", 1: "fails, with exit code 1", 3: "exits with 3"},
        label="An inconclusive gate",
        help="Exit code of `berryeval gate` for an inconclusive verdict: 0 passes, 1 fails.",
    )
    max_failed: int = whole(
        0,
        label="Failed queries",
        help="Number of queries that a system may fail to answer when `berryeval gate` runs it; if "
        "more fail, the exit code is 4.",
    )
    repeat: int = whole(
        1,
        least=1,
        label="Repeats",
        help="Number of times `berryeval gate` sends every query to a system, to measure the "
        "system's own noise.",
    )
    allow_other_corpus: bool = flag(
        default=False, label="Other corpus", help="Allow a baseline from another corpus."
    )

    def __post_init__(self) -> None:
        """Check every rule; values get their own types."""
        guards = tuple(self.guards)
        for guard in guards:
            if not isinstance(guard, (ThresholdGuard, MarginGuard, LatencyGuard)):
                raise InputTypeError("guards", "guards", type(guard).__name__)
        object.__setattr__(self, "guards", guards)
        for rule in RULES:
            value = rule.check(getattr(self, rule.name), rule.argument)
            object.__setattr__(self, rule.name, value)

    def holes_policy(self, measure: Measure) -> HolesPolicy:
        """Return what to do with a verdict on a measure that unjudged documents could change."""
        if self.holes is not None:
            return self.holes
        depth, k = self.pool_depth, measure.k
        is_pooled = depth is not None and k is not None and depth >= k and not measure.judged_only
        return "inconclusive" if is_pooled else "report"

    def resolved(self) -> GateRules:
        """Return these rules with `judged_only` written into the measures of their guards."""
        if not self.judged_only:
            return self
        return replace(self, guards=tuple(map(condensed_guard, self.guards)))

    def exit_code(self, verdict: Verdict) -> int:
        """Return the exit code of `berryeval gate` for a verdict."""
        return {"pass": 0, "fail": 1, "inconclusive": self.inconclusive}[verdict]

    @classmethod
    def from_dict(cls, table: Mapping[str, Any]) -> GateRules:
        """Read rules by name, and ``guards`` as a list of entries, as JSON and TOML hold them.

        Raises
        ------
        InputError
            For an unknown key, and for an invalid value.
        """
        check_keys(table, ("guards", *_BY_NAME), "gate.")
        values = {
            name: _BY_NAME[name].check(value, _place(_BY_NAME[name]))
            for name, value in table.items()
            if name in _BY_NAME
        }
        return cls(guards=read_guards(table.get("guards", ())), **values)

    def to_dict(self) -> dict[str, Any]:
        """Return what `from_dict` reads; a rule that is None is left out."""
        values = {
            rule.name: rule.plain(value)
            for rule in RULES
            if (value := getattr(self, rule.name)) is not None
        }
        return {"guards": [entry_of(guard) for guard in self.guards], **values}

    def with_texts(self, texts: Mapping[str, str], names: Mapping[str, str]) -> GateRules:
        """Return these rules with some changed by texts, as in flags and variables.

        Parameters
        ----------
        texts : mapping
            By the name of the rule.
        names : mapping
            The name of each in error messages.
        """
        values = {name: _BY_NAME[name].parse(text, names[name]) for name, text in texts.items()}
        return replace(self, **values)

    def with_environment(self, environment: Mapping[str, str]) -> GateRules:
        """Return these rules with those that variables set changed; empty variables are ignored."""
        given = {
            rule.name: environment[rule.variable]
            for rule in RULES
            if environment.get(rule.variable, "").strip()
        }
        changed = self.with_texts(given, {rule.name: rule.variable for rule in RULES})
        texts = {
            flag: environment.get(variable, "").split()
            for flag, variable in GUARD_VARIABLES.items()
        }
        return changed.with_guards(texts, GUARD_VARIABLES)

    def with_guards(
        self, texts: Mapping[str, Iterable[str]], names: Mapping[str, str]
    ) -> GateRules:
        """Return these rules with the guards of ``MEASURE=VALUE`` texts, if there are any."""
        return replace(self, guards=guards_of_texts(texts, names) or self.guards)


RULES: tuple[Rule, ...] = rules_of(GateRules)
"""All rules besides the guards, in the order in which pages list them."""

_BY_NAME = {rule.name: rule for rule in RULES}

DEFAULT_RULES = GateRules()
"""The defaults."""


def _place(rule: Rule) -> str:
    """Return the position of a value in berryeval.toml."""
    return rule.name if rule.is_of_set else f"gate.{rule.name}"
