"""Files to means by pytrec_eval: QRELS RUN MEASURE..."""

import sys
from pathlib import Path

import pytrec_eval

with Path(sys.argv[1]).open() as file:
    qrels = pytrec_eval.parse_qrel(file)
with Path(sys.argv[2]).open() as file:
    run = pytrec_eval.parse_run(file)
results = pytrec_eval.RelevanceEvaluator(qrels, set(sys.argv[3:])).evaluate(run)
for name in next(iter(results.values())):
    values = [query[name] for query in results.values()]
    print(name, pytrec_eval.compute_aggregated_measure(name, values))
