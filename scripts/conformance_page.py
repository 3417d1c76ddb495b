"""Compare every measure of trec_eval with other programs, and write the page about it.

``make conformance-page`` runs it where ir_measures, pytrec_eval and ranx are installed and the
real trec_eval has been fetched.
"""

from __future__ import annotations

import math
import random
import subprocess
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path

import ir_measures
import pytrec_eval
import ranx
from fetch_trec_eval import PROGRAM
from trec_eval_own_tests import MARKS, section_of

from berryeval.trec_eval import (
    Options,
    iter_scores,
    read_judgments,
    read_names,
    read_run,
    report,
)
from berryeval.trec_eval.names import GROUP_MEASURES, PREFERENCE_MEASURES

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "conformance.md"
SEED = 9
N_QUERIES = 3000
DOCUMENTS = [f"d{i:02}" for i in range(60)]
NAMES_OF_QRELS = tuple(name for name in read_names(["all_trec", "yaap"], "9.0.8"))
NEW_IN_10 = ("dcg", "ideal_dcg", "rbp_resid", "unj")
SCALES = ([0, 1], [0, 1, 1], [-1, 0, 1, 2], [0, 1, 2, 3, 4], [0, 0, 0, 1], [1])
"""Grades to choose from, one list for each query."""
WAYS = (["-l1"], ["-l2"], ["-l1", "-M10", "-c"], ["-l2", "-J"])
"""Flags with which the program is called for qrels."""


@dataclass(frozen=True)
class Query:
    """A query, made up."""

    query_id: str
    grades: dict[str, int]
    scores: dict[str, float]

    @property
    def has_ties(self) -> bool:
        """Whether two documents have the same score."""
        return len(set(self.scores.values())) < len(self.scores)

    @property
    def has_negative_grades(self) -> bool:
        """Whether a document was in the pool, but not judged."""
        return min(self.grades.values()) < 0


@dataclass
class Tally:
    """What came of comparing a measure."""

    n_compared: int = 0
    largest: float = 0.0
    n_differing: int = 0
    n_undefined: int = 0

    def add(self, ours: float, theirs: float) -> None:
        """Count a pair of values."""
        self.n_compared += 1
        both = math.isnan(ours) or math.isnan(theirs)
        difference = math.inf if both else abs(ours - theirs)
        self.largest = max(self.largest, difference)

    def __str__(self) -> str:
        if self.largest == math.inf:
            return "NaN"
        return "0" if self.largest == 0.0 else f"{self.largest:.1e}"


def made_up_queries() -> list[Query]:
    """Make queries up: ties, holes, negative grades, nothing relevant, one document, many."""
    chance = random.Random(SEED)  # noqa: S311 - made up
    queries = []
    for i in range(N_QUERIES):
        judged = chance.sample(DOCUMENTS, chance.choice([1, 2, 5, 10, 20, 40]))
        scale = chance.choice(
            [[0, 1], [0, 1, 1], [-1, 0, 1, 2], [0, 1, 2, 3, 4], [0, 0, 0, 1], [1]]
        )
        grades = {doc_id: chance.choice(scale) for doc_id in judged}
        if max(grades.values()) < 0:  # the program has no defined answer
            grades[judged[0]] = 0
        retrieved = chance.sample(DOCUMENTS, chance.choice([1, 3, 10, 25, 60]))
        is_tied = chance.random() < 0.5  # noqa: PLR2004 - every second one
        # Multiples of 1/8: the same in 32 bits as in 64.
        scores = chance.choices(range(5), k=60) if is_tied else chance.sample(range(999), k=60)
        queries.append(
            Query(
                f"q{i:04}",
                grades,
                {doc_id: score / 8 for doc_id, score in zip(retrieved, scores, strict=False)},
            )
        )
    return queries


