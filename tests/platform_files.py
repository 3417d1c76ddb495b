"""Small files of every platform, written by hand in the documented formats."""

import json

QUEPID_CSV = (
    "query,docid,rating\n"
    "led tv,d7,3\n"
    "led tv,d9,0\n"
    "led tv,d4,\n"
    '"remote, black",d9,1\n'
    " -20 dB,d7,2\n"
    "hdmi cable,,\n"
)

QUEPID_BOOK_CSV = (
    "query,docid,Ada Lovelace,Anonymous,Bob\n"
    "led tv,d7,3,,1\n"
    "led tv,d9,,0,\n"
    "led tv,d4,,,\n"
    "hdmi cable,d1,2,2,2\n"
)

QUEPID_BOOK = {
    "name": "TVs",
    "show_rank": False,
    "support_implicit_judgements": True,
    "scale": [0, 1, 2],
    "scale_with_labels": {"0": "Poor", "1": "Fair", "2": "Perfect"},
    "query_doc_pairs": [
        {
            "query_text": "led tv",
            "doc_id": "d7",
            "position": 1,
            "document_fields": {"title": "A TV"},
            "information_need": "",
            "notes": None,
            "options": None,
            "judgements": [
                {
                    "rating": 2.0,
                    "unrateable": False,
                    "judge_later": False,
                    "user_email": "ada@example.com",
                    "explanation": "the newest one",
                },
                {"rating": 1.0, "user_email": "bob@example.com", "explanation": ""},
                {"rating": None, "unrateable": True, "user_email": "cy@example.com"},
            ],
        },
        {"query_text": "led tv", "doc_id": "d9", "judgements": []},
        {"query_text": "hdmi", "doc_id": "d1", "judgements": [{"rating": 0, "judge_later": False}]},
    ],
}

QUEPID_CASE = {
    "case_name": "TVs",
    "scorer": {"name": "nDCG@10"},
    "queries": [
        {
            "query_text": "led tv",
            "options": {},
            "notes": "popular",
            "information_need": "A flat screen",
            "ratings": [
                {"doc_id": "d7", "rating": 2, "user_email": "ada@example.com"},
                {"doc_id": "d9", "rating": 0},
                {"doc_id": "d4", "rating": None},
            ],
        },
        {"query_text": "hdmi", "options": None, "notes": None, "ratings": []},
    ],
    "try": {"name": "Try 1"},
}

QUEPID_SNAPSHOT = {
    "id": 3,
    "name": "boosted",
    "time": "2026-11-16T08:00:00Z",
    "has_snapshot_file": False,
    "scorer": {"name": "AP@10"},
    "docs": {
        "41": [
            {"id": "d7", "explain": None, "rated_only": False, "fields": {"title": "A TV"}},
            {"id": "d4", "rated_only": True},
            {"id": "d9", "rated_only": False, "fields": None},
        ],
        "42": [],
        "43": [{"id": "d1"}],
    },
    "queries": [
        {"query_id": 41, "query_text": "led tv", "ratings": {"d7": 2, "d4": None}},
        {"query_id": 42, "query_text": "hdmi", "information_need": "a cable", "ratings": {}},
    ],
    "scores": [
        {"query_id": 41, "score": 0.5, "all_rated": False},
        {"query_id": 42, "score": None},
    ],
}

QUEPID_SNAPSHOT_CSV = (
    "Snapshot Name,Snapshot Time,Case ID,Query Text,Doc ID,Doc Position,title\n"
    "boosted,2026-11-16,7,led tv,d9,2,\n"
    "boosted,2026-11-16,7,led tv,d7,1,A TV\n"
    "boosted,2026-11-16,7, -20 dB,d1,1,\n"
)

QUEPID_DETAILED_CSV = (
    "Team Name,Case Name,Case ID,Query Text,Doc ID,Doc Position,Title,Rating,brand\n"
    "us,TVs,7,led tv,d7,1,A TV,3,Acme\n"
    "us,TVs,7,led tv,d9,2,,,\n"
)

SRW_JUDGMENTS = {
    "name": "TVs",
    "description": "",
    "type": "IMPORT_JUDGMENT",
    "judgmentRatings": [
        {
            "query": "led tv",
            "ratings": [{"docId": "d7", "rating": "3.000"}, {"docId": "d9", "rating": 0}],
        },
        {"query": "hdmi", "ratings": [{"docId": "d1", "rating": "0.5"}]},
    ],
}

SRW_EXPERIMENT = {
    "type": "POINTWISE_EVALUATION",
    "evaluationResultList": [
        {
            "searchText": "led tv",
            "judgmentIds": [],
            "documentIds": ["d7", "d9"],
            "metrics": [{"metric": "NDCG@10", "value": 0.8}, {"metric": "MAP@10", "value": 1}],
        },
        {
            "searchText": "hdmi",
            "documentIds": ["d1"],
            "metrics": [{"metric": "NDCG@10", "value": 0}],
        },
    ],
}

SRW_QUERY_SET = {
    "name": "TVs",
    "sampling": "manual",
    "querySetQueries": [
        {"queryText": "led tv", "referenceAnswer": "A flat screen", "category": "tv"},
        {"queryText": "hdmi"},
    ],
}

