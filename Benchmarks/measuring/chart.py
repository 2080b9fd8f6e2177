"""Draws the growth of a cost on logarithmic axes, on which proportional growth is a straight line."""

import math
from dataclasses import dataclass, field
from html import escape

WIDTH, HEIGHT = 640, 400
LEFT, RIGHT, TOP, BOTTOM = 72, 600, 60, 340
# The colors of the pages that `tensorio evaluate --report` writes.
STYLE = """
  svg { font: 13px system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif }
  .sheet { fill: #fff } .grid { stroke: #e2dfd8 } .axis { stroke: #5a626b }
  text { fill: #5a626b } .title { fill: #1c2024; font-size: 15px; font-weight: 600 }
  .line { fill: none; stroke-width: 2 } .guide { stroke: #5a626b; stroke-dasharray: 5 4 }
  .limit { stroke: #b3372f; stroke-width: 1.5 } .limited { fill: #b3372f }
  .s0 { stroke: #1f6fc4 } .s1 { stroke: #c2571a } .t0 { fill: #1f6fc4 } .t1 { fill: #c2571a }
  .end { text-anchor: end } .middle { text-anchor: middle }
  @media (prefers-color-scheme: dark) {
    .sheet { fill: #1b1e22 } .grid { stroke: #30353c } .axis, .guide { stroke: #a4acb5 }
    text { fill: #a4acb5 } .title { fill: #e8eaec }
    .limit { stroke: #ff9288 } .limited { fill: #ff9288 }
    .s0 { stroke: #6cb0f5 } .s1 { stroke: #f09a5c } .t0 { fill: #6cb0f5 } .t1 { fill: #f09a5c }
  }
"""


@dataclass
class Line:
    """A series of measurements: pairs of an amount of work and its cost."""

    name: str
    points: list
    # Whether its values stand above the line, where no other line is higher.
    is_above: bool = True


@dataclass
class Chart:
    title: str
    across: str
    up: str
    lines: list
    # How a value of the vertical axis is written beside its point.
    unit: str = ""
    # The powers of growth to compare with, by name.
    guides: dict = field(default_factory=dict)
    # Which point of the first line they go through: the last, or the first (0).
    anchor: int = -1
    # A value that is not to be exceeded, and its words.
    limit: tuple = None

    def __str__(self):
        parts = [*self._rows(), *self._columns(), *self._names(), *self._guides(), *self._limit()]
        parts += [part for index, line in enumerate(self.lines) for part in self._line(index, line)]
        content = "\n".join(parts)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">\n'
            f"<title>{escape(self.title)}</title>\n<style>{STYLE}</style>\n"
            f'<rect class="sheet" width="{WIDTH}" height="{HEIGHT}" rx="8"/>\n{content}\n</svg>\n')

    # Places

    def _xs(self):
        return sorted({x for line in self.lines for x, _ in line.points})

    def _range(self):
        """Returns the range in steps of 1, 2 and 5 that contains all values."""
        values = [y for line in self.lines for _, y in line.points]
        values += [self.limit[0]] if self.limit else []
        return step_below(min(values) * 0.8), step_above(max(values) * 1.25)

    def x(self, value):
        first, last = self._xs()[0], self._xs()[-1]
        return LEFT + 24 + (RIGHT - LEFT - 48) * math.log(value / first) / math.log(last / first)

    def y(self, value):
        low, high = self._range()
        return BOTTOM + (TOP - BOTTOM) * math.log(value / low) / math.log(high / low)

    # Axes

    def _rows(self):
        for value in steps(*self._range()):
            y = self.y(value)
            yield f'<path class="grid" d="M{LEFT} {y:.1f}H{RIGHT}"/>'
            yield text(LEFT - 8, y + 4, number(value), "end")
        yield f'<path class="axis" d="M{LEFT} {BOTTOM}H{RIGHT}"/>'

    def _columns(self):
        """Returns the measured amounts whose labels fit."""
        free = -math.inf
        for value in reversed(self._xs()):
            word, x = number(value), self.x(value)
            yield f'<path class="axis" d="M{x:.1f} {BOTTOM}v4"/>'
            half = 4 * len(word) + 2
            if free == -math.inf or x + half < free:
                yield text(x, BOTTOM + 20, word, "middle")
                free = x - half

    def _names(self):
        yield text(LEFT, 26, self.title, "title")
        yield text(LEFT, 46, self.up)
        yield text((LEFT + RIGHT) / 2, HEIGHT - 16, self.across, "middle")
        for index, line in enumerate(self.lines):
            yield text(RIGHT, 28 + 18 * index, line.name, f"end t{index}")

    # What is compared with

    def _guides(self):
        at, cost = self.lines[0].points[self.anchor]
        for name, power in self.guides.items():
            first, last = (
                (self.x(x), self.y(y)) for x, y in self._within(at, cost, power))
            yield path("guide", [first, last])
            # Below a guide that leads to the last point, above one that leaves the first.
            share = 0.4 if self.anchor else 0.6
            x, y = (one + share * (other - one) for one, other in zip(first, last))
            yield text(x + 10, y + 16, name) if self.anchor else text(x - 10, y, name, "end")

    def _within(self, at, cost, power):
        """Returns the two ends of a guide within the plot."""
        low, high = self._range()
        lowest, highest = (at * (edge / cost) ** (1 / power) for edge in (low, high))
        first, last = max(self._xs()[0], lowest), min(self._xs()[-1], highest)
        return [(x, cost * (x / at) ** power) for x in (first, last)]

    def _limit(self):
        if self.limit:
            value, name = self.limit
            yield f'<path class="limit" d="M{LEFT} {self.y(value):.1f}H{RIGHT}"/>'
            yield text(RIGHT - 4, self.y(value) - 6, name, "end limited")

    # What was measured

    def _line(self, index, line):
        places = [(self.x(x), self.y(y)) for x, y in line.points]
        yield path(f"line s{index}", places)
        for x, y in places:
            yield f'<circle class="t{index}" cx="{x:.1f}" cy="{y:.1f}" r="3.5"/>'
        for end in (0, -1):
            (x, y), (_, value) = places[end], line.points[end]
            is_highest = value == max(each.points[end][1] for each in self.lines)
            shift = -10 if line.is_above and is_highest else 20
            yield text(x, y + shift, f"{number(value)}{self.unit}", f"middle t{index}")


def text(x, y, words, kind=""):
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}">{escape(words)}</text>'


def path(kind, places):
    return f'<path class="{kind}" d="M{"L".join(f"{x:.1f} {y:.1f}" for x, y in places)}"/>'


def number(value):
    """Formats a number with three digits and commas between thousands."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}"


# Steps of 1, 2 and 5


def steps(low, high):
    """Returns the steps of an axis; of more than seven, only the powers of ten."""
    powers = range(math.floor(math.log10(low)) - 1, math.ceil(math.log10(high)) + 1)
    every = (digit * 10.0**power for power in powers for digit in (1, 2, 5))
    few = [value for value in every if low * 0.999 <= value <= high * 1.001]
    return few if len(few) <= 7 else [value for value in few if math.log10(value) % 1 < 1e-6]


def step_below(value):
    power = 10.0 ** math.floor(math.log10(value))
    return max(digit * power for digit in (1, 2, 5) if digit * power <= value * 1.001)


def step_above(value):
    power = 10.0 ** math.floor(math.log10(value))
    return min(digit * power for digit in (1, 2, 5, 10) if digit * power >= value * 0.999)
