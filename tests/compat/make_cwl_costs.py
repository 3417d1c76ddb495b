"""Write cwl_costs.json: what cwl_eval 1.0.12 returns for time-biased gain.

To write the values again::

    python -m venv cwl && cwl/bin/pip install cwl-eval==1.0.12
    cwl/bin/python tests/compat/make_cwl_costs.py
"""

import json
import random
from pathlib import Path

HALF_LIVES = (224, 30, 1000)


def make_rankings():
    """Return gains of 0 or 1 and costs of each document, for rankings of up to 1,000."""
    draw = random.Random(19)  # noqa: S311 - a test set
    return {
        f"q{depth}": [
            [float(draw.random() < 0.3) for _ in range(depth)],
            [float(draw.randint(1, 90)) for _ in range(depth)],
        ]
        for depth in (1, 2, 5, 30, 200, 1000)
    }


def main():
    """Write the file next to this one: expected utility, and expected number of documents."""
    import numpy as np
    from cwl.ruler.measures.cwl_tbg import TBGCWLMetric
    from cwl.ruler.ranking import Ranking

    found = {}
    for half_life in HALF_LIVES:
        values = found.setdefault(str(half_life), {})
        for query, (gains, costs) in make_rankings().items():
            metric = TBGCWLMetric(half_life)
            metric.measure(Ranking(query, np.array(gains), np.array(costs)))
            values[query] = [float(metric.expected_utility), float(metric.expected_items)]
    path = Path(__file__).with_name("cwl_costs.json")
    path.write_text(json.dumps(found, indent=0, sort_keys=True) + "\n")


if __name__ == "__main__":
    main()
