"""Make an archive as large as the workbench has to cope with.

1,000 runs of 7,000 queries with 10 results each, evaluated, and a million judgments: some pairs
were judged twice, some of those differ, and some documents changed since. Everything is invented,
and the same every time.

    python benchmarks/large_archive.py large.db
    python benchmarks/large_archive.py postgresql://user@host/database
    python benchmarks/large_archive.py small.db --runs 50 --queries 500 --judgments 20000
"""

import argparse
import hashlib
import itertools
import json
import sys
import time
from array import array
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone

import numpy as np

from berryeval.archive import Archive
from berryeval.archive.clock import backdated
from berryeval.archive.documents import hash_of_document
from berryeval.archive.projects.records import PairSelection, ProjectPlan
from berryeval.archive.records import RunFacts
from berryeval.core.documents import Document
from berryeval.core.id_column import IdColumn
from berryeval.core.query import Query
from berryeval.core.run import Run
from berryeval.evaluation import evaluate
from berryeval.service.demo.filling import PROJECT
from berryeval.service.jobs import no_progress
from berryeval.service.stored_runs import RunCache
from berryeval.service.verdicts import decide_on

MEASURES = ("nDCG@10", "RR", "P@5", "R@10", "AP")
"""Those of the workbench."""

SERIES = ("bm25", "vectors", "hybrid", "hybrid-tuned", "reranked", "sparse", "legacy", "experiment")
AUTHORS = ("ada", "ben", "cora", "dan")
CATEGORIES = ("factual", "conceptual", "procedural", "comparative", "troubleshoot")
DIFFICULTIES = ("easy", "medium", "hard")
WORDS = [
    *("index", "token", "backup", "cluster", "replica", "shard", "query", "score", "latency"),
    *("region", "tenant", "quota", "policy", "role", "secret", "key", "rotate", "restore"),
    *("upgrade", "migrate", "connector", "webhook", "schema", "field", "analyzer", "synonym"),
]

NEAR = 40
"""So many documents of each query are what systems choose their results from."""
EACH_HOLE = 9
"""Every ninth of them was never judged."""
EACH_CHANGED = 200
"""Every so many documents changed after they had been judged."""
N_IN_PROJECT = 1000
"""Pairs that two judges grade."""
N_DECIDED = 3
"""So many verdicts are really decided; the others repeat their reports."""

TODAY = datetime(2026, 11, 1, 9, tzinfo=timezone.utc)


@dataclass(frozen=True)
class Size:
    """How much there is of everything."""

    runs: int = 1000
    queries: int = 7000
    depth: int = 10
    judgments: int = 1_000_000
    documents: int = 100_003
    """A prime, so that no query comes upon the same document twice."""
    verdicts: int = 200

    @property
    def judged_a_query(self) -> int:
        """How many documents of each query are judged, at least."""
        return self.judgments // self.queries


def fill(archive, size=None, *, report=lambda _text: None):
    """Fill an empty archive."""
    size = size or Size()
    start = time.perf_counter()

    def done(what):
        report(f"{time.perf_counter() - start:6.1f} s  {what}")

    with backdated(TODAY - timedelta(days=500)):
        archive.queries.put(queries(size))
        done(f"{size.queries:,} queries")
    bulk_insert(archive, "documents", document_rows(size))
    done(f"{size.documents:,} documents")
    bulk_insert(archive, "judgments", judgment_rows(size))
    done(f"{size.judgments:,} judgments, some with earlier states")
    judgments, hashed = archive.judgments.as_of(None)
    done("judgments read")

    def store(number):
        run, facts = ranked(size, number), facts_of(size, number)
        with backdated(moment_of(size, number)):
            stored = archive.runs.put(run, facts)
            found = evaluate(judgments, run, MEASURES)
            archive.evaluations.put(stored.run_id, found, judgments_hash=hashed)
        if number % 100 == 99:
            done(f"{number + 1:,} runs")
        return stored

    with ThreadPoolExecutor(2) as pool:
        stored = list(pool.map(store, range(size.runs)))
    decide(archive, stored, size)
    done(f"{size.verdicts} verdicts")
    start_project(archive)
    done("a project")


