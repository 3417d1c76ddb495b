"""The pages of the Python reference: one per subject, public names only.

A module stands for the names in its ``__all__``. Each name gets an entry of its own, by where it is
defined: `berryeval.evaluation.evaluate` is a module and a function, and only the full path shows
which one is meant.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterator
from dataclasses import dataclass
from types import ModuleType

import berryeval
import berryeval.errors

__all__ = ["api_pages", "entries_of"]

TOP = "berryeval"


@dataclass(frozen=True)
class Section:
    """Names that belong together: modules, or single names written ``module:Name``."""

    title: str
    sources: tuple[str, ...]
    text: str = ""


@dataclass(frozen=True)
class Subject:
    """A page."""

    title: str
    text: str
    sections: tuple[Section, ...]


@dataclass(frozen=True)
class Entry:
    """A public name."""

    name: str
    path: str
    """Where it is defined; if that module is private, the public one that exports it."""
    home: str
    """The module to import it from."""


def _top(*names: str) -> tuple[str, ...]:
    return tuple(f"{TOP}:{name}" for name in names)


SUBJECTS = {
    "evaluation": Subject(
        "Evaluate, compare, explain",
        "Scores of runs, differences between them, and the reasons for both.",
        (
            Section(
                "Evaluate", (*_top("evaluate", "Evaluation"), "berryeval.evaluation:MeasureResult")
            ),
            Section(
                "Compare",
                (*_top("compare", "Comparison"), "berryeval.evaluation.comparison"),
            ),
            Section(
                "Model judgments",
                (
                    *_top("ModelJudgments", "LabelDraw", "draw_labels"),
                    "berryeval.evaluation.labelled:RestsOn",
                    "berryeval.evaluation.pair_sampling",
                ),
                "[What model judgments may decide](../../explanation/model-judgments.md) explains "
                "them.",
            ),
            Section(
                "Evaluate on many machines",
                (
                    "berryeval.spark",
                    *_top("ScoringPlan", "score_partition", "gather_scores"),
                    *_top("compare_scores", "CollectedComparison"),
                ),
                "[Evaluate with Spark](../../how-to/evaluate-with-spark.md) shows how to use them, "
                "and [Scale](../../explanation/scale.md) has measurements.",
            ),
            Section("Explain", ("berryeval.evaluation.explain",)),
            Section("Risk", ("berryeval.evaluation.risk:Risk",)),
            Section(
                "Sessions",
                (
                    *_top("session_scores", "SessionScores"),
                    "berryeval.evaluation.sessions:SessionScore",
                ),
            ),
            Section(
                "Measures of a whole run",
                _top("catalogue_coverage", "novelty", "intra_list_diversity", "context_length"),
            ),
            Section(
                "Similarity of runs and orders",
                (
                    *_top("agree", "Agreement", "agree_measures", "MeasuresAgreement"),
                    *_top("overlap", "Overlap"),
                    "berryeval.evaluation.agreeing:MeasureAgreement",
                    "berryeval.evaluation.agreeing:MeasurePair",
                    "berryeval.evaluation.agreeing:SystemRanks",
                    "berryeval.evaluation.agreeing:PairOrders",
                    "berryeval.evaluation.overlap:QueryOverlap",
                ),
            ),
            Section("Reranking", _top("reranking_ceiling", "RerankingCeiling")),
            Section(
                "Fuse",
                (
                    *_top("fuse", "tune_fusion"),
                    "berryeval.evaluation.tuning",
                    "berryeval.evaluation.fusion_ways:FusionChoice",
                    "berryeval.fusion",
                ),
                "[Fusion](../fusion.md) defines the methods, and "
                "[Combine two systems](../../how-to/combine-two-systems.md) shows them at work.",
            ),
            Section(
                "Unjudged documents",
                (
                    "berryeval.evaluation.holes:find_holes",
                    "berryeval.evaluation.holes:Hole",
                    "berryeval.evaluation.mean_bounds:mean_bounds",
                    "berryeval.evaluation.mean_bounds:MeanBounds",
                    "berryeval.evaluation.bounds:score_bounds",
                    "berryeval.evaluation.bounds:difference_bounds",
                    "berryeval.evaluation.bounds:has_bounds",
                    "berryeval.evaluation.bounds:Bounds",
                ),
            ),
            Section(
                "Repeated runs",
                ("berryeval.evaluation.repeats:noise_of", "berryeval.evaluation.repeats:Noise"),
            ),
            Section(
                "Power",
                ("berryeval.evaluation:sensitivity", "berryeval.evaluation:Sensitivity"),
            ),
            Section("Stored results", ("berryeval.evaluation.quality",)),
        ),
    ),
    "gate": Subject(
        "Decide",
        "Decide whether a candidate can ship, and count earlier decisions. "
        "[Deciding](../../explanation/deciding.md) explains the rules.",
        (
            Section("Gate", (*_top("gate", "GateResult"), "berryeval.evaluation:GuardResult")),
            Section(
                "Rules and guards",
                (
                    *_top("GateRules"),
                    "berryeval.evaluation:ThresholdGuard",
                    "berryeval.evaluation:MarginGuard",
                    "berryeval.evaluation:Margin",
                    "berryeval.evaluation:LatencyGuard",
                ),
            ),
            Section("Baselines", _top("Baseline")),
            Section(
                "Memory",
                (
                    "berryeval.evaluation.memory:recall",
                    "berryeval.evaluation.memory:Memory",
                    "berryeval.evaluation.memory:Decision",
                    "berryeval.evaluation.reserve:Opening",
                    "berryeval.evaluation.reserve:Drift",
                ),
            ),
            Section(
                "History",
                (
                    "berryeval.suite.history",
                    "berryeval.suite.archived_history",
                    "berryeval.suite.trends",
                ),
            ),
        ),
    ),
    "data": Subject(
        "Judgments, runs, queries, documents",
        "The inputs of evaluations, and their files.",
        (
            Section("Data", (*_top("Judgments", "Run"), "berryeval.core")),
            Section("Files", ("berryeval.formats",)),
        ),
    ),
    "metrics": Subject(
        "Lists and arrays",
        "Metrics as plain functions, for unit tests and for arrays of integer ids.",
        (
            Section("One ranked list", ("berryeval.ranking",), "`from berryeval import ranking`"),
            Section("Arrays", ("berryeval.metrics",), "`from berryeval import metrics`"),
        ),
    ),
    "measures": Subject(
        "Measures as values",
        "A measure is a value; [all of them](../measures.md) have a page of their own. "
        "These functions read them, find them, and define more.",
        (
            Section(
                "Measures",
                (
                    "berryeval.measures:Measure",
                    "berryeval.measures:parse_measure",
                    "berryeval.measures:parse_measures",
                    "berryeval.measures:find_measure",
                    "berryeval.measures:all_measures",
                    "berryeval.measures:define_measure",
                ),
                "`from berryeval import measures`",
            ),
            Section(
                "Measures by name",
                ("berryeval.measures.names",),
                "`import berryeval as be`, then `be.nDCG @ 10`, `be.AP(rel=2)` or "
                "`be.P(rel=2) @ 5`.",
            ),
            Section("User models", _top("user_model", "UserModel")),
            Section(
                "Context precision and recall",
                ("berryeval.measures.contexts",),
                "`from berryeval.measures.contexts import …`; the names are those of Ragas.",
            ),
        ),
    ),
    "statistics": Subject(
        "Statistics",
        "Tests, intervals and the numbers behind them, for one number per query.",
        (Section("Statistics", ("berryeval.stats",), "`from berryeval import stats`"),),
    ),
    "judges": Subject(
        "Judges",
        "[Judges](../judges.md) lists their names and settings.",
        (
            Section(
                "Judges", ("berryeval.judges",), "`from berryeval.judges import Judge, open_judge`"
            ),
        ),
    ),
    "systems": Subject(
        "Systems under test",
        "[How to put a system under test](../../how-to/put-a-system-under-test.md) shows them at "
        "work.",
        (
            Section(
                "The interface of a system",
                (
                    "berryeval.search:Hit",
                    "berryeval.search:System",
                    "berryeval.search:to_hits",
                ),
                "`from berryeval.search import Hit, System, to_hits`; the systems are imported "
                "the same way.",
            ),
            Section(
                "Systems",
                (
                    "berryeval.search:open_system",
                    "berryeval.search.opening:open_configured_system",
                    "berryeval.search:Embedded",
                    "berryeval.search:Postgres",
                    "berryeval.search:OpenSearch",
                    "berryeval.search:QueryTemplate",
                    "berryeval.search:Http",
                    "berryeval.search:Function",
                    "berryeval.search:Retriever",
                    "berryeval.search:Replay",
                    "berryeval.search:as_system",
                ),
            ),
            Section(
                "Ask every query",
                (
                    "berryeval.search.collect:collect",
                    "berryeval.search:Collected",
                    "berryeval.search:Limits",
                    "berryeval.search:Journal",
                ),
            ),
            Section(
                "Chunks and spans",
                ("berryeval.search.chunking",),
                "`from berryeval.search.chunking import …`",
            ),
            Section(
                "Vectors",
                ("berryeval.search.embedding",),
                "`from berryeval.search.embedding import …`",
            ),
            Section(
                "Hybrid search",
                (
                    "berryeval.search.systems.hybrid",
                    "berryeval.search.systems.late_interaction",
                ),
            ),
        ),
    ),
    "golden": Subject(
        "Golden sets and quality",
        "Sets of judged queries that can be trusted, and systems tested against them.",
        (
            Section(
                "Golden sets",
                (
                    "berryeval.golden",
                    "berryeval.golden.check",
                    "berryeval.golden.agreement",
                    "berryeval.golden.init",
                    "berryeval.golden.diff",
                    "berryeval.suite.golden_archive",
                    "berryeval.golden.span_crediting",
                ),
            ),
            Section(
                "Quality",
                (
                    *_top("evaluate_system"),
                    "berryeval.suite.evaluate_system",
                    "berryeval.suite.quality",
                ),
            ),
            Section(
                "Settings of a hybrid search",
                ("berryeval.suite.tuning", "berryeval.evaluation.choosing"),
                "[Combine two systems](../../how-to/combine-two-systems.md"
                "#choose-the-settings-of-hybrid-search) shows how to choose them.",
            ),
        ),
    ),
    "archive": Subject(
        "Archive",
        "`from berryeval.archive import Archive` requires `pip install 'berryeval[archive]'`. "
        "[Archive](../archive.md) explains what is stored.",
        (
            Section("Archive", ("berryeval.archive.archive",)),
            Section(
                "Contents",
                (
                    "berryeval.archive.judgments:ArchivedJudgments",
                    "berryeval.archive.queries:ArchivedQueries",
                    "berryeval.archive.documents:ArchivedDocuments",
                    "berryeval.archive.runs:ArchivedRuns",
                    "berryeval.archive.evaluations:ArchivedEvaluations",
                    "berryeval.archive.baselines:ArchivedBaselines",
                    "berryeval.archive.gates:ArchivedGates",
                    "berryeval.archive.gates:ArchivedVerdicts",
                    "berryeval.archive.stores:ArchivedStores",
                    "berryeval.archive.tokens:ArchivedTokens",
                ),
            ),
            Section("Records", ("berryeval.archive.records",)),
        ),
    ),
    "service": Subject(
        "Service and client",
        "[The how-to](../../how-to/use-the-service-with-curl.md) shows what the service can do; "
        "the client does the same in Python, and requires only the standard library.\n\n"
        "```python\n"
        "import berryeval as be\n"
        "\n"
        'with be.Client("http://127.0.0.1:8765", token=None) as client:\n'
        '    client.judgments.put({"q1": {"d7": 2}})\n'
        '    run = client.runs.upload("bm25.run.gz", name="bm25")\n'
        '    client.evaluations.create(run["run_id"], ["nDCG@10"])["means"]\n'
        '    client.gates.decide("release", run["run_id"])["verdict"]\n'
        "```",
        (
            Section("Client", ("berryeval.client",)),
            Section(
                "Resources",
                (
                    "berryeval.client.collection:Queries",
                    "berryeval.client.collection:Judgments",
                    "berryeval.client.collection:Documents",
                    "berryeval.client.runs",
                    "berryeval.client.deciding:Evaluations",
                    "berryeval.client.deciding:Baselines",
                    "berryeval.client.deciding:Gates",
                    "berryeval.client.deciding:Jobs",
                    "berryeval.client.stores:Stores",
                ),
            ),
            Section(
                "Service",
                (
                    "berryeval.service.app:create_app",
                    "berryeval.service.settings:ServiceSettings",
                ),
            ),
        ),
    ),
    "reports": Subject(
        "Reports",
        "Results as tables, pages and files; [Share results](../../how-to/share-results.md) shows "
        "them. `berryeval.reports` has a module for each: `comparison`, `gate`, `evaluation`, "
        "`markdown`, `latex`, `junit`, `html`.",
        (
            Section("Pages", ("berryeval.reports.html",)),
            Section("Charts", ("berryeval.charts",)),
        ),
    ),
    "pytest": Subject(
        "pytest",
        "The objects that the fixtures of the [pytest plugin]"
        "(../../how-to/test-your-search-with-pytest.md) return, and its assertions as functions; "
        "all can be imported from `berryeval.pytest_plugin`.",
        (
            Section(
                "Results",
                ("berryeval.pytest_plugin.results", "berryeval.pytest_plugin.guard_check"),
            ),
            Section("Assertions", ("berryeval.pytest_plugin.plain",)),
        ),
    ),
    "compat": Subject(
        "Other tools",
        "The interfaces of other Python tools, computed by BerryEval. The pages for users of "
        "[pytrec_eval](../../how-to/coming-from-pytrec-eval.md), "
        "[ir_measures](../../how-to/coming-from-ir-measures.md) and "
        "[ranx](../../how-to/coming-from-ranx.md) list what differs.",
        (
            Section(
                "pytrec_eval",
                ("berryeval.compat.pytrec_eval",),
                "`from berryeval.compat import pytrec_eval`",
            ),
            Section(
                "ir_measures",
                ("berryeval.compat.ir_measures",),
                "`from berryeval.compat import ir_measures`",
            ),
            Section(
                "ranx",
                ("berryeval.compat.ranx",),
                "`from berryeval.compat.ranx import Qrels, Run, compare, evaluate`",
            ),
        ),
    ),
    "errors": Subject(
        "Errors",
        "Every error that BerryEval raises on purpose is a `BerryEvalError`, and also the "
        "built-in error that a reader would expect.",
        (Section("Errors", ("berryeval.errors",)),),
    ),
}


def entries_of(source: str) -> list[Entry]:
    """Return the public names of a module, or the one that is named after a colon."""
    home, _, name = source.partition(":")
    module = importlib.import_module(home)
    names = [name] if name else [one for one in module.__all__ if not one.startswith("_")]
    return [_entry(module, one) for one in names if not _is_module(module, one)]


def _is_module(module: ModuleType, name: str) -> bool:
    return isinstance(getattr(module, name), ModuleType)


def _entry(module: ModuleType, name: str) -> Entry:
    found = getattr(module, name)
    is_named = inspect.isclass(found) or inspect.isfunction(found)
    is_ours = is_named and found.__module__.startswith(TOP) and found.__name__ == name
    home = TOP if getattr(berryeval, name, None) is found else ""
    is_public = is_ours and "._" not in found.__module__
    path = f"{found.__module__ if is_public else module.__name__}.{name}"
    return Entry(name, path, home or module.__name__)


def _sections(subject: Subject) -> Iterator[tuple[Section, list[Entry]]]:
    """Yield the sections of a page with their names, each name once."""
    seen: set[str] = set()
    for section in subject.sections:
        found = {one.path: one for source in section.sources for one in entries_of(source)}
        entries = [one for path, one in found.items() if path not in seen]
        seen.update(found)
        yield section, entries


def api_pages(notice: str) -> dict[str, str]:
    """Return every page by its path below the reference, the first one being their index."""
    pages = {f"python/{key}.md": _page(subject, notice) for key, subject in SUBJECTS.items()}
    return {"python/index.md": _index(notice), **pages}


def _index(notice: str) -> str:
    lines = [
        "# Python",
        "",
        notice,
        "",
        "`import berryeval as be` is fast: modules are loaded when they are first used.",
        "These names are available from `berryeval` itself.",
        "",
        "| name | what it is | page |",
        "|---|---|---|",
    ]
    where = {
        entry.name: (key, subject, entry)
        for key, subject in SUBJECTS.items()
        for _, entries in _sections(subject)
        for entry in entries
        if entry.home == TOP
    }
    for name in sorted(where, key=str.lower):
        key, subject, entry = where[name]
        first = inspect.getdoc(getattr(berryeval, name)) or ""
        link = f"[`{name}`]({key}.md#{entry.path})"
        lines.append(f"| {link} | {first.partition(chr(10))[0]} | {subject.title} |")
    lines += [
        "",
        "`berryeval.measures`, `berryeval.metrics` and `berryeval.ranking` are modules: see "
        "[Measures](measures.md) and [Lists and arrays](metrics.md).",
        "",
    ]
    return "\n".join(lines)


def _page(subject: Subject, notice: str) -> str:
    lines = [f"# {subject.title}", "", notice, "", subject.text, ""]
    for section, entries in _sections(subject):
        if len(subject.sections) > 1:
            lines += [f"## {section.title}", ""]
        if section.text:
            lines += [section.text, ""]
        if section.sources == ("berryeval.errors",):
            lines += _error_table(entries)
        for entry in entries:
            lines += [f"::: {entry.path}", ""]
    return "\n".join(lines)


def _error_table(entries: list[Entry]) -> list[str]:
    """Return a table of the errors with their public base classes and their meaning."""
    lines = ["| error | is also a | what it is |", "|---|---|---|"]
    for entry in entries:
        error = getattr(berryeval.errors, entry.name)
        bases = ", ".join(f"`{base.__name__}`" for base in _public_bases(error))
        first = (inspect.getdoc(error) or "").partition("\n")[0]
        lines.append(f"| [`{entry.name}`](#{entry.path}) | {bases} | {first} |")
    return [*lines, ""]


def _public_bases(error: type) -> list[type]:
    """Return the nearest public base classes, none of which is a base of another."""
    found: list[type] = []
    for base in error.__bases__:
        found += _public_bases(base) if base.__name__.startswith("_") else [base]
    return [one for one in found if not any(issubclass(b, one) and b is not one for b in found)]
