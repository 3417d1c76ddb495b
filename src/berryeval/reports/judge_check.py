"""How a judge compares with people: tables and JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from berryeval.evaluation.figures import DASH, json_value, score, signed
from berryeval.reports.layout import Table

if TYPE_CHECKING:
    from berryeval.stats import Admission, Interval
    from berryeval.stats.admission import Agreement, Consistency
    from berryeval.suite.judge_check import Check

__all__ = ["KINDS", "check_as_dict", "check_tables"]

JSON_VERSION = 1
KINDS = {"system": "retrieved by", "length": "characters", "rank": "best rank",
         "wording": "query words in the document"}  # fmt: skip
"""Headings for the groups of each kind of bias."""


def check_tables(check: Check) -> list[Table]:
    """Lay out agreement, the confusion matrix, biases, and whether the judge is admitted."""
    admission = check.admission
    assert admission is not None
    return [
        _agreement(check, admission),
        _confusion(admission),
        *([_biases(admission)] if admission.biases else []),
        _verdict(check, admission),
    ]


def _agreement(check: Check, admission: Admission) -> Table:
    rows = [
        _row("weighted kappa with people", admission.kappa),
        _row("Krippendorff's alpha with people", admission.alpha),
        _row("order of the systems, tau_AP", admission.tau_ap),
    ]
    if admission.repeats is not None:
        rows.append(_share("same grade when asked again", admission.repeats))
    notes = [_sample_note(check, admission)]
    for name, one in (("Kappa", admission.kappa), ("tau_AP", admission.tau_ap)):
        if one.reason:
            notes.append(f"{name}: {one.reason}.")
    level = f"{admission.rule.confidence:.0%} interval"
    return Table(f"Judge {check.identity.name}", ("", "value", level), tuple(rows), tuple(notes))


def _sample_note(check: Check, admission: Admission) -> str:
    sample = check.sample
    text = f"{admission.n_pairs:,} of {sample.n_judged:,} pairs that people judged"
    if admission.n_queries is not None:
        text += f", from {admission.n_queries:,} queries"
    if admission.n_unanswered:
        text += f"; the judge could not judge {admission.n_unanswered:,}"
    if sample.n_judged < sample.n_wanted:
        text += f". About {sample.n_wanted:,} are needed for the wanted width"
    return f"{text}. Strata are reweighted."


def _row(name: str, agreement: Agreement) -> tuple[str, str, str]:
    return name, score(agreement.value, 2), _interval(agreement.interval)


def _share(name: str, consistency: Consistency) -> tuple[str, str, str]:
    shown = f"{name} ({consistency.n_pairs:,} pairs)"
    return shown, score(consistency.same, 2), _interval(consistency.same_interval)


def _interval(interval: Interval | None) -> str:
    return DASH if interval is None else f"{interval.low:.2f} to {interval.high:.2f}"


def _confusion(admission: Admission) -> Table:
    columns = list(dict.fromkeys(cell.judge for cell in admission.confusion))
    rows: dict[float, list[str]] = {}
    for cell in admission.confusion:
        rows.setdefault(cell.people, []).append(f"{cell.share:.0%} ({cell.n_pairs})")
    return Table(
        "Grades of the judge, by the grade of people",
        ("people", *("cannot judge" if one is None else f"judge {one:g}" for one in columns)),
        tuple((f"{grade:g}", *cells) for grade, cells in rows.items()),
        ("Shares of each row, reweighted; numbers of pairs in brackets.",),
    )


def _biases(admission: Admission) -> Table:
    return Table(
        "Bias: judge minus people, in grades",
        ("documents", "pairs", "error", "favoured by", "interval"),
        tuple(
            (
                f"{KINDS[bias.kind]} {bias.group}",
                f"{bias.n_pairs:,}",
                signed(bias.error, 2),
                signed(bias.favour, 2),
                DASH if bias.interval is None
                else f"{signed(bias.interval.low, 2)} to {signed(bias.interval.high, 2)}",
            )
            for bias in admission.biases
        ),
        ("favoured by: how far the error exceeds that of all other documents.",),
    )  # fmt: skip


def _verdict(check: Check, admission: Admission) -> Table:
    rule = admission.rule
    asked = (
        f"Rule: the lower limit of kappa is at least {rule.min_kappa:g}, and no system is favoured "
        f"by more than {rule.max_favour:g} of the scale."
    )
    unseen = [] if check.sample.systems else ["No run was given, so systems were not compared."]
    if admission.is_admitted:
        rows: tuple[tuple[str, ...], ...] = (("admitted", "its grades count"),)
    else:
        rows = tuple(("not admitted", reason) for reason in admission.reasons)
    return Table("Admission", ("verdict", "because"), rows, (asked, *unseen), n_keys=2)


def check_as_dict(check: Check) -> dict[str, Any]:
    """Return a check for JSON; without an admission if the judge was not asked about all pairs."""
    found: dict[str, Any] = {
        "version": JSON_VERSION,
        "kind": "judge_check",
        "judge": check.identity.name,
        "fingerprint": dict(check.identity.fingerprint),
        "guideline": check.identity.guideline,
        "models": list(check.models),
        "sample": {
            "pairs": len(check.sample.pairs),
            "judged": check.sample.n_judged,
            "needed": check.sample.n_wanted,
            "systems": list(check.sample.systems),
        },
        "left": check.collected.n_left,
        "admitted": None,
    }
    admission = check.admission
    if admission is None:
        return found
    repeats = admission.repeats
    figures: dict[str, Any] = json_value({
        "admitted": admission.is_admitted,
        "reasons": admission.reasons,
        "rule": admission.rule,
        "pairs": admission.n_pairs,
        "queries": admission.n_queries,
        "unanswered": admission.n_unanswered,
        "kappa": admission.kappa,
        "alpha": admission.alpha,
        "tau_ap": admission.tau_ap,
        "repeats": repeats
        and {
            "pairs": repeats.n_pairs,
            "same": repeats.same,
            "interval": repeats.same_interval,
        },
        "confusion": admission.confusion,
        "calibration": admission.calibration,
        "scale": admission.scale,
        "biases": admission.biases,
    })  # fmt: skip
    return found | figures
