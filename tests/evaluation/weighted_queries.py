"""Queries with weights, for evaluations and comparisons."""

from berryeval import Query, compare, evaluate
from berryeval.measures import parse_measure
from evaluation.gating_cases import ids, judged, ranked

P5, GMAP = parse_measure("P@5"), parse_measure("GMAP")
WEIGHTS = (40, 10, 30, 20)


def weighted(weights, **labels):
    """Return queries with these weights; None for a query without one."""
    return [
        Query(query_id, f"what is {query_id}", weight=weight, **labels)
        for query_id, weight in zip(ids(len(weights)), weights, strict=True)
    ]


def by_id(queries):
    return {query.query_id: query for query in queries}


def evaluated(hits, weights, measures="P@5", **labels):
    return evaluate(judged(len(hits)), ranked(hits), measures, queries=weighted(weights, **labels))


def compared(before, after, weights, measures="P@5", **options):
    runs = {"baseline": ranked(before), "candidate": ranked(after)}
    queries = weighted(weights) if weights else ()
    return compare(judged(len(before)), runs, measures, queries=queries, **options)
