"""A history of evaluations: a file with one evaluation per line, in chronological order.

A line is a JSON object: ``version``, ``time`` (UTC), ``run``, ``note``, ``judgments`` and
``queries`` (hashes of their content), ``n_queries``, ``n_missing`` if queries are missing from the
run, ``weights``, ``groups`` and ``strata`` if queries have any (one per query, null for a query
without), ``means`` by measure, and ``scores``: for each measure one number per query, in the order
of the ids as bytes and to six decimals. A line of `berryeval gate` also has a ``decision``, which
identifies what was compared, so that later gates can count looks and tries.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from berryeval.archive.location import check_no_address
from berryeval.core.content_hash import hash_of_ids, hash_of_judgments
from berryeval.core.inputs import refuse_input, release_input
from berryeval.core.query import check_weight
from berryeval.core.text import replace_lone_surrogates
from berryeval.errors import ArgumentError, FormatError, InputTypeError
from berryeval.evaluation import Evaluation
from berryeval.evaluation.memory import Decision
from berryeval.evaluation.sources import JudgmentsSource, load_judgments
from berryeval.evaluation.weighting import labels_of
from berryeval.formats.lines import PathLike, iter_lines, path_name
from berryeval.suite.appending import append_line

__all__ = ["Entry", "History", "append", "decisions", "read", "sampling_fields"]

HISTORY_VERSION = 1
_DECIMALS = 6
_BEGINNING = b'{"version":'
_LONGEST_LINE = 1 << 24
_PER_QUERY = ("weights", "groups", "strata")


@dataclass(frozen=True)
class Entry:
    """One evaluation of a run."""

    time: datetime
    """Time of the evaluation, in UTC."""
    run: str
    note: str | None
    """Text added by the user, such as a commit."""
    judgments: str
    """Hash of the judgments; entries with different hashes cannot be compared."""
    queries: str
    """Hash of the ids of the scored queries."""
    n_queries: int
    means: Mapping[str, float]
    """Means by measure."""
    scores: Mapping[str, Sequence[float]]
    """For each measure one number per query, rounded to six decimals."""
    n_failed: int = 0
    """Number of queries that were not answered; they are left out of the means."""
    n_missing: int = 0
    """Number of queries missing from the run; they score 0 in every mean."""
    query_ids: tuple[str, ...] | None = None
    """Query ids, in the order of the scores; None in a history file, which has only their hash."""
    weights: tuple[float, ...] | None = None
    """Weights of the queries, in the order of the scores; None if all count equally."""
    decision: Decision | None = None
    """The decision of a gate; None for an evaluation alone."""
    groups: tuple[str | None, ...] | None = None
    """The group of each query, in the order of the scores; None if no query has one."""
    strata: tuple[str | None, ...] | None = None
    """The stratum of each query, in the order of the scores; None if no query has one."""

    def is_comparable(self, other: Entry) -> bool:
        """Whether both have the same judgments, queries and weights."""
        return (self.judgments, self.queries, self.weights) == (
            other.judgments,
            other.queries,
            other.weights,
        )


@dataclass(frozen=True)
class History:
    """The contents of a history file."""

    path: str
    entries: tuple[Entry, ...]
    """Entries in the order in which they were appended."""
    damaged: tuple[int, ...] = ()
    """Numbers of incomplete lines, from 1, which are left out."""
    unscored: tuple[str, ...] = ()
    """A sentence for each evaluation of an archive without a mean."""

    @property
    def measures(self) -> tuple[str, ...]:
        """All measures of the entries, those of the newest entry first."""
        return tuple(dict.fromkeys(m for entry in reversed(self.entries) for m in entry.means))

    @property
    def runs(self) -> tuple[str, ...]:
        """The names of the runs, each once, in order of appearance."""
        return tuple(dict.fromkeys(entry.run for entry in self.entries))


def append(
    path: PathLike,
    name: str,
    evaluation: Evaluation,
    judgments: JudgmentsSource,
    note: str | None = None,
    *,
    time: datetime | None = None,
    decision: Decision | None = None,
) -> Entry:
    """Append an evaluation to a history file, which is created if it does not exist.

    The line is on disk when this returns. Several processes may append at the same time.

    Parameters
    ----------
    path : path
        The history file, usually ``history.jsonl``.
    name : str
        Name of the run; entries with the same name form one series.
    evaluation : Evaluation
        The result of `berryeval.evaluate`.
    judgments : Judgments, path, dict of dicts or data frame
        The judgments that were used.
    note : str, optional
        Text to store with the evaluation, such as a commit.
    time : datetime, optional
        Time of the evaluation, with a time zone. Default: now.
    decision : Decision, optional
        The decision of a gate, for later gates to count.

    Raises
    ------
    ArgumentError
        If the path is the address of a database; a history is always a file.
    FormatError
        If the file cannot be written, with the system's reason, or is not a history. The file is
        then unchanged.
    """
    check_no_address(os.fspath(path), "history")
    refuse_input(path)
    _check_history(path)
    first = next(iter(evaluation.values()))
    entry = Entry(
        time=_utc(datetime.now(timezone.utc) if time is None else time),
        run=name,
        note=note,
        judgments=hash_of_judgments(load_judgments(judgments)),
        queries=hash_of_ids(first.scores.query_ids.iter_bytes()),
        n_queries=evaluation.n_queries,
        means=evaluation.to_dict(),
        scores={
            measure: tuple(round(value, _DECIMALS) for value in result.by_query.values())
            for measure, result in evaluation.items()
        },
        n_missing=sum(bool(one) for one in evaluation.scores.is_missing),
        decision=decision,
        **sampling_fields(evaluation),
    )
    append_line(path, _to_line(entry))
    return entry


def sampling_fields(evaluation: Evaluation) -> dict[str, Any]:
    """Return the weights, groups and strata of an evaluation's queries, as fields of `Entry`."""
    queries, query_ids = evaluation.queries, evaluation.scores.query_ids
    return {
        "weights": evaluation.weights,
        "groups": labels_of(queries, query_ids, "group"),
        "strata": labels_of(queries, query_ids, "stratum"),
    }


