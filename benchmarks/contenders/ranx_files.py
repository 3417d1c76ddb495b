"""Files to means by ranx: QRELS RUN MEASURE..."""

import sys

from ranx import Qrels, Run, evaluate

qrels = Qrels.from_file(sys.argv[1], kind="trec")
run = Run.from_file(sys.argv[2], kind="trec")
print(evaluate(qrels, run, sys.argv[3:], make_comparable=True))
