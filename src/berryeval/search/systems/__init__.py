"""The systems under test, and the ranking methods of those that BerryEval implements.

`embedded`, `postgres`, `opensearch`, `http`, `function`, `foreign`, `retrievers` and `replay` are
systems. They are built from word search (`lexical`), vectors (`vectors`), tokens
(`late_interaction`) and their fusion (`hybrid`, `rank_fusion`).
"""
