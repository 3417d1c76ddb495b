"""The arithmetic of the measures, one module a family: the specification.

Each function has a twin of the same name in ``native/kernels/`` that gives the same bits.
What they take:

grades
    One number for each rank, best first. Below 0 stands for a document without a usable
    grade: nobody judged it, or it stood higher up already. It is not relevant and gains 0.
judged
    The grades of all judged documents of the query, highest first.
k
    How many ranks count; None means all of them.
level
    The lowest grade that is relevant; 0 or more.

Floats are added one after the other, in rank order. ``sum`` is not used for them: from
Python 3.12 on it compensates for rounding, and the bits would depend on the version.
"""
