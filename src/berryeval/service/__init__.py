"""The service: the archive behind an HTTP API. `berryeval serve` starts it."""

from typing import TYPE_CHECKING

from berryeval._lazy import loader_of

if TYPE_CHECKING:
    from berryeval.service.app import create_app
    from berryeval.service.settings import ServiceSettings

__all__ = ["ServiceSettings", "create_app"]

__getattr__ = loader_of(
    __name__,
    {
        "ServiceSettings": "berryeval.service.settings",
        "create_app": "berryeval.service.app",
    },
)
