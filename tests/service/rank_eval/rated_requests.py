"""Elasticsearch's own example: cities, two queries, and their ratings."""

TEXTS = {
    "doc1": "berlin",
    "doc2": "amsterdam",
    "doc3": "amsterdam",
    "doc4": "something about amsterdam and berlin",
}


def fill(client, name="foo", texts=TEXTS):
    """Store documents in a new store, and return the client."""
    client.put(f"/v1/stores/{name}", json={"kind": "bm25"})
    documents = [
        {"doc_id": doc_id, "text": text, "title": doc_id.upper()} for doc_id, text in texts.items()
    ]
    client.post(f"/v1/stores/{name}/documents", json={"documents": documents})
    return client


def rated(ratings, index="foo"):
    """Return ratings as Elasticsearch expects them."""
    return [{"_index": index, "_id": doc_id, "rating": one} for doc_id, one in ratings.items()]


AMSTERDAM = {
    "id": "amsterdam_query",
    "request": {"query": {"match": {"text": "amsterdam"}}},
    "ratings": rated({"doc1": 0, "doc2": 1, "doc3": 1}),
}
BERLIN = {
    "id": "berlin_query",
    "request": {"query": {"match": {"text": "berlin"}}, "size": 10},
    "ratings": rated({"doc1": 1}),
}
BODY = {"requests": [AMSTERDAM, BERLIN], "metric": {"precision": {"ignore_unlabeled": True}}}


def ask(client, body, path="/foo/_rank_eval", **more):
    """Request a ranking evaluation."""
    return client.post(path, json=body, **more)
