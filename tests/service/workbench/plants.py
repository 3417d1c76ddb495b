"""A small archive for pages about runs: two series, a baseline, and holes."""

from berryeval import Query, Run
from berryeval.archive import JudgmentEntry, RunFacts

N_QUERIES = 24


def query_ids():
    return [f"q{number:02}" for number in range(N_QUERIES)]


def fill(archive):
    """Write queries, judgments and six runs; return the ids of the runs by commit."""
    archive.queries.put(
        Query(
            query_id,
            f"when to water plant {number}",
            category="odd" if number % 2 else "even",
            tags=("rare",) if number < 3 else (),
        )
        for number, query_id in enumerate(query_ids())
    )
    archive.judgments.put(
        [
            JudgmentEntry(query_id, doc_id, grade)
            for query_id in query_ids()
            for doc_id, grade in (("good", 2), ("fair", 1), ("poor", 0))
        ],
        author="ada",
    )
    found = {}
    for place, n_first in enumerate((4, 6, 20, 18)):
        commit = f"c{place}" * 4
        found[commit[:2]] = put(archive, "hybrid", n_first, commit).run_id
    found["bm25"] = put(archive, "bm25", 2, None).run_id
    return found


def put(archive, name, n_first, commit, tags=("nightly",)):
    """Store a run with the best document first for some queries, and a hole for others."""
    run = Run.from_lists(
        {
            query_id: ["good", "poor"] if number < n_first else ["poor", "hole", "fair"]
            for number, query_id in enumerate(query_ids())
        }
    )
    facts = RunFacts(
        name,
        {"k1": 0.9, "fields": ["title", "text"]},
        "docs-1",
        tags,
        commit,
        {query_id: 10.0 + number for number, query_id in enumerate(query_ids())},
    )
    return archive.runs.put(run, facts)
