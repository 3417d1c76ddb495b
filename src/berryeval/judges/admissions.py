"""Admissions of judges in a golden set: ``judge-admissions.json``.

An admission belongs to one judge with one fingerprint, one guideline, and the models that answered
during the check. If any of them changes, it has expired, and the judge has to be checked again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, Literal

from berryeval.core.files import write_whole
from berryeval.errors import FormatError
from berryeval.judges.model_grades import Identity, ModelGrade

__all__ = [
    "ADMISSIONS",
    "Standing",
    "StoredAdmission",
    "read_admissions",
    "standing_of",
    "standing_under",
    "store_admission",
]

ADMISSIONS = "judge-admissions.json"
_LAYOUT = 1

_NAMES = {"guideline": "the guideline or the scale", "template": "the prompt template",
          "model": "the model", "settings": "the settings of the model"}  # fmt: skip


@dataclass(frozen=True)
class StoredAdmission:
    """The result of a check, whether the judge was admitted or not."""

    judge: str
    fingerprint: Mapping[str, str]
    guideline: str
    models: tuple[str, ...]
    """The models that answered, as the server states them; empty if it does not."""
    checked_at: str
    is_admitted: bool
    reasons: tuple[str, ...]
    """Why it was not admitted."""
    rule: Mapping[str, float]
    """The rule that was applied."""
    n_pairs: int
    n_changed: int = 0
    """Pairs judged twice during the check that got two different grades."""
    n_repeated: int = 0
    """Pairs judged twice during the check."""
    result: Mapping[str, Any] = field(default_factory=dict)
    """The figures of the check, as `berryeval judge check --json` prints them."""

    @property
    def identity(self) -> Identity:
        """The judge that was checked."""
        return Identity(self.judge, self.fingerprint, self.guideline)


@dataclass(frozen=True)
class Standing:
    """Whether the grades of a judge count, and why."""

    state: Literal["admitted", "rejected", "expired", "unchecked"]
    why: str
    admission: StoredAdmission | None = None
    """The admission that applies, or the one that has expired."""

    @property
    def is_admitted(self) -> bool:
        """Whether grades count."""
        return self.state == "admitted"

    def counts(self, grade: ModelGrade) -> bool:
        """Return whether an answer of this judge counts, with a grade or without.

        It does if the judge is admitted, and the answer comes from a model that answered during
        the check.
        """
        if self.admission is None or not self.is_admitted:
            return False
        is_same_judge = grade.identity == self.admission.identity.digest
        is_known = not self.admission.models or grade.model in self.admission.models
        return is_same_judge and is_known


def standing_of(
    folder: str | os.PathLike[str], identity: Identity, models: frozenset[str] = frozenset()
) -> Standing:
    """Return the standing of a judge in a golden set.

    Parameters
    ----------
    folder : path
        The golden set.
    identity : Identity
        The judge as it is now.
    models : frozenset of str
        The models that have answered lately, as the server states them. If one of them did not
        answer during the check, the admission has expired.
    """
    found = [one for one in read_admissions(folder) if one.judge == identity.name]
    if not found:
        return Standing("unchecked", "this judge was never checked against people")
    same = [one for one in found if one.identity.digest == identity.digest]
    if not same:
        return Standing("expired", _difference(found[-1].identity, identity), found[-1])
    return standing_under(same[-1], models)


def standing_under(admission: StoredAdmission, models: frozenset[str]) -> Standing:
    """Return the standing of the judge that an admission is about.

    Parameters
    ----------
    admission : StoredAdmission
        The result of its check.
    models : frozenset of str
        The models that have answered since.
    """
    if not admission.is_admitted:
        return Standing("rejected", "; ".join(admission.reasons), admission)
    others = sorted(models - {*admission.models}) if admission.models else []
    if others:
        was = ", ".join(admission.models)
        why = f"the server now answers with {others[0]}, and was checked with {was}"
        return Standing("expired", why, admission)
    return Standing("admitted", f"admitted on {admission.checked_at[:10]}", admission)


def _difference(before: Identity, now: Identity) -> str:
    changed = [
        _NAMES.get(key, key)
        for key in sorted({*before.fingerprint, *now.fingerprint})
        if before.fingerprint.get(key) != now.fingerprint.get(key)
    ]
    if before.guideline != now.guideline:
        changed.append(_NAMES["guideline"])
    return f"changed since the last check: {', '.join(changed)}"


def read_admissions(folder: str | os.PathLike[str]) -> list[StoredAdmission]:
    """Read all admissions of a golden set, oldest first; none if it has no such file.

    Raises
    ------
    FormatError
        If the file is invalid.
    """
    path = Path(folder) / ADMISSIONS
    if not path.exists():
        return []
    names = [one.name for one in fields(StoredAdmission)]
    try:
        content = json.loads(path.read_bytes())
        entries = {_LAYOUT: content["admissions"]}[content["version"]]
        return [
            StoredAdmission(**{
                **{name: entry[name] for name in names},
                "models": tuple(entry["models"]), "reasons": tuple(entry["reasons"]),
            })
            for entry in entries
        ]  # fmt: skip
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        message = f"expected admissions of judges, version {_LAYOUT}, found something else"
        raise FormatError(message, str(path)) from None


def store_admission(folder: str | os.PathLike[str], admission: StoredAdmission) -> None:
    """Add an admission. An earlier one of the same judge, unchanged, is replaced."""
    digest = admission.identity.digest
    kept = [one for one in read_admissions(folder) if one.identity.digest != digest]
    content = {"version": _LAYOUT, "admissions": [asdict(one) for one in (*kept, admission)]}
    text = json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False)
    write_whole(Path(folder) / ADMISSIONS, [f"{text}\n".encode("utf-8", "backslashreplace")])
