"""Write ndeval_values.json: what ndeval 4.5 returns for small test sets with subtopics.

ir_measures calls it as pyndeval, which is compiled from C, so the tests compare with stored
values. To write them again::

    python -m venv ndeval && ndeval/bin/pip install pyndeval==0.0.8 ir-measures==0.4.3
    ndeval/bin/python tests/compat/make_ndeval_values.py
"""

import json
import math
import random
from pathlib import Path

CUTOFFS = (1, 2, 3, 5, 10, 20)
MEASURES = [
    *(
        f"{name}@{k}"
        for name in (
            "ERR_IA", "ERR_IA(rel=2)", "nERR_IA", "alpha_DCG", "alpha_DCG(alpha=0.25)",
            "alpha_nDCG", "alpha_nDCG(alpha=0.25)", "alpha_nDCG(alpha=0.75,rel=2)", "P_IA",
            "P_IA(rel=2)", "StRecall", "StRecall(rel=2)",
        )
        for k in CUTOFFS
    ),
    *("NRBP", "NRBP(alpha=0.25,beta=0.75)", "NRBP(rel=2)", "nNRBP"),
    *("nNRBP(alpha=0.25,beta=0.75)", "AP_IA", "AP_IA(rel=2)"),
]  # fmt: skip


def make_data():
    """Return grades by query, document and subtopic, and a run without ties.

    Subtopics begin at 0 in some queries. Some have no relevant document, some documents none.
    """
    draw = random.Random(18)  # noqa: S311 - a test set
    qrels, run = {}, {}
    for number in range(1, 25):
        query = f"{number}"
        documents = [f"d{one}" for one in range(1, draw.choice([4, 12, 40]))]
        first = draw.choice([0, 1])
        subtopics = [str(one) for one in range(first, first + draw.randint(1, 6))]
        density = draw.choice([0.1, 0.3, 0.6])
        qrels[query] = {
            document: {
                subtopic: draw.choice([1, 1, 2, 3]) if draw.random() < density else 0
                for subtopic in subtopics
                if draw.random() < 0.8
            }
            for document in documents
            if draw.random() < 0.7
        }
        qrels[query] = {document: own for document, own in qrels[query].items() if own}
        qrels[query]["judged"] = dict.fromkeys(subtopics, 0)
        retrieved = [*documents, "judged", "other", "unknown"]
        draw.shuffle(retrieved)
        run[query] = {
            document: 100 - rank
            for rank, document in enumerate(retrieved[: draw.randint(1, len(retrieved))])
        }
    return qrels, run


def main():
    """Write the file next to this one."""
    import ir_measures

    qrels, run = make_data()
    judged = [
        ir_measures.Qrel(query, document, grade, subtopic)
        for query, documents in qrels.items()
        for document, grades in documents.items()
        for subtopic, grade in grades.items()
    ]
    ranked = [
        ir_measures.ScoredDoc(query, document, score)
        for query, documents in run.items()
        for document, score in documents.items()
    ]
    values = {}
    for name in MEASURES:
        measure = ir_measures.parse_measure(name)
        found = ir_measures.pyndeval.iter_calc([measure], judged, ranked)
        # NaN, of queries without a relevant document, is no JSON.
        values[name] = {one.query_id: None if math.isnan(one.value) else one.value for one in found}
    path = Path(__file__).with_name("ndeval_values.json")
    content = {"qrels": qrels, "run": run, "values": values}
    path.write_text(json.dumps(content, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
