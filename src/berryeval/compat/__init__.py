"""Python interfaces of other tools, computed by BerryEval: change an import, keep the code.

=================================  ====================================================
`berryeval.compat.pytrec_eval`     instead of ``import pytrec_eval``
`berryeval.compat.ir_measures`     makes ``ir_measures`` compute with BerryEval
`berryeval.compat.ranx`            instead of ``from ranx import Qrels, Run, evaluate``
=================================  ====================================================

Each module keeps the names, arguments and return values of its tool, and the meanings that names
have there. Errors of the tool are not reproduced; the documentation of the module lists them.
"""