def program_lines(folder: Path, flags: list[str]) -> tuple[list[bytes], list[bytes]]:
    """Return the program's lines and ours."""
    words = [flag.removeprefix("-m") for flag in flags if flag.startswith("-m")]
    options = Options(
        per_query=True,
        complete="-c" in flags,
        judged_only="-J" in flags,
        level=2 if "-l2" in flags else 1,
        most=10 if "-M10" in flags else None,
        format=next((flag[2:] for flag in flags if flag.startswith("-R")), "qrels"),
    )
    judged = {"qrels": "qrels", "qrels_jg": "groups", "prefs": "prefs", "qrels_prefs": "groups"}
    files = [str(folder / judged[options.format]), str(folder / "run")]
    done = subprocess.run(  # noqa: S603 - the program that was fetched
        [PROGRAM, "-q", *flags, *files], capture_output=True, check=True
    )
    judgments = read_judgments(files[0], "9.0.8", options.format)
    run = read_run(files[1], "9.0.8")
    ours = b"".join(report(judgments, run, read_names(words, "9.0.8"), options))
    return done.stdout.splitlines(), ours.splitlines()


def compare_with_program(folder: Path) -> dict[str, Tally]:
    """Compare printed lines, by measure."""
    calls = [
        *([*way, *(f"-m{name}" for name in NAMES_OF_QRELS)] for way in WAYS),
        *(["-Rqrels_jg", way, "-mqrels_jg"] for way in ("-l1", "-l2")),
        ["-Rprefs", "-mall_prefs"],
        ["-Rqrels_prefs", "-mall_prefs"],
    ]
    names = (*NAMES_OF_QRELS, *PREFERENCE_MEASURES, *GROUP_MEASURES)
    tallies = {name: Tally() for name in names}
    for flags in calls:
        theirs, ours = program_lines(folder, flags)
        for line, our_line in zip(theirs, ours, strict=True):
            tally = tallies[family(line.split()[0].decode(), names)]
            tally.n_compared += 1
            if line.endswith(b"nan") and not our_line.endswith(b"nan"):
                tally.n_undefined += 1
            else:
                tally.n_differing += line != our_line
    return tallies


def family(name: str, names: Iterable[str]) -> str:
    """Return the measure that a printed name belongs to."""
    fitting = [known for known in names if name == known or name.startswith(f"{known}_")]
    return max(fitting, key=len)


def our_values(folder: Path, level: int, words: list[str], compat: str = "9.0.8") -> dict:
    """Return our values with all their digits, by query and printed name."""
    judgments = read_judgments(str(folder / "qrels"), compat)
    run = read_run(str(folder / "run"), compat)
    names = read_names(words, compat)
    options = Options(level=level, version=compat, complete=True)
    scores = iter_scores(judgments, run, names, options)
    return {query_id.decode(): values for query_id, values in scores}


def compare_with_pytrec_eval(folder: Path, queries: list[Query]) -> dict[str, Tally]:
    """Compare values, by measure."""
    tallies = {name: Tally() for name in NAMES_OF_QRELS}
    qrels = {query.query_id: query.grades for query in queries}
    run = {query.query_id: query.scores for query in queries}
    for level in (1, 2):
        evaluator = pytrec_eval.RelevanceEvaluator(qrels, {"all_trec"}, relevance_level=level)
        theirs = evaluator.evaluate(run)
        ours = our_values(folder, level, ["all_trec"])
        for query_id, values in ours.items():
            for name, value in values.items():
                if name not in ("runid", "num_q", "relstring"):
                    tally = tallies[family(name, NAMES_OF_QRELS)]
                    tally.add(value, theirs[query_id][name])
    return tallies


@dataclass
class Pair:
    """Two names for a measure, and when the other library means something else by it."""

    ours: str
    theirs: str
    apart: Callable[[Query], bool] = lambda _query: False
    why: str = ""
    level: int = 1
    convert: Callable[[float], float] = lambda value: value
    compared: Tally = field(default_factory=Tally)
    set_apart: Tally = field(default_factory=Tally)

    def add(self, query: Query, ours: float, theirs: float) -> None:
        """Count a pair of values, apart where the query is one of those."""
        tally = self.set_apart if self.apart(query) else self.compared
        tally.add(self.convert(ours), theirs)


