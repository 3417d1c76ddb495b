"""A gate as a form and in words: the input, the settings it means, and its errors.

Every guard is a row that reads as a sentence: a measure, a condition, a limit. No input is lost:
an invalid form is shown again with its texts, and each error is next to its field.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError
from starlette.datastructures import FormData

from berryeval.archive import Archive
from berryeval.errors import ArgumentError, BerryEvalError, InputTypeError
from berryeval.evaluation.gate_rules import RULES, GateRules
from berryeval.evaluation.guard_entries import ENTRY, GuardEntry, entry_of
from berryeval.evaluation.guards import Guard, Margin, MarginGuard
from berryeval.evaluation.power import SMALLEST_MARGIN, propose_guards
from berryeval.evaluation.rule_kinds import Rule
from berryeval.evaluation.slices import LABELS
from berryeval.evaluation.small_sets import small_set_note
from berryeval.service.routes.gates import MAX_GUARDS, GateContent
from berryeval.service.stored_runs import find_run
from berryeval.service.verdicts import read_gate
from berryeval.service.workbench.state.scoring import Scoring

__all__ = [
    "KINDS",
    "SCALARS",
    "GateForm",
    "GuardRow",
    "changes",
    "form_of",
    "guard_sentences",
    "propose",
    "read_form",
    "summary",
]

KINDS: Mapping[str, str] = {
    "margin": "may drop by less than",
    "equivalent": "may change by less than",
    "at_least": "is at least",
    "confident": "is at least, with confidence",
    "latency": "takes at most (ms)",
}
"""The conditions of guards, as rows show them."""

_NAMED = {"baseline": "Baseline", "label_draw": "Model judgments, corrected by the draw",
          "judge": "Judge"}  # fmt: skip
"""Fields that name a record of the archive rather than a rule."""

SCALARS = (*_NAMED, *(rule.name for rule in RULES))
"""The fields other than guards."""

_LABELS = {**_NAMED, **{rule.name: rule.label for rule in RULES}}


@dataclass(frozen=True)
class GuardRow:
    """A guard as it was typed."""

    kind: str = "margin"
    measure: str = ""
    """For latency, a percentile such as ``p95``."""
    limit: str = ""
    slices: tuple[str, ...] = ()
    messages: Mapping[str, str] = field(default_factory=dict)
    """Errors by field."""

    @property
    def is_blank(self) -> bool:
        """Whether all fields are empty."""
        return not (self.measure.strip() or self.limit.strip())


@dataclass(frozen=True)
class GateForm:
    """A gate as it was typed."""

    rows: tuple[GuardRow, ...]
    texts: Mapping[str, str]
    """The other fields by name; an omitted field is empty."""
    messages: Mapping[str, str] = field(default_factory=dict)
    """Errors by field; those of all guards together under ``guards``."""
    settings: Mapping[str, Any] | None = None
    """The settings as the archive stores them; None if invalid."""

    @property
    def n_faults(self) -> int:
        """The number of errors."""
        return len(self.messages) + sum(len(row.messages) for row in self.rows)

    @property
    def first_fault(self) -> str:
        """The first error, with the number of its guard."""
        for number, row in enumerate(self.rows, start=1):
            for message in row.messages.values():
                return f"guard {number}: {message}"
        return next(iter(self.messages.values()), "")


def form_of(settings: Mapping[str, Any]) -> GateForm:
    """Return the form of stored settings; the inverse of `read_form`."""
    rows = tuple(row for entry in settings["guards"] for row in _rows_of(entry))
    texts = {rule.name: rule.text(settings.get(rule.name, rule.default)) for rule in RULES}
    return _read(rows, {**{name: settings.get(name, "") for name in _NAMED}, **texts})


def _rows_of(entry: Mapping[str, Any]) -> Iterable[GuardRow]:
    """Return a row for each limit: an entry may have both a threshold and a margin."""
    if "latency" in entry:
        yield GuardRow("latency", entry["latency"], _text(entry["at_most_ms"]))
        return
    slices = tuple(entry.get("slices", ()))
    if "at_least" in entry:
        kind = "confident" if entry.get("confident") else "at_least"
        yield GuardRow(kind, entry["measure"], _text(entry["at_least"]), slices)
    for kind in ("margin", "equivalent"):
        if kind in entry:
            yield GuardRow(kind, entry["measure"], _text(entry[kind]), slices)


def _text(value: object) -> str:
    return f"{value:.12g}" if isinstance(value, float) else str(value)


def read_form(given: FormData) -> GateForm:
    """Read what was posted: ``guard-0-kind``, ``guard-0-measure``, ``alpha`` and so on.

    Empty rows are dropped, unless there are no others.
    """
    numbers = {int(found[1]) for key in given if (found := re.match(r"guard-(\d{1,6})-", key))}
    # Too many are rejected below; dropping one would silently loosen a gate.
    rows = [_row(given, number) for number in sorted(numbers)[: MAX_GUARDS + 1]]
    texts = {key: _last(given, key) for key in SCALARS}
    return _read(tuple(rows), texts)


def _row(given: FormData, number: int) -> GuardRow:
    return GuardRow(
        _last(given, f"guard-{number}-kind") or "margin",
        _last(given, f"guard-{number}-measure"),
        _last(given, f"guard-{number}-limit"),
        tuple(label for label in LABELS if label in given.getlist(f"guard-{number}-slices")),
    )


def _last(given: FormData, key: str) -> str:
    texts = [text for text in given.getlist(key) if isinstance(text, str)]
    return texts[-1][:200] if texts else ""


def _read(rows: tuple[GuardRow, ...], texts: Mapping[str, str]) -> GateForm:
    checked = [(row, None) if row.is_blank else _check_row(row) for row in rows]
    shown, entries = [row for row, _ in checked], [entry for _, entry in checked if entry]
    found, messages = _read_texts(texts)
    is_compared = any({"margin", "equivalent"} & entry.keys() for entry in entries)
    if is_compared and "baseline" not in found and "baseline" not in messages:
        messages["baseline"] = "choose one: a guard has a margin"
    if not entries and not any(row.messages for row in shown):
        messages["guards"] = "add at least one guard"
    if messages or any(row.messages for row in shown):
        return GateForm(tuple(shown), texts, messages)
    return _finished(tuple(shown), texts, {"guards": entries, **found})


def _read_texts(texts: Mapping[str, str]) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the values of the fields other than guards, and their errors."""
    found: dict[str, Any] = {name: texts[name].strip() or None for name in _NAMED}
    messages: dict[str, str] = {}
    for rule in RULES:
        # Browsers omit unticked boxes.
        text = texts[rule.name] or ("no" if rule.annotation is bool else "")
        value, message = _value(rule, text)
        if message:
            messages[rule.name] = message
        else:
            found[rule.name] = value
    return {key: value for key, value in found.items() if value is not None}, messages


