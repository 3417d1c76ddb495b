"""Data that client tests store in a service."""

from berryeval.core.documents import Document
from berryeval.core.query import Query

RUN = {"q1": {"d1": 2.0, "d2": 1.0}, "q2": {"d3": 1.0}}
OTHER = {"q1": {"d2": 2.0, "d1": 1.0}, "q2": {"d3": 1.0}}
JUDGMENTS = {"q1": {"d1": 2, "d9": 0}, "q2": {"d3": 1}}
QUERIES = [Query("q1", "first", category="easy", tags=("a",)), Query("q2", "second")]
DOCUMENTS = [Document("d1", "first thing", "One"), Document("d3", "second thing")]
