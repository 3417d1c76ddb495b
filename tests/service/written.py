"""Data that clients write to a service under load, and checks of what is stored afterwards.

Each kind of write has units that are stored completely or not at all, under keys that are never
reused, with values that follow from the key. One pair is judged repeatedly: its grade never falls
below the last acknowledged one.
"""

import threading
from contextlib import suppress
from dataclasses import dataclass, field

import httpx

from berryeval.archive import Archive

STORE = "docs"
N_QUERIES = 50
"""Number of queries in a run; each has two documents."""


@dataclass
class Written:
    """Acknowledged writes by kind, and unacknowledged ones."""

    acknowledged: dict[str, list[str]] = field(default_factory=dict)
    refused: list[str] = field(default_factory=list)
    last_sent: int = -1
    last_acknowledged: int = -1

    @property
    def kinds(self):
        """The kinds with acknowledged writes."""
        return {kind for kind, keys in list(self.acknowledged.items()) if keys}

    @property
    def n_acknowledged(self):
        """The number of requests answered with 2xx."""
        return sum(map(len, list(self.acknowledged.values())))


def judge_for_stores(client, key):
    """Judge three documents with E5's route."""
    pairs = [
        {"query_id": key, "doc_id": f"d{i}", "relevance": grade}
        for i, grade in enumerate(grades(key))
    ]
    return client.post("/v1/evaluation/judgments", json=pairs)


def judge(client, key):
    """Judge three documents."""
    entries = [
        {"query_id": key, "doc_id": f"d{i}", "grade": grade} for i, grade in enumerate(grades(key))
    ]
    return client.post("/v1/judgments", json={"judgments": entries})


def upload(client, key):
    """Upload a run."""
    lines = "".join(
        f"q{i} Q0 {doc_id} 1 {2 - rank} t\n"
        for i in range(N_QUERIES)
        for rank, doc_id in enumerate((key, "x"))
    )
    return client.post("/v1/runs", params={"name": key}, content=lines)


def put_query(client, key):
    """Store a query."""
    return client.put(f"/v1/queries/{key}", json={"text": f"text of {key}"})


def index(client, key):
    """Index two documents of a store."""
    pair = [{"doc_id": f"{key}{half}", "text": f"text of {key}"} for half in "ab"]
    return client.post(f"/v1/stores/{STORE}/documents", json={"documents": pair})


KINDS = {
    "E5": judge_for_stores,
    "judgments": judge,
    "runs": upload,
    "queries": put_query,
    "documents": index,
}


def client_of(address, *, stays_open=False):
    """Return a client without certificates, which take longer to load than all requests.

    It closes a connection that it has not used for five seconds, unless that stays open.
    """
    limits = httpx.Limits(keepalive_expiry=None if stays_open else 5)
    return httpx.Client(base_url=address, timeout=60, limits=limits, verify=False)  # noqa: S501 - plain HTTP


def grades(key):
    """Return the grades of the three documents judged under a key."""
    number = int(key.rpartition("-")[2])
    return [(number + i) % 4 for i in range(3)]


def write_until_gone(address, kind, prefix, written):
    """Write one kind, each time under a new key, until the server is gone."""
    acknowledged = written.acknowledged.setdefault(kind, [])
    with client_of(address) as client, suppress(httpx.TransportError):
        for number in range(100_000):
            key = f"{kind}-{prefix}-{number}"
            answer = KINDS[kind](client, key)
            if answer.is_success:
                acknowledged.append(key)
            else:
                written.refused.append(f"{key}: {answer.text}")


def judge_repeatedly_until_gone(address, written):
    """Judge the same pair repeatedly, with a higher grade each time."""
    with client_of(address) as client, suppress(httpx.TransportError):
        while True:
            written.last_sent += 1
            pair = {"query_id": "again", "doc_id": "d", "relevance": written.last_sent}
            client.post("/v1/evaluation/judgments", json=[pair]).raise_for_status()
            written.last_acknowledged = written.last_sent


def start_writers(address, prefix, written):
    """Start a client for each kind of write, and return their threads."""
    threads = [
        threading.Thread(target=write_until_gone, args=(address, kind, prefix, written))
        for kind in KINDS
    ]
    threads.append(threading.Thread(target=judge_repeatedly_until_gone, args=(address, written)))
    for thread in threads:
        thread.start()
    return threads


def losses(location, address, written):
    """Return acknowledged writes that are missing or changed, and those that are incomplete."""
    halves = []
    with Archive.open(location) as archive:
        facts = archive.check(deep=True)
        if facts.problem is not None:
            halves.append(facts.problem)
        judged = archive.judgments.current().to_dict()
        judged.pop("again", None)
        expected = {key: {f"d{i}": grade for i, grade in enumerate(grades(key))} for key in judged}
        halves += [key for key in judged if judged[key] != expected[key]]
        runs = {run.facts.name: run.run_id for run in every(archive.runs.page)}
        halves += [name for name, run_id in runs.items() if not is_whole(archive, name, run_id)]
        queries = {query.query_id: query.text for query in every(archive.queries.page)}
        halves += [key for key in queries if queries[key] != f"text of {key}"]
    documents = documents_of(address)
    halves += [doc_id for doc_id in documents if not has_partner(doc_id, documents)]
    there = {*judged, *runs, *queries, *(doc_id[:-1] for doc_id in documents)}
    acknowledged = [key for keys in written.acknowledged.values() for key in keys]
    return [key for key in acknowledged if key not in there], halves


def every(page):
    """Return all entries of a paginated list."""
    items, after = [], None
    while True:
        found = page(after=after, limit=1000)
        items += found.items
        after = found.next
        if after is None:
            return items


def is_whole(archive, name, run_id):
    """Return whether a stored run equals the one uploaded under its name."""
    run = archive.runs.load(run_id)
    rankings = [run.ranking(f"q{i}") for i in range(N_QUERIES)]
    return run.n_rows == 2 * N_QUERIES and rankings == [[name, "x"]] * N_QUERIES


def has_partner(doc_id, documents):
    """Return whether both documents of a request are stored with their texts."""
    key = doc_id[:-1]
    return all(documents.get(f"{key}{half}") == f"text of {key}" for half in "ab")


def documents_of(address):
    """Return the documents of the store by id."""
    found, path = {}, f"/v1/stores/{STORE}/documents?limit=1000"
    with client_of(address) as client:
        while path:
            page = client.get(path).raise_for_status().json()
            found |= {one["doc_id"]: one["text"] for one in page["items"]}
            path = page["next"]
    return found
