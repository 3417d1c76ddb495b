"""A small, realistic archive with data of every kind.

Forty queries about a garden shop, two runs, and a gate. Half of the queries have an unjudged
document at the candidate's first rank: until these are judged, the candidate seems worse than
the baseline; once they are judged relevant, it is better.
"""

from berryeval.archive import Archive, JudgmentEntry, RunFacts
from berryeval.core.documents import Document
from berryeval.core.query import Query
from berryeval.core.run import Run

N_QUERIES = 40
N_HOLES = 20
PLANTS = (
    "tomatoes", "basil", "roses", "lavender", "carrots", "beans", "apples", "plums", "mint",
    "thyme", "lettuce", "onions", "garlic", "leeks", "peas", "kale", "pumpkins", "radishes",
    "beetroot", "spinach",
)  # fmt: skip
TASKS = (("water", "procedural"), ("prune", "troubleshooting"))
SAYINGS = (
    "Begin in the morning, before the sun is high, and go on until the soil is moist.",
    "Whoever does it in August saves work in spring, and the plants thank them.",
    "A sharp knife, a clean cloth and some patience are all that it takes.",
)
GATE = {
    "baseline": "main",
    "guards": [{"measure": "nDCG@10", "margin": 0.02}, {"measure": "P@5", "at_least": 0.1}],
}


def query_ids() -> list[str]:
    """Return the ids of the queries in order."""
    return [f"q{number:02}" for number in range(1, N_QUERIES + 1)]


def holes() -> list[tuple[str, str]]:
    """Return the unjudged pairs that decide the comparison."""
    return [(query_id, f"{query_id}-new") for query_id in query_ids()[:N_HOLES]]


def queries() -> list[Query]:
    """Return two queries for each plant, with every kind of label."""
    return [
        Query(
            query_id,
            f"when to {task} {plant}",
            category=category,
            difficulty=("easy", "medium", "hard")[number % 3],
            description=f"Somebody with a small garden wants to {task} {plant}, and not harm them.",
            tags=("garden", plant),
        )
        for number, query_id in enumerate(query_ids())
        for task, category in [TASKS[number % 2]]
        for plant in [PLANTS[number // 2]]
    ]


def documents() -> list[Document]:
    """Return one unjudged and three judged documents per query, and some that are irrelevant."""
    found = [
        Document(
            f"{query.query_id}-{suffix}",
            f"{query.text.capitalize()}: {SAYINGS[place % 3]} {SAYINGS[(place + 1) % 3]}",
            title=f"{query.text.capitalize()}, part {place}",
        )
        for query in queries()
        for place, suffix in enumerate(("new", "a", "b", "c"))
    ]
    far = [Document(f"far-{n:02}", SAYINGS[n % 3], title=f"Of tools, {n}") for n in range(12)]
    return found + far


def judgments() -> list[JudgmentEntry]:
    """Return judgments for all results of the runs except the holes."""
    grades = {"a": 3, "b": 1, "c": 0}
    return [
        JudgmentEntry(query_id, f"{query_id}-{suffix}", grade)
        for query_id in query_ids()
        for suffix, grade in grades.items()
    ] + [
        JudgmentEntry(query_id, f"far-{number:02}", 0)
        for query_id in query_ids()
        for number in range(12)
    ]


def baseline() -> dict[str, list[str]]:
    """Return rankings with the relevant document among the first three."""
    rankings = {}
    for number, query_id in enumerate(query_ids()):
        ranking = [f"far-{n:02}" for n in range(8)]
        ranking.insert(number % 3, f"{query_id}-a")
        ranking.insert(3 + number % 2, f"{query_id}-b")
        rankings[query_id] = ranking
    return rankings


def candidate() -> dict[str, list[str]]:
    """Return the same rankings with the unjudged document first."""
    first = dict(holes())
    return {
        query_id: [first[query_id], *ranking[:-1]] if query_id in first else ranking
        for query_id, ranking in baseline().items()
    }


def index(archive: Archive) -> None:
    """Put the documents into the default store, which searches by words and meaning."""
    archive.stores.create("default", "hybrid")
    archive.stores.put_documents("default", documents())


def fill(archive: Archive) -> dict[str, str]:
    """Write everything; return the ids of the runs by name."""
    archive.queries.put(queries())
    archive.documents.put(documents())
    archive.judgments.put(judgments(), author="ada", source="file")
    archive.judgments.add_opinion(  # a second opinion on one of them
        "q01", "q01-b", 2, author="bob", source="workbench"
    )
    facts = {"corpus_hash": "c" * 16, "settings": {"k": 10}}
    runs = {
        "bm25": archive.runs.put(
            Run.from_lists(baseline()), RunFacts("bm25", commit="1f0e9c2", **facts)
        ),
        "hybrid": archive.runs.put(
            Run.from_lists(candidate()), RunFacts("hybrid", commit="b81d44a", **facts)
        ),
    }
    archive.baselines.put("main", runs["bm25"].run_id)
    archive.gates.put("release", GATE)
    return {name: run.run_id for name, run in runs.items()}


def run_file(rankings: dict[str, list[str]], name: str) -> str:
    """Write a run in TREC format."""
    return "".join(
        f"{query_id} Q0 {doc_id} {rank} {100 - rank} {name}\n"
        for query_id, ranking in rankings.items()
        for rank, doc_id in enumerate(ranking, 1)
    )


def judgments_file() -> str:
    """Write the judgments in TREC format."""
    return "".join(f"{one.query_id} 0 {one.doc_id} {one.grade:.0f}\n" for one in judgments())
