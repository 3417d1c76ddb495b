"""Write cwl_values.json: what cwl_eval 1.0.12 and ir_measures 0.4.3 return for a small test set.

Both are called through ir_measures: its provider cwl_eval for user models, and its providers compat
and accuracy for the other two. To write the values again::

    python -m venv cwl && cwl/bin/pip install cwl-eval==1.0.12 ir-measures==0.4.3
    cwl/bin/python tests/compat/make_cwl_values.py
"""

import json
import random
from pathlib import Path

USER_MODELS = [
    "BPM(T=1.0,max_rel=3)@5", "BPM(T=2.5,max_rel=3)@20", "BPM(T=1.0,max_rel=1)@2000",
    "BPM(T=2.0,min_rel=1,max_rel=3)@10",
    "INSQ(max_rel=3)", "INSQ(T=2.0,max_rel=1)", "INSQ(T=7.5,min_rel=1,max_rel=3)",
    "INST(max_rel=3)", "INST(T=2.0,max_rel=1)", "INST(T=7.5,min_rel=1,max_rel=3)",
    "INST(T=0.5,max_rel=2)",
    "SDCG(max_rel=3)@5", "SDCG(max_rel=1)@50", "SDCG(dcg='log2',max_rel=3)@3000",
    "NERR8(max_rel=4)@5", "NERR8(max_rel=3)@50", "NERR8(max_rel=1)@2000",
    "NERR9(max_rel=4)@5", "NERR9(min_rel=1,max_rel=5)@50", "NERR9(max_rel=1)@2000",
    "NERR10(max_rel=4)", "NERR10(p=0.5,max_rel=3)", "NERR10(p=0.995,max_rel=5)",
    "NERR11(max_rel=4)", "NERR11(T=3.0,max_rel=3)", "NERR11(T=0.25,max_rel=5)",
]  # fmt: skip
OTHERS = [
    "Compat",
    "Compat(p=0.5)",
    "Compat(p=0.99,normalize=False)",
    "Accuracy",
    "Accuracy(rel=2)",
]


def make_data():
    """Return judgments and a run without ties: short rankings, long ones, and one of 1,200."""
    draw = random.Random(18)  # noqa: S311 - a test set
    qrels, run = {}, {}
    for number, depth in enumerate([1, 2, 5, 8, 12, 20, 30, 40, 60, 90, 150, 1200]):
        query = f"q{number}"
        documents = [f"d{i}" for i in range(depth)]
        judged = [*draw.sample(documents, (depth + 2) // 3), "missed_1", "missed_2", "missed_3"]
        qrels[query] = {document: draw.choice([0, 0, 1, 1, 2, 3]) for document in judged}
        qrels[query] |= {"d0": draw.choice([0, 1, 3]), "missed_0": 2}
        run[query] = {document: 2.0 * depth - i for i, document in enumerate(documents)}
    return qrels, run


def main():
    """Write the file next to this one."""
    import ir_measures

    qrels, run = make_data()
    found = {}
    for provider, names in ((ir_measures.cwl_eval, USER_MODELS), (ir_measures, OTHERS)):
        measures = {ir_measures.parse_measure(name): name for name in names}
        for one in provider.iter_calc([*measures], qrels, run):
            values = found.setdefault(measures[one.measure], {})
            if provider is ir_measures.cwl_eval:
                values[one.query_id] = [one.value, one.expected_total_utility, one.expected_items]
            else:
                values[one.query_id] = one.value
    path = Path(__file__).with_name("cwl_values.json")
    path.write_text(json.dumps(found, indent=0, sort_keys=True) + "\n")


if __name__ == "__main__":
    main()
