"""Notes about the queries behind the figures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from berryeval.core.judging import COUNTED, Judges
from berryeval.core.notes import Note, caution_notes
from berryeval.measures import Measure, depth_of

if TYPE_CHECKING:
    from berryeval.evaluation.result import Evaluation

__all__ = [
    "count_queries",
    "holes_notes",
    "judges_notes",
    "missing_counts",
    "missing_phrase",
    "missing_queries",
    "query_notes",
    "range_text",
    "retrieved_by_all",
    "weights_note",
]


def missing_counts(runs: Mapping[str, Evaluation]) -> dict[str, int]:
    """Return how many judged queries each run lacks, for runs that lack any."""
    return {name: run.counts.missing for name, run in runs.items() if run.counts.missing}


def query_notes(runs: Mapping[str, Evaluation], n_compared: int | None = None) -> tuple[Note, ...]:
    """Return notes on how many queries were judged, scored, missing and ignored.

    `n_compared` is the number of queries compared, if only those scored for every run count.
    """
    first = next(iter(runs.values()))
    judged = f"{count_queries(first.counts.judged)} judged"
    if n_compared is not None and any(run.n_queries != n_compared for run in runs.values()):
        notes = [Note(f"{judged}, {n_compared:,} scored: those scored for every run.")]
    elif all(run.scores.query_ids == first.scores.query_ids for run in runs.values()):
        notes = [Note(f"{judged}, {first.n_queries:,} scored.")]
    else:
        notes = [Note(f"{name}: {judged}, {run.n_queries:,} scored.") for name, run in runs.items()]
        notes += caution_notes(["means over different queries cannot be compared"])
    if n_compared is None and first.effective_queries is not None:
        notes.append(Note(weights_note(first.n_queries, first.effective_queries)))
    notes += map(Note, judges_notes(first.reduced))
    if first.counts.no_relevant:
        without = f"{count_queries(first.counts.no_relevant)} without a relevant document."
        notes.append(Note(without))
    for name, run in runs.items():
        notes += caution_notes(run.cautions, name)
    for name, run in runs.items():
        if run.missing_note:
            notes.append(Note(f"{name}: {run.missing_note}"))
        if run.counts.ignored:
            ignored = f"{count_queries(run.counts.ignored)} not judged, ignored."
            notes.append(Note(f"{name}: {ignored}"))
    return tuple(notes)


def weights_note(n_queries: int, effective_queries: float) -> str:
    """Return a note on weighted means, with the equivalent number of queries of equal weight."""
    worth = f"worth {effective_queries:,.1f} of equal weight (Kish's effective sample size)"
    return f"Means are weighted: the {count_queries(n_queries)} are {worth}."


def judges_notes(reduced: tuple[Judges, int] | None) -> tuple[str, ...]:
    """Return which grade counts where several judges graded a document; empty if none did.

    Takes the rule and the number of documents, as `Judgments.reduced` has them.
    """
    if reduced is None:
        return ()
    rule, n_documents = reduced
    documents = "1 document" if n_documents == 1 else f"{n_documents:,} documents"
    return (f"Several judges graded {documents}: {COUNTED[rule]} counts.",)


def missing_queries(runs: Sequence[tuple[str, Evaluation]]) -> str:
    """Return how many judged queries are missing from which run; nothing if every run has all."""
    counts = [(name, run.counts) for name, run in runs]
    lacking = [(name, count.missing) for name, count in counts if count.missing]
    return missing_phrase(counts[0][1].judged, lacking)


def missing_phrase(n_judged: int, lacking: Sequence[tuple[str, int]]) -> str:
    """Write which runs lack how many of the judged queries, as the beginning of a sentence.

    Examples
    --------
    >>> missing_phrase(30, [("bm25", 5), ("hybrid", 1)])
    '5 of 30 judged queries are missing from bm25, and 1 from hybrid'
    """
    if not lacking:
        return ""
    (first, number), *others = lacking
    verb = "is" if number == 1 else "are"
    more = "".join(f", and {count:,} from {name}" for name, count in others)
    return f"{number:,} of {_judged(n_judged)} {verb} missing from {first}{more}"


def _judged(count: int) -> str:
    return "1 judged query" if count == 1 else f"{count:,} judged queries"


def retrieved_by_all(runs: Iterable[Evaluation]) -> list[str]:
    """Return the ids of the queries that are scored for every run and missing from none."""
    found: dict[str, None] | None = None
    for run in runs:
        scores = run.scores
        present = [
            query_id
            for query_id, is_missing in zip(scores.query_ids, scores.is_missing, strict=True)
            if not is_missing and (found is None or query_id in found)
        ]
        found = dict.fromkeys(present)
    return [*(found or ())]


def holes_notes(
    runs: Mapping[str, Evaluation],
    measures: Sequence[Measure] | None = None,
    n_ranked: Callable[[str, int | None], int] | None = None,
) -> tuple[str, ...]:
    """Return the number of unjudged documents within the cutoffs of the measures.

    By default of all measures. `n_ranked` returns the number of documents of a run within a
    cutoff; the note then has the share that is judged.
    """
    first = next(iter(runs.values()))
    chosen = first.measures if measures is None else measures
    counted = [measure for measure in chosen if not measure.judged_only]
    if not counted:
        return ()
    deepest = depth_of(counted)
    name = next(str(measure) for measure in counted if measure.depth == deepest)
    if not any(run[name].holes for run in runs.values()):
        return ()
    where = "in the rankings" if deepest is None else f"in the first {deepest}"
    if n_ranked is None:
        counts = [f"{one} {run[name].holes:,}" for one, run in runs.items() if run[name].holes]
        return (f"Unjudged documents {where}: {', '.join(counts)}.",)
    counts = []
    for run_name, run in runs.items():
        total = n_ranked(run_name, deepest)
        share = f" ({1 - run[name].holes / total:.1%} judged)" if total else ""
        counts.append(f"{run_name} {run[name].holes:,} of {total:,}{share}")
    return (f"Unjudged documents {where}: {', '.join(counts)}.",)


def count_queries(count: int) -> str:
    """Return ``1 query``, ``2 queries``."""
    return "1 query" if count == 1 else f"{count:,} queries"


def range_text(ends: tuple[int, int | None] | None) -> str:
    """Format the range of a number of queries; empty if unknown."""
    if ends is None:
        return ""
    low, high = ends
    return f" ({low:,} or more)" if high is None else f" ({low:,} to {high:,})"
