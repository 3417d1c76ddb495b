"""Single-file pages, which work from disk, in an email and on a CI server, and can be printed.

All data is escaped, and a content security policy forbids any script but our own.
"""

from berryeval.reports.html.comparison_page import comparison_to_html, gate_to_html
from berryeval.reports.html.document import tables_to_html

__all__ = ["comparison_to_html", "gate_to_html", "tables_to_html"]
