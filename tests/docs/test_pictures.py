"""The pictures of the workbench in the documentation, and their file sizes."""

import re
import struct
import zlib
from pathlib import Path

import numpy as np
import pytest
from scripts.small_png import encode
from scripts.workbench_screenshots import PAGE, PICTURES, files_of, to_markdown

DOCS = Path(__file__).parents[2] / "docs"
IMAGES = DOCS / "images" / "workbench"
LARGEST = 6_000_000


def decode(png: bytes) -> np.ndarray:
    """Decode a PNG with a palette and without filters."""
    parts, place = {}, 8
    while place < len(png):
        (length,) = struct.unpack(">I", png[place : place + 4])
        kind = png[place + 4 : place + 8]
        content = png[place + 8 : place + 8 + length]
        (check,) = struct.unpack(">I", png[place + 8 + length : place + 12 + length])
        assert check == zlib.crc32(kind + content)
        parts[kind] = content
        place += 12 + length
    width, height = struct.unpack(">II", parts[b"IHDR"][:8])
    palette = np.frombuffer(parts[b"PLTE"], np.uint8).reshape(-1, 3)
    rows = np.frombuffer(zlib.decompress(parts[b"IDAT"]), np.uint8).reshape(height, width + 1)
    return palette[rows[:, 1:]]


def test_a_picture_of_few_colours_keeps_them():
    """The colours are equal to the bit."""
    pixels = np.zeros((3, 5, 3), np.uint8)
    pixels[1, 2] = (255, 128, 1)
    pixels[2, 4] = (7, 8, 9)
    assert (decode(encode(pixels)) == pixels).all()


def test_a_picture_of_many_colours_looks_the_same():
    """Large areas keep their colour, and shades stay close."""
    pixels = np.zeros((200, 300, 3), np.uint8)
    pixels[:150] = (252, 252, 253)
    chance = np.random.default_rng(1)
    pixels[150:] = np.repeat(chance.integers(0, 256, (50, 300, 1)), 3, axis=2)
    pixels[150:160, :, 0] = 200
    found = decode(encode(pixels)).astype(int)
    assert (found[:150] == pixels[:150]).all()
    assert np.abs(found - pixels).max() < 16


def test_every_picture_exists_and_is_shown():
    """The page shows all of them, and their total size is small."""
    expected = {file for picture in PICTURES for file in files_of(picture)}
    assert {path.name for path in IMAGES.glob("*.png")} == expected
    assert sum(path.stat().st_size for path in IMAGES.iterdir()) < LARGEST
    assert PAGE.read_text(encoding="utf-8") == to_markdown()


@pytest.mark.parametrize("page", ["use-the-workbench"])
def test_the_tour_shows_every_page(page):
    """Each page has a picture, of a desktop or a phone."""
    text = (DOCS / "how-to" / f"{page}.md").read_text(encoding="utf-8")
    shown = set(re.findall(r"images/workbench/([\w-]+)-\w+-\w+\.png", text))
    assert shown >= {picture.name for picture in PICTURES} - {"login", "search"}


def test_pictures_of_explanations_are_charts_with_descriptions():
    """Each is shown on a page."""
    drawing = pytest.importorskip("draw_explanations", reason="no scripts in a source distribution")
    pages = "".join(path.read_text("utf-8") for path in (DOCS / "explanation").glob("*.md"))
    for name in drawing.PICTURES:
        assert f"](../images/{name}.svg)" in pages, name
    for name in ("verdicts", "groups", "looks"):
        chart = drawing.PICTURES[name]()
        assert chart.description
        assert (DOCS / "images" / f"{name}.svg").read_text("utf-8") == f"{chart.to_svg()}\n"
