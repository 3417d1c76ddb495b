"""Write sample_eval_values.json: what NIST's sample_eval.pl returns for small sampled pools.

The script is part of the data of TREC's clinical decision support tracks
(https://trec.nist.gov/data/clinical/sample_eval.pl, of 10 October 2011). It prints four digits; a
temporary copy prints all of them. To write the values again::

    python tests/compat/make_sample_eval_values.py sample_eval.pl
"""

import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

NAMES = {"infAP": "xinfAP", "infNDCG": "infNDCG"}


def make_data():
    """Return pools by query, as document, stratum and grade, and a run without ties.

    Some strata are judged completely, some rarely, some not at all; some queries have no relevant
    document.
    """
    draw = random.Random(19)  # noqa: S311 - a test set
    pools, run = {}, {}
    for number in range(1, 31):
        query = f"{number}"
        documents = [f"d{one}" for one in range(1, draw.choice([6, 30, 120]))]
        rates = [1.0, *(draw.choice([0.0, 0.1, 0.3, 0.6]) for _ in range(draw.randint(0, 3)))]
        density = draw.choice([0.0, 0.1, 0.3, 0.6])
        pools[query] = {}
        for document in documents:
            if draw.random() < 0.1:
                continue  # retrieved, perhaps, but not in the pool
            stratum = draw.randrange(len(rates))
            grade = draw.choice([1, 1, 2, 3]) if draw.random() < density else 0
            is_judged = draw.random() < rates[stratum]
            pools[query][document] = (str(stratum + 1), grade if is_judged else -1)
        pools[query]["first"] = ("1", 0)
        retrieved = [*documents, "first", "other", "unknown"]
        draw.shuffle(retrieved)
        run[query] = {
            document: 1000 - rank
            for rank, document in enumerate(retrieved[: draw.randint(1, len(retrieved))])
        }
    return pools, run


def main(script: Path):
    """Write the file next to this one."""
    pools, run = make_data()
    with tempfile.TemporaryDirectory() as folder:
        precise, prels, ranked = (Path(folder, name) for name in ("eval.pl", "prels", "run"))
        precise.write_text(script.read_text(encoding="latin-1").replace("%6.4f", "%.17g"))
        prels.write_text(
            "".join(
                f"{query} 0 {document} {stratum} {grade}\n"
                for query, pool in pools.items()
                for document, (stratum, grade) in pool.items()
            )
        )
        ranked.write_text(
            "".join(
                f"{query} Q0 {document} {rank} {score} run\n"
                for query, documents in run.items()
                for rank, (document, score) in enumerate(documents.items(), start=1)
            )
        )
        command = ["perl", str(precise), "-q", str(prels), str(ranked)]
        printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    values = {name: {} for name in NAMES.values()}
    for line in printed.splitlines():
        name, query, value = line.split()
        if name in NAMES:
            values[NAMES[name]][query] = float(value)
    path = Path(__file__).with_name("sample_eval_values.json")
    content = {"pools": pools, "run": run, "values": values}
    path.write_text(json.dumps(content, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
