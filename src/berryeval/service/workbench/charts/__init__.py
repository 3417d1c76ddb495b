"""Charts of the pages, drawn as SVG: one module a chart.

They look as the reports' charts do, and take their colours from the same CSS variables. Vega, which
draws those, takes too long for a page that is drawn anew each time (docs/decisions/0016).
"""