def queries(size):
    """Iterate over queries with texts and labels."""
    for number in range(size.queries):
        words = " ".join(WORDS[(number * k + k) % len(WORDS)] for k in (1, 3, 7, 11))
        yield Query(
            query_name(number).decode(),
            f"how to {words} {number}",
            CATEGORIES[number % len(CATEGORIES)],
            DIFFICULTIES[number // 7 % len(DIFFICULTIES)],
            f"The person wants to know how to {words} in installation {number}.",
            (f"team-{number % 12}",),
        )


def query_name(number):
    """Return the id of a query."""
    return b"q%06d" % number


def document_name(number):
    """Return the id of a document."""
    return b"doc-%08d" % number


def document(number, *, is_changed=False):
    """Return a document with a short text."""
    words = " ".join(WORDS[(number * k + k * k) % len(WORDS)] for k in range(1, 30))
    ending = " This was added later." if is_changed else ""
    return Document(document_name(number).decode(), f"Chapter {number}", f"About {words}.{ending}")


def document_rows(size):
    """Iterate over rows of documents as they are now."""
    for number in range(size.documents):
        found = document(number, is_changed=number % EACH_CHANGED == 0)
        content = json.dumps({"title": found.title, "text": found.text}, separators=(",", ":"))
        moment = TODAY - timedelta(days=400 if number % EACH_CHANGED else 30)
        yield found.doc_id.encode(), json.dumps(hash_of_document(found)), content, moment


def near(size, number, place):
    """Return the document of a query at a place, the most relevant first on average."""
    return (number * 97 + place * 1009) % size.documents


def judged_places(size, number):
    """Iterate over the places of the documents that were judged for a query."""
    places = (
        place for place in itertools.count() if place >= NEAR or place % EACH_HOLE < EACH_HOLE - 1
    )
    n_more = 1 if number < size.judgments % size.queries else 0
    return itertools.islice(places, size.judged_a_query + n_more)


def grade_of(number, place):
    """Return a grade: high ones are near."""
    noise = (number * 31 + place * 17) % 10
    return float(sum(place + noise < limit for limit in (60, 18, 9)))


def judgment_rows(size):
    """Iterate over rows of judgments: first all first states, then those that replaced some."""
    hashes = [json.dumps(hash_of_document(document(number))) for number in range(size.documents)]
    authors = [json.dumps(author) for author in AUTHORS]
    later = []
    revision = 0
    for number in range(size.queries):
        author = authors[number % len(authors)]
        moment = TODAY - timedelta(days=480 - 400 * number / size.queries)
        for place in judged_places(size, number):
            revision += 1
            doc = near(size, number, place)
            grade = grade_of(number, place)
            successor = None
            if (number + place) % 12 == 0:
                successor = size.judgments + len(later) + 1
                other = authors[(number + 1) % len(authors)]
                differs = (number + place) % 48 == 0
                again = (grade + 1) % 4 if differs else grade
                state = [query_name(number), document_name(doc), again, other, None, hashes[doc]]
                later.append(state)
                if differs and (number + place) % 96 == 0:
                    later.append(
                        [*state[:2], grade, authors[(number + 2) % 4], '"settled"', state[5]]
                    )
            yield (revision, query_name(number), document_name(doc), grade, author, '"first pass"',
                   moment, hashes[doc], successor)  # fmt: skip
    for at, (query_id, doc_id, grade, author, source, hashed) in enumerate(later):
        follows = at + 1 < len(later) and later[at + 1][:2] == [query_id, doc_id]
        number = size.judgments + at + 1
        yield (number, query_id, doc_id, grade, author, source or '"second pass"',
               TODAY - timedelta(days=60), hashed, number + 1 if follows else None)  # fmt: skip


def bulk_insert(archive, table, rows):
    """Write rows in the quickest way that each database has."""
    columns = {
        "documents": "doc_id, hash, content, updated_at",
        "judgments": "revision, query_id, doc_id, grade, author, source, judged_at, "
        "document_hash, superseded_by",
    }[table]
    database = archive._database
    with database.writing() as connection:
        cursor = connection.connection.cursor()
        if database.is_sqlite:
            cursor.execute("PRAGMA cache_size=-500000")
            marks = ", ".join("?" for _ in columns.split(", "))
            cursor.executemany(
                f"INSERT INTO {table} ({columns}) VALUES ({marks})",  # noqa: S608 - no input
                (tuple(_as_text(value) for value in row) for row in rows),
            )
        else:
            with cursor.copy(f"COPY {table} ({columns}) FROM STDIN") as copy:
                for row in rows:
                    copy.write_row(row)
    if not database.is_sqlite:
        with database.writing() as connection:
            connection.exec_driver_sql(f"ANALYZE {table}")


def _as_text(value):
    if isinstance(value, datetime):
        return value.strftime("%Y-%m-%d %H:%M:%S.%f")
    return value


def ranked(size, number):
    """Return the rankings of a run: the nearer to today, the less noise they have."""
    chance = np.random.default_rng(number)
    noise = 9 + 6 * (1 - number / size.runs) + 3 * (number % len(SERIES))
    keys = np.arange(NEAR) + noise * chance.standard_normal((size.queries, NEAR), dtype=np.float32)
    places = np.argsort(keys, axis=1)[:, : size.depth]
    documents = (np.arange(size.queries)[:, None] * 97 + places * 1009) % size.documents
    names = np.char.add(b"doc-", np.char.zfill(documents.ravel().astype("S8"), 8))
    scores = np.round(np.take_along_axis(-keys, places, axis=1), 2).astype("f8")
    width = names.dtype.itemsize
    n_rows = size.queries * size.depth
    return Run(
        IdColumn.of(query_name(one) for one in range(size.queries)),
        array("Q", range(0, n_rows + 1, size.depth)),
        IdColumn(names.tobytes(), array("Q", range(0, width * n_rows + 1, width))),
        array("d", scores.tobytes()),
    )


def facts_of(size, number):
    """Return what is known about a run."""
    chance = np.random.default_rng((number, 1))
    milliseconds = np.round(chance.lognormal(2.3, 0.4, size.queries), 2).tolist()
    series = SERIES[number % len(SERIES)]
    return RunFacts(
        name=series,
        settings={"depth": size.depth, "k1": 1.2, "b": 0.75, "build": number},
        corpus_hash=hashlib.sha256(b"corpus").hexdigest(),
        tags=("nightly", *(["release"] if number % 50 == 2 else [])),
        commit=hashlib.sha256(b"commit %d" % number).hexdigest()[:40],
        durations=dict(zip((query_name(i).decode() for i in range(size.queries)), milliseconds,
                           strict=True)),
    )  # fmt: skip


def moment_of(size, number):
    """Return when a run was stored: over a year, up to today."""
    return TODAY - timedelta(days=365 * (1 - (number + 1) / size.runs))


def decide(archive, stored, size):
    """Write baselines, a gate and its verdicts."""
    hybrid = [run for run in stored if run.facts.name == "hybrid"] or stored
    with backdated(TODAY - timedelta(days=200)):
        baseline = archive.baselines.put("main", hybrid[len(hybrid) // 2].run_id)
        archive.baselines.put("last-year", hybrid[0].run_id)
        guards = [
            {"measure": "nDCG@10", "margin": 0.01},
            {"measure": "P@5", "margin": "2%"},
            {"measure": "RR", "at_least": 0.5},
        ]
        gate = archive.gates.put("release", {"guards": guards, "baseline": "main"})
    runs, reference = RunCache(archive), archive.runs.get(baseline.run_id)
    decided = []
    for run in (hybrid[0], hybrid[-1], stored[-1])[:N_DECIDED]:
        with backdated(TODAY - timedelta(days=180)):
            decided.append(decide_on(archive, runs, gate, run, reference,
                                     milliseconds=None, progress=no_progress))  # fmt: skip
    for number in range(size.verdicts - len(decided)):
        message = decided[number % len(decided)]
        run = hybrid[number % len(hybrid)]
        with backdated(TODAY - timedelta(days=180 * (1 - number / size.verdicts))):
            archive.verdicts.put(gate=message.gate, run_id=run.run_id, verdict=message.verdict,
                                 judgments_hash=message.judgments_hash, report=message.report,
                                 baseline_id=message.baseline_id)  # fmt: skip


def start_project(archive):
    """Start a project of two judges, with the name of the demonstration's."""
    judges = AUTHORS[:2]
    plan = ProjectPlan(PairSelection("sample", limit=N_IN_PROJECT), len(judges), judges)
    archive.projects.create(PROJECT, plan, author=AUTHORS[-1])


def main():
    """Make the archive that the command line describes."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("archive", help="a file that is not there yet, or postgresql://…")
    usual = Size()
    for name in ("runs", "queries", "depth", "judgments", "documents", "verdicts"):
        parser.add_argument(f"--{name}", type=int, default=getattr(usual, name))
    wanted = vars(parser.parse_args())
    with Archive.open(wanted.pop("archive")) as archive:
        if archive.judgments.revision() or archive.runs.page(limit=1).items:
            raise SystemExit(f"{archive.name} is not empty; name another")
        fill(archive, Size(**wanted), report=lambda text: print(text, file=sys.stderr, flush=True))


if __name__ == "__main__":
    main()