def _value(rule: Rule, text: str) -> tuple[Any, str]:
    """Return the JSON value of a field, or its error."""
    try:
        value = rule.parse(text, rule.name)
    except ArgumentError as error:
        return None, f"expected {error.expected}, found {text.strip()!r}"
    except BerryEvalError as error:
        return None, str(error)
    return None if value is None else rule.plain(value), ""


def _finished(
    rows: tuple[GuardRow, ...], texts: Mapping[str, str], settings: dict[str, Any]
) -> GateForm:
    """Check the settings with the API's own readers."""
    try:
        checked = GateContent.model_validate(settings).model_dump(exclude_none=True)
        read_gate(checked)
    except ValidationError as error:
        faults = {str(fault["loc"][0]): fault["msg"] for fault in error.errors()}
        return GateForm(rows, texts, faults)
    except BerryEvalError as error:
        return GateForm(rows, texts, {"guards": str(error)})
    return GateForm(rows, texts, settings=checked)


def _check_row(row: GuardRow) -> tuple[GuardRow, dict[str, Any] | None]:
    """Return the row with its errors, and the entry that it means if there are none."""
    messages: dict[str, str] = {}
    entry: dict[str, Any] = {}
    try:
        entry = _entry(row)
    except (ArgumentError, InputTypeError) as error:
        place = "measure" if error.argument in ("measure", "latency") else "limit"
        messages[place] = f"expected {error.expected}, found {_found(row, place)}"
    except BerryEvalError as error:
        messages["measure"] = str(error)
    if row.kind not in KINDS:  # guessing could silently loosen a gate
        messages["kind"] = f"expected {' or '.join(KINDS)}, found {row.kind[:40]!r}"
    if row.kind == "latency" and row.slices:
        messages["slices"] = "latency is measured over all queries and has no slices"
    checked = GuardRow(row.kind, row.measure, row.limit, row.slices, messages)
    return checked, None if messages else entry