def ir_measures_pairs() -> list[Pair]:
    """Return what ir_measures shares with trec_eval."""
    same = {
        "map": "AP", "map_cut_10": "AP@10", "recip_rank": "RR", "P_5": "P@5", "P_10": "P@10",
        "recall_10": "R@10", "ndcg": "nDCG", "ndcg_cut_10": "nDCG@10", "Rprec": "Rprec",
        "bpref": "Bpref", "infAP": "infAP", "iprec_at_recall_0.50": "IPrec@0.5",
        "success_5": "Success@5", "set_P": "SetP", "set_recall": "SetR", "set_F": "SetF",
        "set_map": "SetAP", "set_relative_P": "SetP(relative=True)", "num_ret": "NumRet",
        "num_rel": "NumRel", "num_rel_ret": "NumRelRet",
    }  # fmt: skip
    judged = Pair(
        "unj_10",
        "Judged@10",
        lambda query: (
            len(query.scores) < 10 or query.has_ties or query.has_negative_grades  # noqa: PLR2004
        ),
        "It divides by the documents returned, breaks ties by the lower id, and treats a "
        "negative grade as a judgment. It is compared with 1 - `unj_10`.",
        convert=lambda value: 1.0 - value,
    )
    cut = Pair(
        "recip_rank",
        "RR@100",
        Query.has_ties.fget,
        "With a cutoff, ties are broken by the lower id.",
    )
    higher = {
        "map": "AP(rel=2)",
        "P_5": "P(rel=2)@5",
        "recall_10": "R(rel=2)@10",
        "bpref": "Bpref(rel=2)",
    }
    return [
        *(Pair(ours, theirs) for ours, theirs in same.items()),
        *(Pair(ours, theirs, level=2) for ours, theirs in higher.items()),
        cut,
        judged,
    ]


def ranx_pairs() -> list[Pair]:
    """Return what ranx shares with trec_eval."""
    same = {
        "map": "map", "map_cut_10": "map@10", "recip_rank": "mrr", "P_5": "precision@5",
        "P_10": "precision@10", "recall_10": "recall@10", "ndcg": "ndcg", "ndcg_cut_10": "ndcg@10",
        "dcg": "dcg", "Rprec": "r-precision", "success_5": "hit_rate@5", "set_P": "precision",
        "set_recall": "recall", "set_F": "f1", "num_rel_ret": "hits",
    }  # fmt: skip
    whole = ("set_P", "set_recall", "set_F", "num_rel_ret")
    ties = "Ties keep the order in which documents were given."
    pairs = [
        Pair(ours, theirs) if ours in whole else Pair(ours, theirs, Query.has_ties.fget, ties)
        for ours, theirs in same.items()
    ]
    bpref = Pair(
        "bpref",
        "bpref",
        lambda _query: True,
        f"{ties} A negative grade counts as not relevant; without any such grade the value "
        "is NaN. Apart from that, it is 0 for most queries, even if trec_eval and pytrec_eval give "
        "more; we have not investigated why.",
    )
    higher = [
        Pair("map", "map-l2", Query.has_ties.fget, ties, level=2),
        Pair("P_5", "precision@5-l2", Query.has_ties.fget, ties, level=2),
        Pair(
            "ndcg",
            "ndcg-l2",
            lambda query: query.has_ties or 1 in query.grades.values(),
            f"{ties} Grades below the level gain nothing; trec_eval ignores the level here.",
            level=2,
        ),
    ]
    return [*pairs, bpref, *higher]


def compare_pairs(
    pairs: list[Pair],
    queries: list[Query],
    ours: dict[int, dict],
    theirs: dict[str, dict[str, float]],
) -> None:
    """Compare values; `ours` are by level, query and name, `theirs` by name and query."""
    for pair in pairs:
        for query in queries:
            value = theirs[pair.theirs].get(query.query_id)
            if value is not None:
                pair.add(query, ours[pair.level][query.query_id][pair.ours], value)


