"""The lowest and the highest value of a score, over all grades of unjudged documents.

A hole is a document in the first k of a ranking without a grade of 0 or more. An assignment gives
each hole of a query one grade, the same in every ranking; the bounds of a score, or of a
difference, are its minimum and maximum over all assignments. The number of relevant documents
and the ideal ranking change with the holes, and with nothing else.

`families` lists the measures of each family; the other modules find their bounds.
"""

from berryeval.evaluation.bounds.case import Bounds, holes_of
from berryeval.evaluation.bounds.families import difference_bounds, has_bounds, score_bounds

__all__ = ["Bounds", "difference_bounds", "has_bounds", "holes_of", "score_bounds"]
