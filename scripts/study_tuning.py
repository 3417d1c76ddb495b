"""Compare `tune_fusion` with ranx's `optimize_fusion` on queries that neither has seen.

``python scripts/study_tuning.py FOLDER`` takes a folder as ``study_hybrid.py --runs`` writes it:
one folder per collection, with ``qrels.txt`` and at least two files ``*.run``. Queries are divided
into the same folds for both tools. Each tool chooses a way to fuse without a fold, and its choice
is scored on that fold (held out) and on the others (training). The tables are Markdown: both means,
the optimism, which is their difference, and the difference between the tools.

There are two comparisons: the weights of a weighted sum of min-max scores, and a choice among the
eight methods and three normalisations that `tune_fusion` tries by default. ranx has no function for
the second: its part calls `optimize_fusion` for each, and keeps what scores best on the training
queries.

ranx runs in an environment of its own, ``--peers`` (``make .cache/peers/installed``). It compiles
for a minute; ``--peers .venv/bin/python``, which has no ranx, tries and chooses the same with
`berryeval.compat.ranx`.
"""

from __future__ import annotations

import argparse
import json
import subprocess
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import product
from operator import add
from pathlib import Path
from typing import NamedTuple, TypeAlias

import berryeval as be
from berryeval.core.judgments import Judgments
from berryeval.core.run import Run
from berryeval.evaluation.folds import fold_queries
from berryeval.evaluation.tuning import TUNED_METHODS, TUNED_NORMS
from berryeval.stats import mean_of

MEASURE = "nDCG@10"
N_FOLDS = 5
SPACES: Mapping[str, tuple[Sequence[str], Sequence[str]]] = {
    "weights": (("wsum",), ("min-max",)),
    "methods": (TUNED_METHODS, TUNED_NORMS),
}
"""Methods and normalisations to choose from."""
_DEPTH = 10
_PEER = Path(__file__).with_name("study_tuning_ranx.py")


@dataclass(frozen=True)
class Study:
    """Judgments and runs of the same queries."""

    name: str
    judgments: Judgments
    runs: Mapping[str, Run]


@dataclass(frozen=True)
class Outcome:
    """How the choices of a tool did, by query."""

    training: Mapping[str, float]
    """Mean over the choices that the query had a part in."""
    held_out: Mapping[str, float]
    """By the choices that it had no part in."""

    @property
    def optimism(self) -> list[float]:
        """How much better each query is by choices that it had a part in."""
        return [self.training[one] - self.held_out[one] for one in sorted(self.held_out)]


Rankings: TypeAlias = "Mapping[str, Sequence[str]]"
Choices: TypeAlias = "Sequence[Rankings]"
"""All queries, fused as was chosen without each fold."""


class Task(NamedTuple):
    """A choice to make for each fold of a collection."""

    study: Study
    folds: Sequence[Sequence[str]]
    space: str
    seed: int


Tool: TypeAlias = "Callable[[Sequence[Task]], Sequence[Choices]]"


