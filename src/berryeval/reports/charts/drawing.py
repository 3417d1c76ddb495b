"""Specifications as pictures, drawn without a browser and without a network."""

from __future__ import annotations

from types import ModuleType
from typing import Literal

from berryeval.errors import MissingExtraError
from berryeval.reports.charts.theme import Spec

__all__ = ["to_png", "to_svg"]

_VERSION = "5.20"


def to_svg(spec: Spec, theme: Literal["light"] = "light") -> str:  # noqa: ARG001 - the only one
    """Draw a chart as SVG."""
    svg: str = _library().vegalite_to_svg(spec, vl_version=_VERSION)
    return svg


def to_png(spec: Spec, scale: float = 2.0) -> bytes:
    """Draw a chart as PNG, dark on white."""
    picture: bytes = _library().vegalite_to_png(
        {**spec, "background": "white"}, scale=scale, vl_version=_VERSION
    )
    return picture


def _library() -> ModuleType:
    try:
        import vl_convert
    except ImportError:
        raise MissingExtraError("Drawing charts", "charts") from None
    module: ModuleType = vl_convert
    return module
