"""Judgments, second opinions, and the rule that reduces them to the grade that counts.

Every state of a judgment is a row; `states` reads them as of any revision, `index` keeps the
current ones in memory.
"""

from berryeval.archive.judgments.judgments import ArchivedJudgments

__all__ = ["ArchivedJudgments"]
