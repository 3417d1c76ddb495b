"""The routes, one module a resource; each has a ``router``."""

from berryeval.service.routes import judgments

__all__ = ["ROUTERS"]

ROUTERS = (judgments.router,)
"""All but those for operators, in the order of the description."""
