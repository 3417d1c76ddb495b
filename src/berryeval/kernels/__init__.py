"""The arithmetic of the measures, one module per family: the specification.

Each has a twin of the same name in ``native/kernels/`` that gives the same bits. A measure
declares its kernel, and thereby the function that is called in either twin. Kernels always take the
first two of these arguments, in this order, and the others by name:

grades
    One number for each rank, best first. Below 0 stands for a document without a usable
    grade: it is not relevant and gains 0. `relevance.NOT_IN_POOL` (-1) means that it is not
    judged, or that it also occurs higher up; any other number below 0, such as
    `relevance.UNJUDGED` (-2), that it was in the pool but not judged. Only inferred average
    precision and nDCG, and `hole_share`, distinguish the two. For a measure that looks
    `across_queries`, a document that only other queries judge is in the pool, too. A number may be
    a `berryeval.core.intents.IntentGrade`, which has a grade for each intent of the query; only
    intent-aware kernels look at them. Or it is a `berryeval.core.strata.SampledGrade`, which
    has the stratum that its document was sampled from; only those of `sampled` look at it. It
    may also be a `berryeval.core.lengths.SizedGrade`, which has the length of its document; only
    the kernels of `reading` look at that.
judged
    The grades of all judged documents of the query, highest first. Grades below 0 may be at
    its end or be left out: no kernel looks at them.
k
    The number of ranks that count; None means all of them.
level
    The lowest grade that is relevant; 0 or more.

Other parameters have the names of those of the measure in `berryeval.measures`, whose rel is
called level here.

Where there is nothing to divide by, the value is 0, never NaN. NaN means that a length is unknown.

Floats are added one after the other, in rank order. ``sum`` is not used for them: since Python
3.12, it compensates for rounding, and the bits would depend on the version.
"""
