"""Which other tools have each measure, and whether their values are ours.

The one place where this is written down: ``docs/generate.py`` makes a page of it, and tests check
that every measure is here, and that a name without a note is read as the measure of its row.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

__all__ = ["NOTES", "TOOLS", "WHERE", "Cell"]

TOOLS = {
    "trec_eval": "9.0.8, with the measures of 10.0; pytrec_eval contains its code. Scores have 32 "
    "bits there and 64 here, so that very close scores tie only there",
    "ir_measures": "0.4.3",
    "ranx": "0.3.21",
    "cwl-eval": "1.0.12, whose values of the user models were compared",
    "pyndeval": "0.0.8, which contains ndeval 4.5",
    "BEIR, MTEB": "BEIR 2.2.0, whose own metrics `MRR`, `R_cap`, `Accuracy` and `Hole` were "
    "compared; the others are pytrec_eval's, as are those of MTEB",
    "sample_eval.pl": "NIST's script for sampled judgments, of 10 October 2011",
}
"""Tools, and what was compared."""

NOTES = {
    "10.0": "Only in trec_eval 10.0.",
    "undefined": "trec_eval 10.0 reads memory that was never set, so its value is undefined.",
    "residual": "If no retrieved document is unjudged it is 0; ours then has the weight of the "
    "ranks below the ranking.",
    "ties": "Equal scores keep the order in which documents were given. Without ties, values are "
    "equal.",
    "lower id": "With a cutoff, ties are broken by the lower id. Without ties, values are equal.",
    "judged": "Negative grades count as judgments, and ties are broken by the lower id.",
    "perl": "Grades up to 4, computed by a Perl script; equal for `max_grade=4`.",
    "binary": "Relevant or not; equal to `RBP` without `max_grade`.",
    "raw grades": "Multiplies by grades, and can exceed 1; equal for grades of 0 and 1.",
    "NaN": "NaN if no document is judged not relevant; a negative grade counts as not relevant.",
    "gains": "Takes gains from 0 to 1, and at most 1,000 documents per query.",
    "compat": "If scores are negative, documents that were not retrieved come first among those "
    "of equal grade.",
    "pairs": "Leaves out queries whose rankings have no relevant document; here they count as 0.",
    "depth 1": "Not normalised at depth 1, and cutoffs end at 20.",
    "20": "Cutoffs end at 20.",
    "strata": "Looks at the first 1,000 documents: equal to `@1000`. Means leave out judged "
    "queries that are missing from the run. Its `infAP` is that of strata, not that of trec_eval.",
    "per document": "The mean gain per document, up to the 1,000th rank, with costs in seconds; "
    "times the expected number of documents it is "
    "`TBG(scan=0,page=0,pace=1,click=1,stray=1,save=1)`.",
    "before": "Weights that add up to 1, by the text before a document, without snippets; values "
    "cannot be compared.",
    "missing": "Means leave out judged queries that are missing from the run.",
    "all queries": "Equal scores keep the order in which documents were given, and queries without "
    "judgments count as well. Apart from that, values are equal.",
}
"""What differs, by the key that cells have."""


class Cell(NamedTuple):
    """A measure in another tool."""

    name: str
    """What it is called there."""
    note: str | None = None
    """A key of `NOTES`; None if its values are ours without any reservation."""


def _row(
    trec_eval: Cell | None = None,
    ir_measures: Cell | None = None,
    ranx: Cell | None = None,
    cwl_eval: Cell | None = None,
    pyndeval: Cell | None = None,
    beir: Cell | None = None,
    sample_eval: Cell | None = None,
) -> dict[str, Cell]:
    cells = (trec_eval, ir_measures, ranx, cwl_eval, pyndeval, beir, sample_eval)
    return {tool: cell for tool, cell in zip(TOOLS, cells, strict=True) if cell is not None}


WHERE: Mapping[str, Mapping[str, Cell]] = {
    "AP": _row(Cell("map"), Cell("AP"), Cell("map", "ties"), beir=Cell("MAP@10", "missing")),
    "AP11": _row(Cell("11pt_avg")),
    "AP_IA": _row(None, Cell("AP_IA"), None, None, Cell("MAP-IA")),
    "BPM": _row(None, Cell("BPM(max_rel=1)@20"), None, Cell("BPM-Static-T=1.0-K=20")),
    "Bpref": _row(Cell("bpref"), Cell("Bpref"), Cell("bpref", "NaN")),
    "Compat": _row(None, Cell("Compat(p=0.95)", "compat")),
    "DCG": _row(Cell("dcg", "10.0"), None, Cell("dcg", "ties")),
    "ERR": _row(None, Cell("ERR@10", "perl")),
    "ERR_IA": _row(None, Cell("ERR_IA@10", "depth 1"), None, None, Cell("ERR-IA@10", "depth 1")),
    "F": _row(),
    "F1": _row(None, None, Cell("f1@10", "ties")),
    "G": _row(Cell("G")),
    "GMAP": _row(Cell("gm_map")),
    "GMBpref": _row(Cell("gm_bpref")),
    "Hole": _row(beir=Cell("Hole@10", "all queries")),
    "Holes": _row(),
    "IDCG": _row(Cell("ideal_dcg", "10.0")),
    "INSQ": _row(None, Cell("INSQ(max_rel=1)"), None, Cell("INSQ-T=1.0")),
    "INST": _row(None, Cell("INST(max_rel=1)"), None, Cell("INST-T=1.0")),
    "IPrec": _row(Cell("iprec_at_recall.0.5"), Cell("IPrec@0.5")),
    "Judged": _row(None, Cell("Judged@10", "judged")),
    "NCG": _row(),
    "NERR8": _row(None, Cell("NERR8(max_rel=1)@10"), None, Cell("NERR-EQ8@k=10")),
    "NERR9": _row(None, Cell("NERR9(max_rel=1)@10"), None, Cell("NERR-EQ9@k=10")),
    "NERR10": _row(None, Cell("NERR10(p=0.8,max_rel=1)"), None, Cell("NERR-EQ10@phi=0.8")),
    "NERR11": _row(None, Cell("NERR11(T=2.0,max_rel=1)"), None, Cell("NERR-EQ11@T=2.0")),
    "NRBP": _row(None, Cell("NRBP"), None, None, Cell("NRBP")),
    "NumNonrelJudgedRet": _row(Cell("num_nonrel_judged_ret")),
    "NumQ": _row(Cell("num_q"), Cell("NumQ")),
    "NumRel": _row(Cell("num_rel"), Cell("NumRel")),
    "NumRelRet": _row(Cell("num_rel_ret"), Cell("NumRelRet"), Cell("hits@10", "ties")),
    "NumRet": _row(Cell("num_ret"), Cell("NumRet")),
    "P": _row(
        Cell("P_10"),
        Cell("P@10"),
        Cell("precision@10", "ties"),
        Cell("P@10", "gains"),
        beir=Cell("P@10", "missing"),
    ),
    "P_IA": _row(None, Cell("P_IA@10", "20"), None, None, Cell("P-IA@10", "20")),
    "PairwiseAccuracy": _row(None, Cell("Accuracy", "pairs")),
    "R": _row(
        Cell("recall_10"),
        Cell("R@10"),
        Cell("recall@10", "ties"),
        beir=Cell("Recall@10", "missing"),
    ),
    "RBP": _row(
        Cell("rbp", "undefined"),
        Cell("RBP(p=0.8)", "binary"),
        Cell("rbp.95", "raw grades"),
        Cell("RBP@0.8", "gains"),
    ),
    "RBPResidual": _row(Cell("rbp_resid", "residual")),
    "RR": _row(
        Cell("recip_rank"),
        Cell("RR@10", "lower id"),
        Cell("mrr@10", "ties"),
        Cell("RR", "gains"),
        beir=Cell("MRR@10", "ties"),
    ),
    "RelP": _row(Cell("relative_P_10"), beir=Cell("R_cap@10", "ties")),
    "Rndcg": _row(Cell("Rndcg")),
    "Rprec": _row(Cell("Rprec"), Cell("Rprec"), Cell("r-precision", "ties")),
    "RprecMult": _row(Cell("Rprec_mult.0.2")),
    "SDCG": _row(None, Cell("SDCG(max_rel=1)@10"), None, Cell("NDCG-k@10")),
    "SetAP": _row(Cell("set_map"), Cell("SetAP")),
    "SetF": _row(Cell("set_F"), Cell("SetF")),
    "StRecall": _row(None, Cell("StRecall@10", "20"), None, None, Cell("strec@10", "20")),
    "Success": _row(
        Cell("success_10"),
        Cell("Success@10"),
        Cell("hit_rate@10", "ties"),
        beir=Cell("Accuracy@10", "ties"),
    ),
    "TBG": _row(None, None, None, Cell("TBG-H@224", "per document")),
    "U": _row(None, None, None, Cell("U-L@1000", "before")),
    "Unjudged": _row(Cell("unj", "10.0")),
    "Utility": _row(Cell("utility")),
    "alpha_DCG": _row(
        None, Cell("alpha_DCG@10", "depth 1"), None, None, Cell("alpha-DCG@10", "depth 1")
    ),
    "alpha_nDCG": _row(None, Cell("alpha_nDCG@10", "20"), None, None, Cell("alpha-nDCG@10", "20")),
    "binG": _row(Cell("binG")),
    "gERR_IA": _row(),
    "infAP": _row(Cell("infAP"), Cell("infAP")),
    "infNDCG": _row(sample_eval=Cell("infNDCG", "strata")),
    "ms": _row(),
    "nDCG": _row(
        Cell("ndcg_cut_10"),
        Cell("nDCG@10"),
        Cell("ndcg@10", "ties"),
        beir=Cell("NDCG@10", "missing"),
    ),
    "nDCGRel": _row(Cell("ndcg_rel")),
    "nERR_IA": _row(None, Cell("nERR_IA@10", "20"), None, None, Cell("nERR-IA@10", "20")),
    "nNRBP": _row(None, Cell("nNRBP"), None, None, Cell("nNRBP")),
    "tokens": _row(),
    "xinfAP": _row(sample_eval=Cell("infAP", "strata")),
    "yaap": _row(Cell("yaap")),
}
"""For each measure the tools that have it."""
