"""Measure the quality of search and RAG retrieval.

Everything public is reached from here and loaded when it is first used:
``import berryeval`` itself imports neither NumPy nor Rich. ``__init__.pyi`` tells editors and type
checkers the same names.
"""

from __future__ import annotations

from berryeval._lazy import loader_of

__version__ = "0.1.0"

_NAMES = {
    "archive": ("Archive",),
    "client": ("Client",),
    "core": ("Document", "Documents", "Query", "QueryType", "RelevanceJudgment"),
    "core.judgments": ("Judgments",),
    "core.run": ("Run",),
    "errors": (
        "AnswerError",
        "ArchiveError",
        "ArgumentError",
        "BackendWarning",
        "BerryEvalError",
        "ConflictError",
        "FormatError",
        "InputError",
        "InputTypeError",
        "MeasureSyntaxError",
        "MismatchError",
        "MissingExtraError",
        "NotFoundError",
        "ServiceError",
        "SparkError",
        "SystemTimeoutError",
        "SystemUnderTestError",
        "UnknownMeasureError",
    ),
    "evaluation": (
        "Baseline",
        "Comparison",
        "Evaluation",
        "GateResult",
        "GateRules",
        "compare",
        "evaluate",
        "gate",
    ),
    "evaluation.agreeing": ("Agreement", "MeasuresAgreement", "agree", "agree_measures"),
    "evaluation.collected": ("CollectedComparison", "compare_scores"),
    "evaluation.explain": ("Explanation", "explain"),
    "evaluation.overlap": ("Overlap", "overlap"),
    "evaluation.partitions": ("ScoringPlan", "gather_scores", "score_partition"),
    "evaluation.sessions": ("SessionScores", "session_scores"),
    "evaluation.whole_runs": (
        "catalogue_coverage",
        "context_length",
        "intra_list_diversity",
        "novelty",
    ),
    "evaluation.reranking": ("RerankingCeiling", "reranking_ceiling"),
    "evaluation.fusing": ("fuse",),
    "evaluation.tuning": ("FusionTuning", "tune_fusion"),
    "formats": (
        "Dataset",
        "iter_documents",
        "read_dataset",
        "read_documents",
        "read_judgments",
        "read_queries",
        "read_run",
        "write_judgments",
        "write_run",
    ),
    "measures.names": (
        "AP",
        "AP11",
        "AP_IA",
        "BPM",
        "DCG",
        "ERR",
        "ERR_IA",
        "F1",
        "GMAP",
        "IDCG",
        "INSQ",
        "INST",
        "NCG",
        "NERR8",
        "NERR9",
        "NERR10",
        "NERR11",
        "NRBP",
        "P_IA",
        "RBP",
        "RR",
        "SDCG",
        "TBG",
        "Bpref",
        "Compat",
        "F",
        "G",
        "GMBpref",
        "Hole",
        "Holes",
        "IPrec",
        "Judged",
        "NumNonrelJudgedRet",
        "NumQ",
        "NumRel",
        "NumRelRet",
        "NumRet",
        "P",
        "PairwiseAccuracy",
        "R",
        "RBPResidual",
        "RelP",
        "Rndcg",
        "Rprec",
        "RprecMult",
        "SetAP",
        "SetF",
        "StRecall",
        "Success",
        "U",
        "Unjudged",
        "Utility",
        "alpha_DCG",
        "alpha_nDCG",
        "binG",
        "gERR_IA",
        "infAP",
        "infNDCG",
        "ms",
        "nDCG",
        "nDCGRel",
        "nERR_IA",
        "nNRBP",
        "tokens",
        "xinfAP",
        "yaap",
    ),
    "measures.reader": ("UserModel", "user_model"),
    "search.opening": ("open_system",),
    "suite.evaluate_system": ("evaluate_system",),
}
_MODULES = ("fusion", "measures", "metrics", "ranking", "stats")
_RENAMED = dict.fromkeys(("BackendError", "BackendTimeout"), "berryeval.errors")
_HOMES = {name: f"berryeval.{home}" for home, names in _NAMES.items() for name in names}

__all__ = sorted(["__version__", *_HOMES, *_MODULES])  # noqa: PLE0605 - each name stands above

__getattr__ = loader_of(__name__, _HOMES | _RENAMED, _MODULES)


def __dir__() -> list[str]:
    return __all__
