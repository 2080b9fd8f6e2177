"""Images on which results are drawn."""

from __future__ import annotations

import io
import os
from typing import TYPE_CHECKING, BinaryIO

from ._imports import require

if TYPE_CHECKING:
    from PIL.Image import Image


class Drawing:
    """An image with the result of a model drawn on it.

    Notebooks show it.
    """

    def __init__(self, png: bytes) -> None:
        self.png = png
        """The bytes of the image as a PNG."""

    @property
    def width(self) -> int:
        """The width of the image in pixels."""
        return int.from_bytes(self.png[16:20], "big")

    @property
    def height(self) -> int:
        """The height of the image in pixels."""
        return int.from_bytes(self.png[20:24], "big")

    def save(self, file: str | os.PathLike[str] | BinaryIO) -> None:
        """Writes a PNG. Any other file extension selects that format and requires Pillow."""
        if not isinstance(file, (str, os.PathLike)):
            file.write(self.png)
        elif os.path.splitext(file)[1].lower() in ("", ".png"):
            with open(file, "wb") as target:
                target.write(self.png)
        else:
            self.to_pil().save(file)

    def to_pil(self) -> Image:
        """Returns the image as a PIL image, which needs Pillow."""
        return pillow_image(self.png)

    def _repr_png_(self) -> bytes:
        return self.png

    def __repr__(self) -> str:
        return f"Drawing(width={self.width}, height={self.height})"


def pillow_image(png: bytes) -> Image:
    """Opens a PNG with Pillow."""
    image: Image = require("PIL.Image", "pillow").open(io.BytesIO(png))
    return image
