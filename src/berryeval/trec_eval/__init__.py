"""trec_eval's own behaviour: its parsers, its measures by name, and its output.

The rest of the library defines what to do with odd input; here trec_eval does. Where it crashes,
prints NaN or reads uninitialised memory, the result is an error, or the value that follows from
the definition of the measure.
"""

from berryeval.trec_eval.files import read_judgments, read_run
from berryeval.trec_eval.names import RelevanceFormat, Version, read_names
from berryeval.trec_eval.quick import report_files
from berryeval.trec_eval.report import Options, iter_scores, report
from berryeval.trec_eval.z_scores import read_z_scores

__all__ = [
    "Options",
    "RelevanceFormat",
    "Version",
    "iter_scores",
    "read_judgments",
    "read_names",
    "read_run",
    "read_z_scores",
    "report",
    "report_files",
]
