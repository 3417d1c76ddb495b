"""The demo: an archive with the bundled golden set and a month of invented runs."""

from berryeval.service.demo.filling import MEASURES, DemoFacts, fill_demo

__all__ = ["MEASURES", "DemoFacts", "fill_demo"]
