"""Sample data: the demo with a month of invented runs, and the examples of the package."""

from berryeval.service.demo.filling import MEASURES, DemoFacts, content_of, fill_demo
from berryeval.service.demo.samples import store_samples

__all__ = ["MEASURES", "DemoFacts", "content_of", "fill_demo", "store_samples"]
