"""Charts as SVG, by hand: a few lines over a logarithmic grid."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from math import ceil, floor, log10

__all__ = ["chart"]

WIDTH, HEIGHT = 640, 360
LEFT, RIGHT, TOP, BOTTOM = 70, 170, 40, 45
LABEL = 13
COLOURS = ("#3b6fb6", "#c0504d", "#5a9a4a", "#8064a2", "#d08a2e")

Point = tuple[float, float]


def chart(title: str, unit: str, lines: Mapping[str, Sequence[Point]]) -> str:
    """Lines by name over claims (x) in a unit (y), both logarithmic."""
    points = [point for line in lines.values() for point in line]
    xs = _decades([x for x, _ in points])
    ys = _decades([y for _, y in points])

    def place(x: float, y: float) -> Point:
        across = (log10(x) - xs[0]) / max(1, xs[1] - xs[0])
        up = (log10(y) - ys[0]) / max(1, ys[1] - ys[0])
        return LEFT + across * (WIDTH - LEFT - RIGHT), HEIGHT - BOTTOM - up * (
            HEIGHT - TOP - BOTTOM
        )

    body = [_text(LEFT, 22, title, size=15)]
    for power in range(ys[0], ys[1] + 1):
        _, y = place(10.0 ** xs[0], 10.0**power)
        body.append(_line(LEFT, y, WIDTH - RIGHT, y))
        body.append(_text(LEFT - 8, y + 4, f"{10.0**power:g} {unit}", anchor="end"))
    for power in range(xs[0], xs[1] + 1):
        x, _ = place(10.0**power, 10.0 ** ys[0])
        body.append(_line(x, TOP, x, HEIGHT - BOTTOM))
        body.append(_text(x, HEIGHT - BOTTOM + 18, f"{10**power:,} claims", anchor="middle"))
    labels: list[Point] = []
    for colour, (name, line) in zip(COLOURS, lines.items(), strict=False):
        placed = [place(x, y) for x, y in sorted(line)]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in placed)
        body.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        body += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in placed]
        x, y = placed[-1]
        while any(x == other_x and abs(y - other_y) < LABEL for other_x, other_y in labels):
            y += 1
        labels.append((x, y))
        body.append(_text(x + 8, y + 4, name, colour=colour))
    joined = "\n".join(body)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'font-family="sans-serif" role="img" aria-label="{escape(title)}">\n'
        f'<rect width="100%" height="100%" fill="#ffffff"/>\n{joined}\n</svg>\n'
    )


def _decades(values: Sequence[float]) -> tuple[int, int]:
    """The powers of ten that hold all values."""
    return floor(log10(min(values))), ceil(log10(max(values)))


def _line(x: float, y: float, to_x: float, to_y: float) -> str:
    return f'<line x1="{x:.1f}" y1="{y:.1f}" x2="{to_x:.1f}" y2="{to_y:.1f}" stroke="#dddddd"/>'


def _text(
    x: float,
    y: float,
    words: str,
    *,
    size: int = 11,
    anchor: str = "start",
    colour: str = "#333333",
) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" '
        f'fill="{colour}">{escape(words)}</text>'
    )
