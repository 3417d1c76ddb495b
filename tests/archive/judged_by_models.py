"""Grades, checks and proposals of automated judges, to fill archives with."""

from berryeval.judges.admissions import StoredAdmission
from berryeval.judges.model_grades import Identity, ModelGrade
from berryeval.judges.proposals import Proposal
from berryeval.judges.protocol import hash_of

WHEN = "2026-11-18T08:00:00+00:00"


def identity(judge="qwen", guideline="g1", **fingerprint):
    """Return a judge."""
    return Identity(judge, fingerprint or {"model": judge}, guideline)


def model_grade(query_id, doc_id, grade, judge="qwen", *, number=0, **fields):
    """Return a grade of a judge."""
    who = identity(judge)
    values = {
        "reason": "", "confidence": None, "judge": judge, "identity": who.digest,
        "guideline": who.guideline, "model": None, "purpose": "repeat" if number else "pool",
        "content": hash_of([who.digest, query_id, doc_id, number]), "number": number,
        "judged_at": WHEN, "n_calls": 1, "input_tokens": 200, "output_tokens": 20,
    }  # fmt: skip
    return ModelGrade(query_id, doc_id, grade, **{**values, **fields})


def admission(judge="qwen", *, is_admitted=True, checked_at=WHEN, models=(), **fields):
    """Return the result of a check."""
    who = identity(judge)
    reasons = () if is_admitted else ("kappa is 0.2",)
    return StoredAdmission(
        judge, who.fingerprint, who.guideline, models, checked_at, is_admitted, reasons,
        {"min_kappa": 0.6}, 100, **fields,
    )  # fmt: skip


def proposal(query_id="P1", query="how long?", **fields):
    """Return a proposed query."""
    values = {
        "status": "proposed", "intent": "to know", "category": "factoid", "difficulty": "easy",
        "doc_id": "d1", "content": "c0ffee", "model": "qwen", "template": "1:abc",
        "proposed_at": WHEN, "judge": "qwen", "grade": 2.0, "system": "bm25", "rank": 1,
    }  # fmt: skip
    return Proposal(query_id, query=query, **{**values, **fields})
