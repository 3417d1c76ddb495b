"""Other tools' Python interfaces, computed by BerryEval: change an import, keep the code.

=================================  ====================================================
`berryeval.compat.pytrec_eval`     instead of ``import pytrec_eval``
`berryeval.compat.ir_measures`     makes ``ir_measures`` compute with BerryEval
`berryeval.compat.ranx`            instead of ``from ranx import Qrels, Run, evaluate``
=================================  ====================================================

Each module keeps the names, arguments and return values of its tool, and the meaning that a name
has there. Where the tool is wrong, the module is not; its documentation lists where.
"""
