"""Notes of a comparison: depth, sums, sampling, noise, and model judgments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from berryeval.core.notes import Note, caution_notes
from berryeval.evaluation.differences import BLIND_TO_NOISE, Difference
from berryeval.evaluation.notes import weights_note
from berryeval.evaluation.repeats import Noise
from berryeval.evaluation.sampling import Sampling
from berryeval.measures import Measure

__all__ = ["comparison_notes", "shallow_note"]


def comparison_notes(
    measures: Sequence[Measure],
    sampling: Sampling,
    n_queries: int,
    tests: Sequence[str],
    depths: Mapping[str, int],
    noise: Mapping[str, Mapping[Measure, Noise]],
    differences: Sequence[Difference],
) -> Iterator[Note]:
    """Iterate over notes on how runs were compared; `differences` are those over all queries."""
    yield from _depth_notes(depths, measures)
    yield from map(Note, _sum_notes(measures))
    yield from map(Note, _sampling_notes(sampling, n_queries, tests))
    yield from map(Note, _noise_notes(noise, tests))
    yield from map(Note, _model_notes(differences))


def shallow_note(chosen: Measure, usual: Measure) -> Note:
    """Note why a default measure has a smaller cutoff than usual."""
    reason = f"{chosen.k:,} is the greatest depth (documents per query) that all runs share"
    return Note(f"{chosen} instead of the default {usual}: {reason}.")


def _noise_notes(
    noise: Mapping[str, Mapping[Measure, Noise]], tests: Sequence[str]
) -> Iterator[str]:
    ignoring = " and ".join(test for test in tests if test in BLIND_TO_NOISE)
    for name, own in noise.items():
        n_runs = next(iter(own.values())).n_runs
        shown = ", ".join(f"{measure} {found.shared:.4f}" for measure, found in own.items())
        yield (
            f"{name}: scores are means over {n_runs} runs. Noise that all queries of a run share "
            f"(standard deviation): {shown}. Intervals and p-values include it"
            f"{f', {ignoring} ignores it' * bool(ignoring)}."
        )


def _depth_notes(depths: Mapping[str, int], measures: Sequence[Measure]) -> Iterator[Note]:
    """Note that runs differ in depth, if a measure reaches below the shallowest."""
    shallow = min(depths.values(), default=0)
    is_seen = any(measure.depth is None or measure.depth > shallow for measure in measures)
    if len(set(depths.values())) > 1 and is_seen:
        shown = ", ".join(f"{name} up to {depth:,}" for name, depth in depths.items())
        yield from caution_notes([f"runs differ in depth (documents per query): {shown}"])


def _sum_notes(measures: Sequence[Measure]) -> Iterator[str]:
    """Note that sums and differences of means differ in size."""
    summed = ", ".join(str(measure) for measure in measures if measure.aggregate == "sum")
    if summed:
        yield f"Totals of {summed} are sums over queries; differences are means."


def _model_notes(differences: Sequence[Difference]) -> Iterator[str]:
    """Note what the lead measure is based on, if a model took part."""
    found = [one for one in differences if one.rests_on is not None]
    if not found:
        return
    lead = found[0].rests_on
    assert lead is not None
    yield lead.sentence
    yield (
        f"People labelled {lead.n_labelled:,} of {lead.n_queries:,} queries. Scores of single "
        "queries are by people where they labelled it, and by the model elsewhere."
    )


def _sampling_notes(sampling: Sampling, n_queries: int, tests: Sequence[str]) -> Iterator[str]:
    """Note weights, groups and strata of the queries."""
    if sampling.weights is not None and sampling.effective_queries is not None:
        yield weights_note(len(sampling.weights), sampling.effective_queries)
        named = f"{' and '.join(tests)}, and the " if tests else "The "
        yield f"{named[0].upper()}{named[1:]}effect sizes count every query once."
    if sampling.groups is not None:
        n_groups = sampling.count(np.ones(n_queries, dtype=bool))
        yield f"The queries come in {n_groups:,} groups, and the groups are tested."
    n_strata = len(set(sampling.strata or ()))
    if n_strata > 1:
        yield f"The queries come from {n_strata:,} strata; only the spread within them counts."
