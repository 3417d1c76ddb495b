"""The systems under test, and how those that we implement ourselves rank.

`embedded`, `postgres`, `opensearch`, `http`, `function`, `foreign` and `replay` are systems. Words
(`lexical`), vectors (`vectors`), tokens (`late_interaction`) and their fusion (`hybrid`,
`rank_fusion`) are what they are made of.
"""
