"""Systems under test: real search engines that answer queries, and what they need.

Each module is loaded when it is asked for; none brings a search engine's library in before a
system of its kind is made.
"""

from berryeval.search.hits import Hit, to_hits
from berryeval.search.system import System

__all__ = ["Hit", "System", "to_hits"]
