"""An archive of unusual but valid data."""

from berryeval.archive import Archive, JudgmentEntry, RunFacts
from berryeval.core.documents import Document
from berryeval.core.query import Query
from berryeval.core.run import Run

MARKUP = "<img src=x onerror=alert(1)>"
HEBREW = "שאלה/1?a=b#c%20"
EMOJI = "🍓👩🏽‍🌾"
BYTES = "\udcff\udcfe"  # from a file in another encoding
MANY = "many"
LONG = "long"
N_MANY = 10_000
N_LONG = 5_000_000
LAST_WORDS = "and these are its last words"

TEXTS = {
    MARKUP: "</textarea><script>alert(2)</script>\"'><x-injected>bold</x-injected> & {{ 7 * 7 }}",
    HEBREW: "איך משקים עגבניות? \u202e\u0645\u0631\u062d\u0628\u0627",
    EMOJI: "👩🏽‍🌾 grows 🍓 in 🏴󠁧󠁢󠁳󠁣󠁴󠁿",
    BYTES: "what is no text",
    MANY: "whatever there is",
    LONG: "a very long document",
}
"""The text of each query by its id."""


def queries() -> list[Query]:
    """Return one query of each kind, with matching labels."""
    return [
        Query(query_id, text, category=text[:40], description=text, tags=(text[:20],))
        for query_id, text in TEXTS.items()
    ]


def documents() -> list[Document]:
    """Return a document with text for each query, and one of 5 MB."""
    found = [
        Document(f"{query_id}-a", f"{text}\n\n{text}", title=text)
        for query_id, text in TEXTS.items()
        if query_id != LONG
    ]
    words = "one word after another, " * (N_LONG // 24)
    return [*found, Document(f"{LONG}-a", f"{words}{LAST_WORDS}", title="War and more")]


def fill(archive: Archive) -> dict[str, str]:
    """Write everything; return the ids of the runs by name."""
    archive.queries.put(queries())
    archive.documents.put(documents())
    archive.judgments.put(
        [JudgmentEntry(query_id, f"{query_id}-b", 2) for query_id in TEXTS],
        author=f"{EMOJI} {MARKUP}",
        source=MARKUP,
    )
    first = {query_id: [f"{query_id}-a", f"{query_id}-b"] for query_id in TEXTS}
    first[MANY] += [f"far-{number:05}" for number in range(N_MANY - 2)]
    second = {query_id: [*reversed(ranking)] for query_id, ranking in first.items()}
    runs = {
        name: archive.runs.put(
            Run.from_lists(rankings),
            RunFacts(name, tags=(MARKUP, EMOJI), commit="<x-injected>1", settings={MARKUP: HEBREW}),
        ).run_id
        for name, rankings in ((MARKUP, first), (HEBREW, second))
    }
    archive.baselines.put("main", runs[MARKUP])
    return runs