RRE = {
    "index": "tvs",
    "id_field": "id",
    "topics": [
        {
            "description": "TVs",
            "query_groups": [
                {
                    "name": "LED",
                    "queries": [
                        {"template": "q.json", "placeholders": {"$query": "led tv"}},
                        {
                            "template": "q.json",
                            "placeholders": {"$query": "LED TV"},
                            "relevant_documents": {"d8": {"rating": 1}},
                        },
                    ],
                    "relevant_documents": {"d7": {"gain": 3}, "d9": {"gain": 0}},
                }
            ],
        }
    ],
}

RRE_GAINS = {
    "id_field": "id",
    "index": "tvs",
    "template": "q.json",
    "queries": [
        {
            "placeholders": {"$query": "led tv"},
            "relevant_documents": {"3": ["d7", "d8"], "0": ["d9"]},
        },
        {"placeholders": {"$query": "hdmi"}},
    ],
}

RANK_EVAL = {
    "templates": [{"id": "match", "template": {"source": "{}"}}],
    "requests": [
        {
            "id": "q1",
            "request": {"query": {"match": {"text": "led tv"}}},
            "ratings": [
                {"_index": "tvs", "_id": "d7", "rating": 3},
                {"_index": "tvs", "_id": "d9", "rating": 0},
            ],
        },
        {
            "id": "q2",
            "template_id": "match",
            "params": {"query_string": "hdmi"},
            "ratings": [{"_index": "cables", "_id": "d1", "rating": 1}],
        },
    ],
    "metric": {"precision": {"k": 10}},
}

RANK_EVAL_RESPONSE = {
    "metric_score": 0.4,
    "details": {
        "q1": {
            "metric_score": 0.75,
            "unrated_docs": [{"_index": "tvs", "_id": "d4"}],
            "hits": [
                {"hit": {"_index": "tvs", "_id": "d7", "_score": 7.5}, "rating": 3},
                {"hit": {"_index": "tvs", "_id": "d4", "_score": 6.25}, "rating": None},
            ],
            "metric_details": {"precision": {"relevant_docs_retrieved": 3, "docs_retrieved": 4}},
        },
        "q2": {"metric_score": 0.05, "unrated_docs": [], "hits": [], "metric_details": {}},
    },
    "failures": {"q3": {"error": {"type": "parsing_exception", "reason": "no"}}},
}

_HITS = {
    "total": {"value": 2, "relation": "eq"},
    "max_score": 2.5,
    "hits": [
        {"_index": "tvs", "_id": "d7", "_score": 2.5, "_source": {"title": "A TV"}},
        {"_index": "tvs", "_id": "d9", "_score": 1.25},
    ],
}

SEARCH_RESPONSES = {
    "by query": json.dumps({"q1": {"took": 3, "hits": _HITS}, "q2": {"hits": {"hits": []}}}),
    "pretty": json.dumps({"q1": {"took": 3, "timed_out": False, "hits": _HITS}}, indent=2),
    "lines": "".join(
        json.dumps(line) + "\n"
        for line in (
            {"query_id": "q1", "took": 3, "hits": _HITS},
            {"query_id": "q2", "hits": {"hits": []}},
        )
    ),
    "lines with responses": json.dumps({"query": "q1", "response": {"took": 3, "hits": _HITS}})
    + "\n",
}

MSEARCH = {
    "took": 5,
    "responses": [{"took": 3, "hits": _HITS}, {"error": {"type": "no"}, "status": 400}],
}

LTR = (
    "# qid:1: led tv\n"
    "# qid:2: hdmi cable\n"
    "#\n"
    "4\tqid:1\t1:9.8\t2:12.3\t# d7\tled tv\n"
    "0\tqid:1\t# d9\tled tv\n"
    "1\tqid:2\t# d1\thdmi cable\n"
)

MSMARCO = "q1\td9\t2\nq1\td7\t1\nq2\td1\t1\n"

FILES = {
    "quepid-csv": QUEPID_CSV,
    "quepid-book-csv": QUEPID_BOOK_CSV,
    "quepid-book": QUEPID_BOOK,
    "quepid-case": QUEPID_CASE,
    "quepid-snapshot": QUEPID_SNAPSHOT,
    "quepid-snapshot-csv": QUEPID_SNAPSHOT_CSV,
    "srw-judgments": SRW_JUDGMENTS,
    "srw-experiment": SRW_EXPERIMENT,
    "srw-query-set": SRW_QUERY_SET,
    "rre": RRE,
    "rank-eval": RANK_EVAL,
    "rank-eval-response": RANK_EVAL_RESPONSE,
    "search-response": SEARCH_RESPONSES["by query"],
    "ltr": LTR,
    "msmarco": MSMARCO,
}


def wrapped(document):
    """Return a document as the only hit of a search for it, as the workbench's GET does."""
    hits = [{"_index": "search-relevance", "_id": "1", "_source": document}]
    return {"took": 1, "_shards": {}, "hits": {"total": {"value": 1}, "hits": hits}}