def ir_measures_values(queries: list[Query], pairs: list[Pair]) -> dict[str, dict[str, float]]:
    """Return the values of ir_measures by its name for the measure, and query."""
    qrels = {query.query_id: query.grades for query in queries}
    run = {query.query_id: query.scores for query in queries}
    measures = {ir_measures.parse_measure(pair.theirs): pair.theirs for pair in pairs}
    values: dict[str, dict[str, float]] = {pair.theirs: {} for pair in pairs}
    for metric in ir_measures.iter_calc(list(measures), qrels, run):
        values[measures[metric.measure]][metric.query_id] = metric.value
    return values


def ranx_values(queries: list[Query], pairs: list[Pair]) -> dict[str, dict[str, float]]:
    """Return the values of ranx by its name for the measure, and query."""
    qrels = ranx.Qrels({query.query_id: query.grades for query in queries})
    run = ranx.Run({query.query_id: query.scores for query in queries})
    ranx.evaluate(qrels, run, [pair.theirs for pair in pairs])
    return {pair.theirs: dict(run.scores[pair.theirs]) for pair in pairs}


def write_files(folder: Path, queries: list[Query]) -> None:
    """Write qrels, groups, preferences and the run."""
    groups = ("a", "b", "c")
    judged = [(q.query_id, d, grade) for q in queries for d, grade in q.grades.items()]
    (folder / "qrels").write_text("".join(f"{q} 0 {d} {grade}\n" for q, d, grade in judged))
    (folder / "groups").write_text(
        "".join(
            f"{q} {groups[i % 3]} {d} {max(grade, 0)}\n" for i, (q, d, grade) in enumerate(judged)
        )
    )
    # Each subgroup holds what one person compared at a time.
    (folder / "prefs").write_text(
        "".join(
            f"{q} {groups[i % 2]} {i % 3} {d} {max(grade, 0)}\n"
            for i, (q, d, grade) in enumerate(judged)
        )
    )
    (folder / "run").write_text(
        "".join(
            f"{q.query_id} Q0 {d} 1 {score} made-up\n"
            for q in queries
            for d, score in q.scores.items()
        )
    )  # fmt: skip