def decisions(path: PathLike) -> list[Decision]:
    """Return the decisions of gates, oldest first; none if the file does not exist yet.

    Raises
    ------
    FormatError
        As in `read`.
    """
    if not Path(path).exists() or Path(path).stat().st_size == 0:
        return []
    found = [one.decision for one in read(path).entries if one.decision is not None]
    release_input(path)  # it will be appended to
    return found


def read(path: PathLike) -> History:
    """Read a history file.

    An incomplete line, from a machine that crashed while writing it, is left out and listed in
    `History.damaged`.

    Raises
    ------
    FormatError
        If the file cannot be read, has no evaluation, or has a line that is not an evaluation.
    """
    entries: list[Entry] = []
    damaged: list[int] = []
    for number, line in iter_lines(path):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            damaged.append(number)
        else:
            entries.append(_to_entry(record, path_name(path), number))
    if not entries:
        lines = "an incomplete line" if len(damaged) == 1 else "a line that is not JSON"
        found = lines if damaged else "nothing"
        raise FormatError.unexpected("a history of evaluations", found, path_name(path))
    return History(path_name(path), tuple(entries), tuple(damaged))


def _check_history(path: PathLike) -> None:
    """Raise if an existing file is not a history, since appending a line would damage it.

    The first line of a history may be incomplete.
    """
    try:
        with open(path, "rb") as file:  # noqa: PTH123
            line = file.readline(_LONGEST_LINE).strip()
    except OSError:
        return  # it does not exist yet; other errors are reported when it is written
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        is_history = not line or line.startswith(_BEGINNING)
    else:
        is_history = isinstance(record, dict) and {"version", "time", "means"} <= record.keys()
    if not is_history:
        message = "is not a history of evaluations; use a new file, or one written by --history"
        raise FormatError(message, path_name(path))