def _found(row: GuardRow, place: str) -> str:
    text = getattr(row, place).strip()
    return repr(text) if text else "nothing"


def _entry(row: GuardRow) -> dict[str, Any]:
    """Return the entry that a row means; raises as a guard of berryeval.toml would."""
    subject, limit = row.measure.strip(), "at_least" if row.kind == "confident" else row.kind
    texts = {"measure": subject, limit: row.limit}
    if row.kind == "latency":
        percentile = subject if subject.startswith("p") else f"p{subject}"
        texts = {"latency": percentile, "at_most_ms": row.limit}
    given: dict[str, Any] = {rule.name: rule.parse(texts[rule.name], rule.name)
                             for rule in ENTRY if rule.name in texts}  # fmt: skip
    for rule in ENTRY:
        if rule.name in texts and given[rule.name] is None:
            raise ArgumentError(rule.name, rule.expected, "nothing")
    if row.kind == "confident":
        given["confident"] = True
    if row.slices and row.kind != "latency":
        given["slices"] = row.slices
    [guard] = GuardEntry(**given).guards()
    return entry_of(guard)


def propose(archive: Archive, scoring: Scoring) -> dict[str, Any]:
    """Return settings for a new gate: compared with the baseline ``main``, or the first one.

    A set that is too small for the margin decides by itself.
    """
    names = [baseline.name for baseline in archive.baselines.page(limit=1000).items]
    if not names:
        return {"guards": [{"measure": str(scoring.measures[0]), "at_least": 0.5}]}
    name = "main" if "main" in names else names[0]
    guards: tuple[Guard, ...]
    found: dict[str, Any] = {"baseline": name}
    try:
        evaluation = scoring.evaluation(find_run(archive, name).run_id)
        guards = propose_guards(evaluation)
        means, ids = evaluation.to_dict(), evaluation.scores.query_ids
        if small_set_note(GateRules(guards), means, ids, evaluation.queries) is not None:
            found["inference"] = "set"
    except BerryEvalError:  # the run cannot be scored
        guards = (MarginGuard(scoring.measures[0], Margin(SMALLEST_MARGIN)),)
    return {"guards": [entry_of(guard) for guard in guards], **found}


def guard_sentences(settings: Mapping[str, Any]) -> list[str]:
    """Return each guard as verdicts name it; nothing for invalid settings.

    Examples
    --------
    >>> guard_sentences({"guards": [{"measure": "RR", "at_least": 0.7, "slices": ["category"]}]})
    ['RR at least 0.7, also in each category']
    """
    try:
        guards = read_gate(settings).resolved().guards
    except BerryEvalError:
        return []
    return [
        str(guard)
        + (", with confidence" if getattr(guard, "is_confident", False) else "")
        + "".join(f", also in each {label}" for label in getattr(guard, "slices", ()))
        for guard in guards
    ]


def summary(settings: Mapping[str, Any]) -> str:
    """Return the number of guards of a gate, and its baseline.

    Examples
    --------
    >>> summary({"guards": [{"measure": "RR", "margin": 0.1}], "baseline": "main"})
    '1 guard, against the baseline main'
    """
    n_guards = len(guard_sentences(settings))
    guards = "1 guard" if n_guards == 1 else f"{n_guards} guards"
    baseline = settings.get("baseline")
    return guards if baseline is None else f"{guards}, against the baseline {baseline}"


def changes(theirs: Mapping[str, Any], mine: Mapping[str, Any]) -> list[str]:
    """Return the differences between stored settings of a gate and an edit of it."""
    found = [f"{line} (only in the saved gate)" for line in _only(theirs, mine)]
    found += [f"{line} (only in your edit)" for line in _only(mine, theirs)]
    for key, name in _LABELS.items():
        if theirs.get(key) != mine.get(key):
            found.append(f"{name}: saved {_shown(theirs.get(key))}, yours {_shown(mine.get(key))}")
    return found


def _only(some: Mapping[str, Any], others: Mapping[str, Any]) -> Sequence[str]:
    known = guard_sentences(others)
    return [line for line in guard_sentences(some) if line not in known]


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "nothing" if value is None else str(value)
