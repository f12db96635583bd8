"""A picture as plain geometry: boxes, frames around boxes, lines and texts, in pixels. `svg` writes it."""

from __future__ import annotations

import msgspec


class Area(msgspec.Struct):
    """A rectangle."""

    x: float
    y: float
    width: float
    height: float

    @property
    def middle(self) -> float:
        """The middle of its width."""
        return self.x + self.width / 2

    @property
    def bottom(self) -> float:
        """Its lower edge."""
        return self.y + self.height

    @property
    def right(self) -> float:
        """Its right edge."""
        return self.x + self.width


class PictureText(msgspec.Struct, frozen=True, kw_only=True):
    """One line of text.

    Args:
        text: what it says.
        x: its start, middle or end, depending on `anchor`.
        y: its base line.
        look: the class of its style; empty for the common one.
        anchor: `start`, `middle` or `end`.
    """

    text: str
    x: float
    y: float
    look: str = ""
    anchor: str = "start"


class Box(msgspec.Struct, frozen=True, kw_only=True):
    """A state or a resource.

    Args:
        area: its rectangle.
        look: the classes of its style.
        about: all that is known about it, in lines.
        texts: the texts in it.
        bars: whether it has a bar along its left and its right edge, as a workload has.
    """

    area: Area
    look: str
    about: tuple[str, ...]
    texts: tuple[PictureText, ...]
    bars: bool = False


class Frame(msgspec.Struct, frozen=True, kw_only=True):
    """A rectangle around boxes.

    Args:
        area: the rectangle.
        look: the classes of its style.
        title: the text in its upper left corner.
        about: why it looks so; may be empty.
    """

    area: Area
    look: str
    title: str
    about: str = ""


class PictureLine(msgspec.Struct, frozen=True, kw_only=True):
    """A line from box to box.

    Args:
        path: its course, as the data of an SVG path.
        look: the class of its style.
        about: its meaning, in lines.
        has_arrow: whether its last part ends in an arrow.
    """

    path: str
    look: str
    about: tuple[str, ...] = ()
    has_arrow: bool = True


class Sample(msgspec.Struct, frozen=True, kw_only=True):
    """An entry of a legend: a short line, or a small box, and what it means.

    Args:
        look: the classes of the style of the line or box.
        text: what it means.
        area: where the line or box is drawn.
        is_line: whether it is a line.
    """

    look: str
    text: str
    area: Area
    is_line: bool


class Legend(msgspec.Struct, frozen=True, kw_only=True):
    """The meaning of lines and boxes.

    Args:
        area: its rectangle.
        samples: its entries.
    """

    area: Area
    samples: tuple[Sample, ...]


class Picture(msgspec.Struct, kw_only=True):
    """A whole picture.

    Args:
        width: the whole width.
        height: the whole height.
        frames: outer ones before inner ones.
        lines: in any order.
        boxes: in any order.
        legend: the meaning of lines and boxes; may be None.
    """

    width: float
    height: float
    frames: list[Frame]
    lines: list[PictureLine]
    boxes: list[Box]
    legend: Legend | None = None
