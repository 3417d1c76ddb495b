"""Measures that have no value per query: of a whole run, of sessions, of several runs.

They are Python functions, and some are also commands. `evaluate` and ``-m`` do not accept them.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

__all__ = ["RUN_MEASURES", "RunMeasure", "Scope", "find_run_measure"]

Scope: TypeAlias = Literal[
    "a whole run", "sessions", "two runs", "a candidate and its baseline", "several systems"
]
"""What one value describes."""


@dataclass(frozen=True)
class RunMeasure:
    """A measure of something larger than the ranking of one query."""

    name: str
    title: str
    scope: Scope
    function: str
    """The Python function that computes it."""
    definition: str
    use_when: str
    avoid_when: str
    command: str | None = None
    """The command that reports it, if any."""
    aliases: tuple[str, ...] = field(default=())

    def parameters(self) -> Mapping[str, Any]:
        """Return the defaults of the function's parameters; None for those without one."""
        module, _, name = self.function.rpartition(".")
        found = inspect.signature(getattr(importlib.import_module(module), name)).parameters
        return {
            parameter.name: None if parameter.default is parameter.empty else parameter.default
            for parameter in found.values()
        }


RUN_MEASURES = (
    RunMeasure(
        "coverage",
        "Catalogue coverage",
        "a whole run",
        "berryeval.catalogue_coverage",
        "The share of the catalogue that is among the first k results of any query.",
        "You recommend items, and those that are never shown are never sold.",
        "You search: most documents answer nobody's question, and should not be shown.",
        aliases=("catalogue_coverage", "ItemCoverage"),
    ),
    RunMeasure(
        "novelty",
        "Novelty",
        "a whole run",
        "berryeval.novelty",
        "The mean self-information, -log2(popularity / total), of the first k results.",
        "You recommend items, and want to know whether users see more than the most popular.",
        "You have no counts of how often items were chosen.",
    ),
    RunMeasure(
        "diversity",
        "Intra-list diversity",
        "a whole run",
        "berryeval.intra_list_diversity",
        "The mean distance between any two of the first k results: 1 - cosine of vectors, or "
        "1 - Jaccard's index of sets of labels.",
        "A list of near duplicates would bore its readers.",
        "Queries have one meaning: similar results are then what is wanted. For queries with "
        "several meanings that were judged, use alpha-nDCG.",
        aliases=("intra_list_diversity", "ILD"),
    ),
    RunMeasure(
        "mean_context_length",
        "Mean context length",
        "a whole run",
        "berryeval.context_length",
        "The mean over queries of the length of the first k results together.",
        "You pay a language model by the token.",
        "You compare or guard lengths: tokens@k has the same value for each query.",
    ),
    RunMeasure(
        "oracle",
        "Ceiling of reranking",
        "a whole run",
        "berryeval.reranking_ceiling",
        "The mean of a measure with the first k documents of each query in the best order.",
        "You decide how many documents to give to a reranker, or whether one can help at all.",
        "Few documents are judged: unjudged ones count as not relevant, and the ceiling is low.",
        "berryeval evaluate --oracle DEPTH",
        ("reranking_ceiling",),
    ),
    RunMeasure(
        "session_DCG",
        "Session DCG (sDCG), and nsDCG, which is normalised",
        "sessions",
        "berryeval.session_scores",
        "DCG over the turns of a session; turn t counts 1 / (1 + log_bq(t)).",
        "Users rephrase, or talk with an assistant, and early answers are worth more.",
        "Each query stands for itself.",
        "berryeval sessions",
        ("sessionDCG", "nsDCG"),
    ),
    RunMeasure(
        "RBO",
        "Rank-biased overlap, extrapolated and with bounds",
        "two runs",
        "berryeval.overlap",
        "How much two rankings have in common at each depth, weighted towards the first ranks by "
        "p; the mean over queries. Kendall's tau of the documents in both stands beside it.",
        "You want to know how much a change moves before you judge anything.",
        "You want to know which run is better: it says only how much they differ.",
        "berryeval overlap",
        ("RBO_ext", "rank_biased_overlap"),
    ),
    RunMeasure(
        "U-risk",
        "Risk-sensitive utility",
        "a candidate and its baseline",
        "berryeval.stats.u_risk",
        "The mean over queries of the gain, where a loss counts 1 + alpha times.",
        "Users notice a query that got worse more than one that got better.",
        "Gains and losses count equally: report the mean difference.",
        "berryeval compare --risk ALPHA",
        ("u_risk", "URisk"),
    ),
    RunMeasure(
        "T-risk",
        "Risk-sensitive utility in standard errors",
        "a candidate and its baseline",
        "berryeval.stats.t_risk",
        "U-risk divided by its standard error.",
        "You want to know whether the risk is more than chance: below about -2 it is.",
        "Fewer than two queries differ.",
        "berryeval compare --risk ALPHA",
        ("t_risk", "TRisk"),
    ),
    RunMeasure(
        "geo-risk",
        "Geometric risk",
        "several systems",
        "berryeval.stats.geo_risk",
        "The square root of a system's mean score times Phi(mean z), where z says for each query "
        "how far the system is from its expected score, given all systems; z below 0 counts "
        "1 + alpha times.",
        "You rank several systems by quality and risk together.",
        "There is no set of systems to compare with, or a score can be negative.",
        "berryeval compare --risk ALPHA",
        ("geo_risk", "GeoRisk"),
    ),
    RunMeasure(
        "robustness_index",
        "Robustness index, also called reliability of improvement",
        "a candidate and its baseline",
        "berryeval.stats.robustness_index",
        "The share of queries that gain minus the share of those that lose.",
        "You want to count queries, whatever the size of their change.",
        "A few large losses matter more than many small gains.",
        "berryeval compare --risk ALPHA",
        ("RI",),
    ),
    RunMeasure(
        "tau",
        "Kendall's tau, and tau-AP, in which the best systems count more",
        "several systems",
        "berryeval.agree",
        "How far two sets of judgments, or two measures, order systems alike.",
        "You replace judges, judgments or a measure, and ask whether it would change decisions.",
        "There are fewer than about five systems: a single swap then changes it a lot.",
        "berryeval agree",
        ("tau_ap", "kendall_tau"),
    ),
)
"""All of them, in the order of the documentation."""


def find_run_measure(name: str) -> RunMeasure | None:
    """Return the measure of runs with this name or alias, ignoring case; None if there is none."""
    for measure in RUN_MEASURES:
        if name.lower() in map(str.lower, (measure.name, *measure.aliases)):
            return measure
    return None
