"""The demonstration: an archive with the golden set that ships and a month of invented runs."""

from berryeval.service.demo.filling import DemoFacts, fill_demo

__all__ = ["DemoFacts", "fill_demo"]