def _utc(time: datetime) -> datetime:
    if time.tzinfo is None:
        raise ArgumentError("time", "a time with its time zone", repr(time))
    return time.astimezone(timezone.utc).replace(microsecond=0)


def _to_line(entry: Entry) -> bytes:
    record = {
        "version": HISTORY_VERSION,
        "time": entry.time.isoformat().replace("+00:00", "Z"),
        "run": entry.run,
        **({} if entry.note is None else {"note": entry.note}),
        "judgments": entry.judgments,
        "queries": entry.queries,
        "n_queries": entry.n_queries,
        **({"n_missing": entry.n_missing} if entry.n_missing else {}),
        **{name: values for name in _PER_QUERY if (values := getattr(entry, name)) is not None},
        **({} if entry.decision is None else {"decision": entry.decision.to_dict()}),
        "means": entry.means,
        "scores": {m: [_short(value) for value in column] for m, column in entry.scores.items()},
    }
    return json.dumps(record, separators=(",", ":"), allow_nan=False).encode() + b"\n"


def _short(value: float) -> float:
    return int(value) if value.is_integer() else value


def _to_entry(record: Any, path: str, line: int) -> Entry:  # noqa: ANN401 - any JSON
    version = record.get("version") if isinstance(record, dict) else None
    if isinstance(version, int) and version > HISTORY_VERSION:
        raise FormatError.unexpected(
            f"version {HISTORY_VERSION}", f"{version}: a newer berryeval wrote it", path, line
        )
    try:
        entry = Entry(
            time=_utc(datetime.fromisoformat(record["time"].replace("Z", "+00:00"))),
            run=_text(record["run"]),
            note=None if record.get("note") is None else _text(record["note"]),
            judgments=_text(record["judgments"]),
            queries=_text(record["queries"]),
            n_queries=int(record["n_queries"]),
            means={_text(m): _number(mean) for m, mean in record["means"].items()},
            scores={
                _text(m): tuple(_number(value) for value in column)
                for m, column in record["scores"].items()
            },
            n_missing=int(record.get("n_missing", 0)),
            weights=_weights(record.get("weights")),
            decision=_decision(record.get("decision")),
            groups=_labels(record.get("groups")),
            strata=_labels(record.get("strata")),
        )
        _check_scores(entry)
    except (
        ArgumentError,
        ArithmeticError,
        AttributeError,
        LookupError,
        TypeError,
        ValueError,
    ) as error:
        reason = f"no {error}" if isinstance(error, KeyError) else "something else"
        raise FormatError.unexpected(
            "an evaluation written by `berryeval evaluate --history`", reason, path, line
        ) from None
    return entry


def _decision(fields: Any) -> Decision | None:  # noqa: ANN401 - any JSON
    return None if fields is None else Decision.from_dict(fields)


def _check_scores(entry: Entry) -> None:
    """Raise if scores, weights, groups or strata do not have one value per query."""
    if not entry.means:
        raise KeyError("means")
    for name in _PER_QUERY:
        values = getattr(entry, name)
        if values is not None and len(values) != entry.n_queries:
            raise ArgumentError(name, f"{entry.n_queries}", f"{len(values)}")
    for measure in entry.means:
        if len(entry.scores[measure]) != entry.n_queries:
            raise ArgumentError("scores", f"{entry.n_queries}", f"{len(entry.scores[measure])}")


def _weights(values: Any) -> tuple[float, ...] | None:  # noqa: ANN401 - any JSON
    return None if values is None else tuple(map(check_weight, values))


def _labels(values: Any) -> tuple[str | None, ...] | None:  # noqa: ANN401 - any JSON
    return None if values is None else tuple(None if x is None else _text(x) for x in values)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise InputTypeError("history", "text", type(value).__name__)
    return replace_lone_surrogates(value)


def _number(value: object) -> float:
    if not isinstance(value, (int, float)) or not math.isfinite(value):
        raise InputTypeError("history", "a number", repr(value))
    return float(value)
