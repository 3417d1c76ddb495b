"""Automated judges: language models, functions, commands and files of grades.

A judge is an instrument. Its grades are stored with everything they depend on, beside the judgments
of people and never among them, and count only after the judge was checked against people.
`open_judge` opens one by name.
"""

from berryeval.judges.opening import open_judge
from berryeval.judges.protocol import Answer, Guideline, Judge, Opinion, Pair, Scale

__all__ = ["Answer", "Guideline", "Judge", "Opinion", "Pair", "Scale", "open_judge"]
