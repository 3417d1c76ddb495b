"""Pictures of pages as small PNG files: a palette of 256 colours, and no more.

What browsers write has 16 million colours and is several times as large.
"""

from __future__ import annotations

import base64
import struct
import zlib
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from playwright.sync_api import Page

__all__ = ["encode", "shrink"]

_COLOURS = 256
_PIXELS = """async (png) => {
  const bytes = Uint8Array.from(atob(png), (letter) => letter.charCodeAt(0));
  const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
  const canvas = new OffscreenCanvas(image.width, image.height);
  const context = canvas.getContext("2d");
  context.drawImage(image, 0, 0);
  const { data } = context.getImageData(0, 0, image.width, image.height);
  let text = "";
  for (let i = 0; i < data.length; i += 32768) {
    text += String.fromCharCode(...data.subarray(i, i + 32768));
  }
  return [image.width, image.height, btoa(text)];
}"""


def shrink(png: bytes, blank: Page) -> bytes:
    """Return a picture in fewer colours; a blank page of the browser decodes it."""
    width, height, pixels = blank.evaluate(_PIXELS, base64.b64encode(png).decode())
    rgba = np.frombuffer(base64.b64decode(pixels), np.uint8).reshape(height, width, 4)
    smaller = encode(rgba[:, :, :3])
    return smaller if len(smaller) < len(png) else png


def encode(pixels: npt.NDArray[np.uint8]) -> bytes:
    """Write rows of red, green and blue as a PNG with a palette."""
    height, width, _ = pixels.shape
    red, green, blue = (pixels[:, :, n].astype(np.uint32) for n in range(3))
    found, places, counts = np.unique(
        red << 16 | green << 8 | blue, return_inverse=True, return_counts=True
    )
    colours = np.stack([found >> 16, found >> 8 & 255, found & 255], axis=1).astype(np.int32)
    palette, nearest = _palette(colours, counts)
    rows = np.zeros((height, width + 1), np.uint8)  # each begins with its filter: none
    rows[:, 1:] = nearest[places].reshape(height, width)
    parts = [
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)),
        (b"PLTE", palette.astype(np.uint8).tobytes()),
        (b"IDAT", zlib.compress(rows.tobytes(), 9)),
        (b"IEND", b""),
    ]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(content))
        + kind
        + content
        + struct.pack(">I", zlib.crc32(kind + content))
        for kind, content in parts
    )


def _palette(
    colours: npt.NDArray[np.int32], counts: npt.NDArray[np.intp]
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.uint8]]:
    """Choose colours, and map every existing colour to one of them.

    What is frequent keeps its colour, so that areas are as they were; the rest are shades of the
    edges of letters and lines.
    """
    order = np.argsort(-counts, kind="stable")
    chosen: list[int] = []
    seen: set[tuple[int, ...]] = set()
    for closeness in (24, 12, 6, 1):  # far apart at first, to include every kind of colour
        for place in order:
            if len(chosen) == _COLOURS:
                break
            block = (closeness, *(colours[place] // closeness).tolist())
            if block not in seen:
                seen.add(block)
                if place not in chosen:
                    chosen.append(int(place))
    palette = colours[chosen]
    nearest = np.empty(len(colours), np.uint8)
    for start in range(0, len(colours), 4096):
        part = colours[start : start + 4096, None, :] - palette[None]
        nearest[start : start + 4096] = (part**2).sum(axis=2).argmin(axis=1)
    return palette, nearest
