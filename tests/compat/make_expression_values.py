"""Write expression_values.json: the expressions in the tests of ir_measures and ranx, and values.

ir_measures and its providers, and ranx, need many packages, so the tests compare with stored
values. The expressions come from checkouts of both projects::

    python -m venv peers && peers/bin/pip install ir-measures==0.4.3 cwl-eval==1.0.12 \\
        pyndeval==0.0.8 ranx==0.3.21 pytest
    export NUMBA_DISABLE_JIT=1
    peers/bin/python tests/compat/make_expression_values.py ir_measures CHECKOUT/tests
    peers/bin/python tests/compat/make_expression_values.py ranx CHECKOUT

Every expression of ir_measures is computed for the same made-up queries, and so is every name of a
metric in the text of ranx: its code, tests, notebooks and documentation. The metrics of ranx are
also recorded while its own tests call them, with the data of the tests.
"""

import ast
import json
import math
import random
import re
import sys
from importlib.metadata import version
from pathlib import Path

FILE = Path(__file__).with_name("expression_values.json")


def expressions(tests):
    """Return every measure in the tests, including parts of others, by its canonical name."""
    import ir_measures

    names = {**vars(ir_measures), "ir_measures": ir_measures}
    found = {}
    for path in sorted(tests.glob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if not isinstance(node, ast.expr):
                continue
            try:
                value = eval(compile(ast.Expression(node), path.name, "eval"), names)  # noqa: S307
            except Exception:  # noqa: BLE001, S112 - not a measure
                continue
            if isinstance(value, ir_measures.Measure) and "lambda" not in str(value):
                found[str(value)] = value
    return dict(sorted(found.items()))


def make_data():
    """Return grades by query, document and subtopic, and a run without ties."""
    draw = random.Random(183)  # noqa: S311 - a test set
    qrels, run = {}, {}
    for number in range(1, 7):
        documents = [f"d{one:02}" for one in range(1, 31)]
        judged = draw.sample(documents, 20)
        qrels[f"{number}"] = {
            document: {f"{topic}": draw.choice([0, 0, 1, 2, 3]) for topic in range(1, 4)}
            for document in judged
        }
        retrieved = draw.sample(documents, 24)
        scores = sorted(draw.sample(range(1000), len(retrieved)), reverse=True)
        run[f"{number}"] = dict(zip(retrieved, scores, strict=True))
    return qrels, run


def of_ir_measures(tests):
    """Return the values of each expression by query; None if ir_measures has none."""
    import ir_measures

    qrels, run = make_data()
    scored = [
        ir_measures.ScoredDoc(query, document, score)
        for query, own in run.items()
        for document, score in own.items()
    ]
    values = {}
    for name, measure in expressions(tests).items():
        judged = judgments_for(name, qrels)
        rows = [
            ir_measures.Qrel(query, document, grade, subtopic)
            for query, own in judged.items()
            for document, grades in own.items()
            for subtopic, grade in grades.items()
        ]
        try:
            rows_found = ir_measures.iter_calc([measure], rows, scored)
            found = {row.query_id: row.value for row in rows_found}
            values[name] = [found[query] for query in qrels]
        except Exception:  # noqa: BLE001 - whatever its providers raise
            values[name] = None
    return {
        "versions": {name: version(name) for name in ("ir_measures", "cwl-eval", "pyndeval")},
        "qrels": qrels,
        "run": run,
        "values": values,
    }


BY_SUBTOPIC = ("alpha_", "AP_IA", "P_IA", "ERR_IA", "nERR_IA", "NRBP", "nNRBP", "StRecall")


def judgments_for(name, qrels):
    """Return the judgments that an expression is computed with.

    Intent-aware ones have subtopics; all others one grade per document, which is 0 or 1 where the
    highest grade is declared as 1.
    """
    if name.startswith(BY_SUBTOPIC):
        return qrels
    highest = 1 if "max_rel=1" in name else 3
    return {
        query: {
            document: {"0": min(max(grades.values()), highest)} for document, grades in own.items()
        }
        for query, own in qrels.items()
    }


METRICS = {
    "hits": "hits", "hit_rate": "hit_rate", "precision": "precision", "recall": "recall",
    "f1": "f1", "r_precision": "r-precision", "bpref": "bpref", "rank_biased_precision": "rbp",
    "reciprocal_rank": "mrr", "average_precision": "map", "dcg": "dcg",
    "dcg_burges": "dcg_burges", "ndcg": "ndcg", "ndcg_burges": "ndcg_burges",
}  # fmt: skip
"""Functions of ranx.metrics, and their names in `ranx.evaluate`."""


def spelled(name, k=0, level=1):
    """Return the name of a metric with its parameters, as `ranx.evaluate` takes it."""
    if name == "rank_biased_precision":  # its parameter is the persistence, in percent
        return f"rbp.{round(k * 100)}" + (f"-l{level}" if level > 1 else "")
    no_cutoff = name in ("r_precision", "bpref")  # whose only parameter is the level
    k, level = (0, k or 1) if no_cutoff else (k, level)
    return METRICS[name] + (f"@{k}" if k else "") + (f"-l{level}" if level > 1 else "")


def ordered(data):
    """Return documents with their numbers, the best first, by query or in the order of lists."""
    data = data.to_dict() if hasattr(data, "to_dict") else data
    if not isinstance(data, dict):
        return data  # in the order of ranks
    return {query: sorted(own.items(), key=lambda item: -item[1]) for query, own in data.items()}


CURVE = "interpolated_precision_at_recall"
"""A function that `ranx.plot` calls: the precision at 11 levels of recall. It has no name."""
MISNAMED = "r_precision"
"""What the documentation of ranx calls ``r-precision``."""
NAMES = sorted([*METRICS.values(), CURVE, MISNAMED], key=len, reverse=True)
NAME = re.compile(rf"(?<![\w@.-])(?:{'|'.join(NAMES)})(?:@\d+|\.\d+)?(?:-l\d+)?(?![\w@-])")
"""A name of a metric, with its parameters, in a text."""


def names_in(checkout):
    """Return the names of metrics in the text of ranx."""
    paths = [path for ending in ("py", "md", "ipynb") for path in checkout.rglob(f"*.{ending}")]
    return {name for path in paths for name in NAME.findall(path.read_text())}


def calls_in(tests):
    """Count where the text of the tests calls a metric, or `evaluate` with one."""
    functions = {"evaluate", *METRICS}
    nodes = [
        node
        for path in tests.rglob("*_test.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call)
    ]
    return sum(
        getattr(node.func, "attr", getattr(node.func, "id", None)) in functions for node in nodes
    )


def values_of_names(names, qrels, run):
    """Return the values of each name by query for the made-up data; None if ranx has none."""
    import ranx

    judged = {query: {doc: own["0"] for doc, own in docs.items()} for query, docs in qrels.items()}
    given = ranx.Qrels(judged), ranx.Run(run)

    def values_of(name):
        if name == CURVE:
            typed = [one.to_typed_list() for one in given]
            return ranx.metrics.interpolated_precision_at_recall(*typed).ravel()
        try:
            # Twice: of one metric with a cutoff, it cannot return the values of queries.
            return ranx.evaluate(*given, [name, name], return_mean=False)[name]
        except Exception:  # noqa: BLE001 - whatever it raises
            return None

    found = {name: values_of(name) for name in sorted(names)}
    return {
        name: values
        if values is None
        else [None if math.isnan(value) else float(value) for value in values]
        for name, values in found.items()
    }


def renamed(qrels, run):
    """Return the same data with other ids: ranx hashes them, differently in each process."""
    ids = {}

    def named(doc):
        return ids.setdefault(str(doc), f"d{len(ids)}")

    return {
        "qrels": [[[named(doc), float(grade)] for doc, grade in one] for one in qrels],
        "run": [[named(doc) for doc, _ in one] for one in run],
    }


def recorded_calls(tests):
    """Return the calls of metrics while the tests run, each with its data and its values."""
    import importlib

    import pytest

    calls = {}

    def record(metric, qrels, run, values):
        call = {"metric": metric, **renamed(qrels, run)}
        call["values"] = [float(value) for value in values]
        calls[json.dumps(call, sort_keys=True)] = call

    metrics = importlib.import_module("ranx.metrics")
    evaluating = importlib.import_module("ranx.meta.evaluate")
    originals = {name: getattr(metrics, name) for name in METRICS}

    def recorded(name):
        def function(qrels, run, *options):
            values = originals[name](qrels, run, *options)
            record(spelled(name, *options), qrels, run, values)
            return values

        return function

    original = evaluating.evaluate

    def evaluate(qrels, run, metrics, **options):
        judged, ranked = ordered(qrels), ordered(run)
        if isinstance(judged, dict):
            judged = [judged[query] for query in sorted(judged)]
            ranked = [ranked[query] for query in sorted(ranked)]
        for metric in [metrics] if isinstance(metrics, str) else metrics:
            # Twice, because for a single metric with a cutoff it cannot return per-query values.
            values = original(qrels, run, [metric, metric], return_mean=False)[metric]
            record(metric, judged, ranked, values)
        return original(qrels, run, metrics, **options)

    for module in [one for name, one in sys.modules.items() if name.startswith("ranx.metrics")]:
        for name, function in originals.items():
            if getattr(module, name, None) is function:
                setattr(module, name, recorded(name))
    evaluating.evaluate = evaluate
    importlib.import_module("ranx").evaluate = evaluate
    paths = [*tests.rglob("metrics*/*_test.py"), *tests.rglob("metrics_test.py")]
    paths += tests.rglob("evaluate_test.py")
    pytest.main(["-q", "-c", "/dev/null", "-p", "no:cacheprovider", *map(str, paths)])
    return [*calls.values()]


def of_ranx(checkout):
    """Return the values of all names, and the calls in the tests."""
    tests = checkout / "tests"
    qrels, run = make_data()
    calls = recorded_calls(tests)
    names = names_in(checkout) | {call["metric"] for call in calls}
    return {
        "versions": {"ranx": version("ranx")},
        "calls": sorted(calls, key=lambda call: json.dumps(call, sort_keys=True)),
        "n_calls_in_text": calls_in(tests),
        "values": values_of_names(names, judgments_for("", qrels), run),
    }


def main():
    """Write one part of the file next to this one."""
    tool, tests = sys.argv[1], Path(sys.argv[2])
    made = {"ir_measures": of_ir_measures, "ranx": of_ranx}[tool](tests)
    found = json.loads(FILE.read_text()) if FILE.exists() else {}
    FILE.write_text(json.dumps({**found, tool: made}, indent=1, sort_keys=True) + "\n")
    print(f"{tool}: {len(made['values'])} stored")  # noqa: T201 - a script


if __name__ == "__main__":
    main()
