"""The routes of the service as its API describes them: computed once, in a second."""

from berryeval.service.app import describe

PATHS = describe()["paths"]
