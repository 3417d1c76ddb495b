"""The references that a gate compares a candidate with: baselines and the anchor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from berryeval.core.judgments import Judgments
from berryeval.core.query import Query
from berryeval.core.run import Run
from berryeval.errors import ArgumentError, FormatError, MismatchError
from berryeval.evaluation.baseline import NO_ANCHOR, Baseline, is_baseline
from berryeval.evaluation.sources import load_run
from berryeval.formats.lines import readable_again
from berryeval.formats.timings import read_timings
from berryeval.measures import Measure
from berryeval.suite.settings import Settings

__all__ = [
    "CANDIDATE",
    "Reference",
    "named_file",
    "read_baseline",
    "read_references",
    "references_of",
]

CANDIDATE = "candidate"
"""The name of the candidate in comparisons of a gate."""


class Reference(NamedTuple):
    """A run that a candidate is compared with, and the judgments of its queries."""

    name: str
    run: Run
    judgments: Judgments
    release: str | None = None
    """The name of the release; None if it is not a release."""


def read_references(
    settings: Settings,
    judgments: Judgments,
    measures: Sequence[Measure],
    queries: Mapping[str, Query],
) -> list[Reference]:
    """Read the baselines named in the settings, and the anchor.

    The anchor is the one that the rules name, else the release that the baseline has marked last.
    Raises `ArgumentError` or `FormatError` if no baseline is named, or there is no such file;
    `MismatchError` if one is not comparable.
    """
    path = named_file(settings.baseline, "baseline")
    main = read_baseline(path)
    checked = _checked(main, settings, judgments, measures, queries)
    if settings.baseline_timings is not None:
        checked = checked.with_timings(read_timings(settings.baseline_timings))
    found = [Reference("baseline", checked, judgments)]
    for other in settings.other_baselines:
        read = read_baseline(other)
        checked = _checked(read, settings, judgments, measures, queries)
        found.append(Reference(_name_of(read, other), checked, judgments))
    marked = main.release if isinstance(main, Baseline) else None
    anchor = settings.gate.anchor or marked
    if anchor is not None and anchor != NO_ANCHOR:
        place = _anchor_path(path, anchor)
        read = read_baseline(place)
        name = _name_of(read, place)
        if _are_same(main, read):
            found[0] = found[0]._replace(release=name)
        else:
            found += _anchored(name, read, settings, judgments, measures, queries)
    names = [one.name for one in found]
    if len({*names, CANDIDATE}) <= len(names):
        raise ArgumentError("baseline", "baselines of different names", ", ".join(names))
    return found


def references_of(
    baseline: Run | Baseline,
    anchor: tuple[str, Run] | None,
    settings: Settings,
    judgments: Judgments,
    measures: Sequence[Measure],
    queries: Mapping[str, Query],
) -> list[Reference]:
    """Return references for a given baseline and anchor; raises as `read_references` does."""
    checked = _checked(baseline, settings, judgments, measures, queries)
    found = [Reference("baseline", checked, judgments)]
    if anchor is not None and anchor[1] is baseline:
        found[0] = found[0]._replace(release=anchor[0])
    elif anchor is not None:
        found += _anchored(*anchor, settings, judgments, measures, queries)
    return found


def _are_same(one: Run | Baseline, other: Run | Baseline) -> bool:
    """Whether two baselines are equal, as they are until the first change after a release."""
    if isinstance(one, Baseline) and isinstance(other, Baseline):
        return (one.depth, one.rankings) == (other.depth, other.rankings)
    return False


def _name_of(read: Run | Baseline, path: str) -> str:
    return read.name if isinstance(read, Baseline) else Path(path).stem


def _anchor_path(baseline: str, anchor: str) -> str:
    """Return the file of an anchor: a release next to the baseline, or any file."""
    places = [Path(baseline).with_name(f"{anchor}.json"), Path(baseline).with_name(anchor)]
    for place in (*places, Path(anchor)):
        if place.is_file():
            return str(place)
    way_out = 'mark one with `berryeval baseline release`, or set anchor to "none"'
    raise ArgumentError("anchor", "a release or a baseline file", f"{anchor!r}; {way_out}")


def _checked(
    baseline: Run | Baseline,
    settings: Settings,
    judgments: Judgments,
    measures: Sequence[Measure],
    queries: Mapping[str, Query],
    *,
    is_anchor: bool = False,
) -> Run:
    if isinstance(baseline, Run):
        return baseline
    corpus = None if settings.gate.allow_other_corpus else settings.corpus
    baseline.check(judgments, measures, queries=queries, corpus=corpus, is_anchor=is_anchor)
    return baseline.to_run()


def _anchored(
    name: str,
    anchor: Run | Baseline,
    settings: Settings,
    judgments: Judgments,
    measures: Sequence[Measure],
    queries: Mapping[str, Query],
) -> list[Reference]:
    """Return the anchor with the judgments of its own queries.

    The set may have grown since the release. Scoring its new queries as 0 would make every
    candidate look better than the release.
    """
    run = _checked(anchor, settings, judgments, measures, queries, is_anchor=True)
    known = set(run.query_ids)
    if known.isdisjoint(judgments.query_ids):
        way_out = 'mark a newer release, or set anchor to "none"'
        raise MismatchError(f"anchor {name!r} has none of the judged queries; {way_out}")
    if known.issuperset(judgments.query_ids):
        return [Reference(name, run, judgments, name)]
    return [Reference(name, run, judgments.of_queries(known), name)]


def read_baseline(path: str) -> Run | Baseline:
    """Read a baseline, or any run, to compare with; raise `FormatError` if it is neither."""
    if path != "-" and not Path(path).exists():
        way_out = "save one with `berryeval baseline save`, or name a run"
        raise FormatError.unexpected("a baseline", "no file", path, way_out=way_out)
    source = readable_again(path)
    return Baseline.read(source) if is_baseline(source) else load_run(source)


def named_file(path: str | None, what: str) -> str:
    """Return a required file of the settings, or raise if they do not name it."""
    if path is None:
        places = f"in berryeval.toml ({what} = ...) or with --{what.replace('_', '-')}"
        raise ArgumentError(what, f"a file named {places}", "none")
    return path
