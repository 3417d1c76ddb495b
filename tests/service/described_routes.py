"""The routes in the API description, which takes a second and is computed once."""

from berryeval.service.app import describe

PATHS = describe()["paths"]