def main() -> None:
    """Print the tables."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("folder", type=Path)
    options.add_argument("--peers", type=Path, default=Path(".cache/peers/bin/python"))
    options.add_argument("--seeds", type=int, default=1, help="number of divisions into folds")
    options.add_argument("--space", action="append", choices=[*SPACES], help="default: all")
    chosen = options.parse_args()
    studies = read_studies(chosen.folder)
    if not studies:
        options.error(f"no folder with qrels.txt and runs in {chosen.folder}")
    tools: dict[str, Tool] = {"ranx": _by_ranx(chosen.peers), "berryeval": choose_by_berryeval}
    print(tables(studies, tools, range(chosen.seeds), chosen.space or [*SPACES]))


def read_studies(folder: Path) -> list[Study]:
    """Read the collections of a folder, with the judged queries that all runs have."""
    found = []
    for place in sorted(path.parent for path in folder.glob("*/qrels.txt")):
        judgments = be.read_judgments(place / "qrels.txt")
        runs = {path.stem: be.read_run(path) for path in sorted(place.glob("*.run"))}
        shared = set(judgments.query_ids).intersection(*(run.query_ids for run in runs.values()))
        few = {name: _only(run, shared) for name, run in runs.items()}
        found.append(Study(place.name, judgments.of_queries(shared), few))
    return found


def _only(run: Run, query_ids: set[str]) -> Run:
    return Run.from_dict({one: own for one, own in run.to_dict().items() if one in query_ids})


def choose_by_berryeval(tasks: Sequence[Task]) -> list[Choices]:
    """Fuse all queries as `tune_fusion` chooses without each fold."""
    return [_tuned(task) for task in tasks]


def _tuned(task: Task) -> Choices:
    methods, norms = SPACES[task.space]
    study = task.study
    tuning = be.tune_fusion(
        study.judgments, study.runs, MEASURE, methods=methods, norms=norms, seed=task.seed,
        n_folds=len(task.folds),
    )  # fmt: skip
    if [sorted(one.query_ids) for one in tuning.folds] != [sorted(fold) for fold in task.folds]:
        raise AssertionError("the tools have different folds")
    fused = [one.choice.fuse(study.runs, _DEPTH) for one in tuning.folds]
    return [{query: _ranked(run, query) for query in run.query_ids} for run in fused]


def _ranked(run: Run, query_id: str) -> list[str]:
    return [one.decode() for one in run.ranked_ids(query_id.encode())]


def _by_ranx(python: Path) -> Tool:
    """Return what asks ranx in its own environment, once: it compiles itself on every start."""

    def choose(tasks: Sequence[Task]) -> Sequence[Choices]:
        asked = json.dumps([_asked(task) for task in tasks])
        done = subprocess.run(  # noqa: S603 - ours
            [python, _PEER], input=asked, stdout=subprocess.PIPE, text=True, check=True
        )
        found: Sequence[Choices] = json.loads(done.stdout)
        return found

    return choose


def _asked(task: Task) -> dict[str, object]:
    methods, norms = SPACES[task.space]
    return {
        "name": f"{task.study.name}, {task.space}, seed {task.seed}",
        "qrels": {
            query: {doc: int(grade) for doc, grade in grades.items()}
            for query, grades in task.study.judgments.to_dict().items()
        },
        "runs": [run.to_dict() for run in task.study.runs.values()],
        "folds": task.folds,
        "methods": [*methods],
        "norms": [*norms],
        "metric": MEASURE.lower(),
        "depth": _DEPTH,
    }


def outcome_of(study: Study, folds: Sequence[Sequence[str]], choices: Choices) -> Outcome:
    """Score choices on their own fold and on the others."""
    scores = [be.evaluate(study.judgments, one, MEASURE)[MEASURE].by_query for one in choices]
    held_out, training = {}, {}
    for number, fold in enumerate(folds):
        for query in fold:
            held_out[query] = scores[number][query]
            others = [one[query] for i, one in enumerate(scores) if i != number]
            training[query] = _mean(others)
    return Outcome(training, held_out)


def tables(
    studies: Sequence[Study],
    tools: Mapping[str, Tool],
    seeds: Iterable[int],
    spaces: Sequence[str] = (*SPACES,),
) -> str:
    """Return the tables of some comparisons."""
    tasks = [
        Task(study, _folds(study, seed), space, seed)
        for space, study, seed in product(spaces, studies, seeds)
    ]
    outcomes: dict[tuple[str, str, str], list[Outcome]] = {}
    for name, tool in tools.items():
        for task, choices in zip(tasks, tool(tasks), strict=True):
            own = outcomes.setdefault((task.space, task.study.name, name), [])
            own.append(outcome_of(task.study, task.folds, choices))
    parts = []
    for space in spaces:
        found = {
            study.name: {name: _mean_outcome(outcomes[space, study.name, name]) for name in tools}
            for study in studies
        }
        parts += [f"### {space}", "", *_lines(studies, found), ""]
    return "\n".join(parts)


def _folds(study: Study, seed: int) -> list[list[str]]:
    divided = fold_queries(study.judgments, N_FOLDS, seed)
    return [[one.decode() for one in fold] for fold in divided]


def _mean_outcome(outcomes: Sequence[Outcome]) -> Outcome:
    """Average the outcomes of several divisions into folds."""
    return Outcome(
        *(
            {query: _mean([one[query] for one in each]) for query in each[0]}
            for each in (
                [outcome.training for outcome in outcomes],
                [outcome.held_out for outcome in outcomes],
            )
        )
    )


def _lines(studies: Sequence[Study], found: Mapping[str, Mapping[str, Outcome]]) -> list[str]:
    names = [*next(iter(found.values()))]
    each = " | ".join(f"{name}, training | held out | optimism" for name in names)
    lines = [
        f"| collection | queries | best run | {each} | {names[1]} minus {names[0]}, held out |",
        f"|---|---:|---:|{'---:|' * (3 * len(names) + 1)}",
    ]
    best = {study.name: _best_single(study) for study in studies}
    pooled = {
        name: Outcome(
            *(
                {
                    f"{place}/{query}": value
                    for place, outcomes in found.items()
                    for query, value in getattr(outcomes[name], part).items()
                }
                for part in ("training", "held_out")
            )
        )
        for name in names
    }
    sizes = {study.name: len(study.judgments.query_ids) for study in studies}
    everything = _mean([best[place] for place in found for _ in range(sizes[place])])
    best["all queries"], sizes["all queries"] = everything, sum(sizes.values())
    for place, outcomes in {**found, "all queries": pooled}.items():
        cells = [f"{place} | {sizes[place]} | {best[place]:.3f}"]
        for outcome in outcomes.values():
            trained, tested = (
                _mean([*one.values()]) for one in (outcome.training, outcome.held_out)
            )
            cells.append(f"{trained:.3f} | {tested:.3f} | {_shown(outcome.optimism)}")
        first, second = (outcomes[name].held_out for name in names)
        cells.append(_shown([second[query] - first[query] for query in sorted(first)]))
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def _best_single(study: Study) -> float:
    return max(be.evaluate(study.judgments, run, MEASURE)[MEASURE].mean
               for run in study.runs.values())  # fmt: skip


def _shown(values: Sequence[float]) -> str:
    sample = mean_of(values)
    if sample is None:
        return f"{_mean(values):+.3f}"
    interval = sample.interval(0.95)
    return f"{sample.mean:+.3f} [{interval.low:+.3f}, {interval.high:+.3f}]"


def _mean(values: Sequence[float]) -> float:
    return reduce(add, values, 0.0) / len(values)


if __name__ == "__main__":
    main()
