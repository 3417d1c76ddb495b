"""Record what the systems of `berryeval demo` answer, for installations without a search engine.

    python scripts/record_demo.py

Run it after a change to search or to the bundled golden set; tests/suite/test_demo.py fails until
then.
"""

import json

from berryeval.evaluation.quality import HITS
from berryeval.golden import handbook
from berryeval.search.collect import collect
from berryeval.search.opening import open_system
from berryeval.suite.demo import RECORDED, SYSTEMS, Rankings


def record() -> dict[str, dict[str, Rankings]]:
    """Return the rankings by system, with and without the questions of the golden set."""
    golden = handbook()
    found: dict[str, dict[str, Rankings]] = {}
    for name in SYSTEMS:
        with open_system(name) as system:
            for which, questions in (("with questions", True), ("without questions", False)):
                system.index(golden.documents(questions=questions))
                run = collect(system, golden.queries, HITS).run
                found.setdefault(name, {})[which] = {
                    query.query_id: list(run.ranking(query.query_id)) for query in golden.queries
                }
    return found


if __name__ == "__main__":
    RECORDED.write_text(json.dumps(record(), indent=0) + "\n", encoding="utf-8")
    print(f"Wrote {RECORDED}")