def table_of_trec_eval(program: dict[str, Tally], wrapped: dict[str, Tally]) -> list[str]:
    """Return the table of trec_eval's own answers."""
    lines = [
        "| measure | lines of 9.0.4 | that differ | NaN there | values of pytrec_eval | "
        "largest difference |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for name, tally in program.items():
        value = wrapped.get(name, Tally())
        shown = (f"{value.n_compared:,}", str(value)) if value.n_compared else ("", "")
        lines.append(
            f"| `{name}` | {tally.n_compared:,} | {tally.n_differing:,} | "
            f"{f'{tally.n_undefined:,}' if tally.n_undefined else ''} | {shown[0]} | {shown[1]} |"
        )
    return [*lines, *(f"| `{name}` (10.0) | | | | | |" for name in NEW_IN_10)]


def table_of_pairs(pairs: list[Pair]) -> list[str]:
    """Return the table of another library."""
    lines = [
        "| ours | theirs | compared | largest difference | set apart | largest there | why apart |",
        "|---|---|---:|---:|---:|---:|---|",
    ]
    reasons: dict[str, int] = {}
    for pair in pairs:
        same, apart = pair.compared, pair.set_apart
        note = f"[{reasons.setdefault(pair.why, len(reasons) + 1)}]" if apart.n_compared else ""
        level = " at level 2" if pair.level > 1 else ""
        lines.append(
            f"| `{pair.ours}`{level} | `{pair.theirs}` | {same.n_compared:,} | "
            f"{same if same.n_compared else ''} | "
            f"{f'{apart.n_compared:,}' if note else ''} | {apart if note else ''} | {note} |"
        )
    return [*lines, "", *(f"{number}. {why}" for why, number in reasons.items())]


def page(
    program: dict[str, Tally], wrapped: dict[str, Tally], first: list[Pair], second: list[Pair]
) -> str:
    """Return the page."""
    n_lines = sum(tally.n_compared - tally.n_undefined for tally in program.values())
    n_differing = sum(tally.n_differing for tally in program.values())
    n_undefined = sum(tally.n_undefined for tally in program.values())
    versions = {name: version(name) for name in ("pytrec_eval-terrier", "ir_measures", "ranx")}
    ways = ", ".join(f"`{' '.join(way)}`" for way in WAYS)
    return "\n".join(
        [
            "# Conformance",
            "",
            "<!-- Written by `make conformance-page`; edit scripts/conformance_page.py. -->",
            "",
            "This page shows how well the measures agree with trec_eval itself, and with two other "
            "libraries.",
            f"It covers {len(program) + len(NEW_IN_10)} measures and {N_QUERIES:,} "
            f"queries generated from seed {SEED}: ties, documents without a judgment, negative "
            "grades, nothing relevant, one document or sixty.",
            "",
            "`make conformance-page` repeats the measurement and writes this page.",
            "`make conformance` is a test, not a measurement: it generates harder files and flags, "
            "and compares every byte and exit code with the program.",
            "",
            "## trec_eval",
            "",
            "- **9.0.4** is the program itself, as Anserini ships it in pyserini 1.6.0. "
            f"The lines of `-q` with {ways}, and the summaries, are compared; "
            "judgment groups and preferences have their own files.",
            f"- **pytrec_eval** is pytrec_eval-terrier {versions['pytrec_eval-terrier']}, which "
            "contains the C code of 9.0.8. The values of each query at levels 1 and 2 are compared "
            "in all their digits. It has no preferences, no groups and no `yaap`.",
            "- Measures without a numeric value per query (`runid`, `num_q`, `relstring`) are "
            "compared as text.",
            "- **10.0** is compared by [its own tests](#trec_evals-own-tests), which contain the "
            "output of the program, and by worked examples. `rbp` of 10.0 reads "
            "uninitialised memory, and is rejected.",
            "",
            f"Of {n_lines:,} lines, {n_differing:,} differ. "
            f"Of {n_undefined:,} more, which the program prints as NaN because `-J` left nothing "
            "to evaluate, ours are 0.",
            "",
            *table_of_trec_eval(program, wrapped),
            "",
            "## trec_eval's own tests",
            "",
            MARKS[0],
            "",
            *section_of(PAGE.read_text(encoding="utf-8")),
            "",
            MARKS[1],
            "",
            "## ir_measures",
            "",
            f"Version {versions['ir_measures']}, values of each query. Most of its measures are "
            "pytrec_eval's.",
            "Its averages are always over all judged queries, as with `-c`, and are not compared.",
            "",
            *table_of_pairs(first),
            "",
            "## ranx",
            "",
            f"Version {versions['ranx']}, values of each query, from `Qrels` and `Run`.",
            "Plain dictionaries give yet another order of ties.",
            "[Expressions of other tools](expressions.md#ranx) lists every metric in ranx's tests "
            "and documentation.",
            "",
            *table_of_pairs(second),
            "",
            "## What is not compared",
            "",
            "Other libraries have measures by the same names that mean something else: nDCG with "
            "exponential gains or binary ones, average precision divided by min(k, R) or by what "
            "was found.",
            "[Semantics](../explanation/semantics.md) defines ours.",
            "",
        ]
    )


def main() -> None:
    """Compare, and write the page."""
    queries = made_up_queries()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_files(folder, queries)
        program = compare_with_program(folder)
        wrapped = compare_with_pytrec_eval(folder, queries)
        values = {level: our_values(folder, level, ["all_trec"]) for level in (1, 2)}
        new = our_values(folder, 1, ["dcg", "unj"], "10.0")
        for query_id in new:
            values[1][query_id].update(new[query_id])
        first, second = ir_measures_pairs(), ranx_pairs()
        compare_pairs(first, queries, values, ir_measures_values(queries, first))
        compare_pairs(second, queries, values, ranx_values(queries, second))
    PAGE.write_text(page(program, wrapped, first, second), encoding="utf-8")
    print(f"wrote {PAGE.relative_to(PAGE.parents[2])}")


if __name__ == "__main__":
    main()
