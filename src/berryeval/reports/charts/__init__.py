"""Charts as Vega-Lite specifications: one for the page, a notebook and a file.

A specification is a dict and needs no library; `drawing` makes pictures of it.
"""
