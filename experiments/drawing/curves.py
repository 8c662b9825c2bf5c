"""Pictures of stored results: lines over two axes, and bars."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil, floor, log10

from drawing.canvas import Canvas

_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 150, 46, 54
_LINE = 14
_PAINTS = ("blue", "red", "green", "amber")


def lines(
    title: str,
    series: Mapping[str, Sequence[tuple[float, float]]],
    horizontal: str,
    vertical: str,
    *,
    percent: bool = False,
    logarithmic: bool = False,
) -> Canvas:
    """Draw a line for each series.

    Args:
        title: what the picture shows.
        series: points by name.
        horizontal: what the first coordinate is.
        vertical: what the second one is.
        percent: whether the first coordinate is shown in per cent.
        logarithmic: whether the first coordinate has a logarithmic axis, with ticks at the points.
    """
    width, height = 620, 360
    points = [point for line in series.values() for point in line]
    across_of = log10 if logarithmic else float
    x_ticks = sorted({x for x, _ in points}) if logarithmic else ticks([x for x, _ in points])
    y_ticks = ticks([y for _, y in points])
    first, last = across_of(x_ticks[0]), across_of(x_ticks[-1])
    description = f"{vertical} by {horizontal}. " + " ".join(
        f"{name}: {', '.join(f'{y:.4g} at {x:.3g}' for x, y in line)}."
        for name, line in series.items()
    )
    canvas = Canvas(width, height, title, description)

    def place(point: tuple[float, float]) -> tuple[float, float]:
        x, y = point
        across = (across_of(x) - first) / (last - first)
        up = (y - y_ticks[0]) / (y_ticks[-1] - y_ticks[0])
        return (
            _LEFT + across * (width - _LEFT - _RIGHT),
            height - _BOTTOM - up * (height - _TOP - _BOTTOM),
        )

    canvas.text((_LEFT, 26), title, anchor="start", is_bold=True)
    for tick in y_ticks:
        x, y = place((x_ticks[0], tick))
        canvas.line([(x, y), (width - _RIGHT, y)], "faint")
        canvas.text((x - 8, y + 4), f"{tick:g}", "soft", size=11, anchor="end")
    for tick in x_ticks:
        x, y = place((tick, y_ticks[0]))
        shown = f"{100 * tick:.0f}" if percent else f"{tick:g}"
        canvas.text((x, y + 18), shown, "soft", size=11)
    middle = (_LEFT + width - _RIGHT) / 2
    canvas.text((middle, height - 14), horizontal, "soft", size=12)
    canvas.text((_LEFT, 42), vertical, "soft", size=11, anchor="start")
    ends: list[tuple[float, str, str]] = []
    for (name, line), paint in zip(series.items(), _PAINTS, strict=False):
        placed = [place(point) for point in line]
        canvas.line(placed, paint)
        for point in placed:
            canvas.dot(point, 3.5, paint)
        ends.append((placed[-1][1] + 4, name, paint))
    below = 0.0
    for y, name, paint in sorted(ends):
        below = max(y, below + _LINE)  # names of lines that end together stand below each other
        canvas.text((width - _RIGHT + 10, below), name, paint, size=12, anchor="start")
    return canvas


def bars(title: str, values: Mapping[str, float], unit: str, reference: str) -> Canvas:
    """Draw horizontal bars, with a line at a reference value of one.

    Args:
        title: what the picture shows.
        values: a number for each bar.
        unit: what the numbers are.
        reference: what a value of one means.
    """
    width, height = 620, 76 + 30 * len(values)
    left, most = 210, max(1.0, *values.values())
    canvas = Canvas(
        width,
        height,
        title,
        f"{unit}; 1 is {reference}. "
        + " ".join(f"{name}: {value:.2f}." for name, value in values.items()),
    )
    scale = (width - left - 70) / most
    canvas.text((20, 26), title, anchor="start", is_bold=True)
    canvas.text((20, height - 14), f"{unit}; 1: {reference}", "soft", size=11, anchor="start")
    for i, (name, value) in enumerate(values.items()):
        y = 44 + 30 * i
        canvas.text((left - 10, y + 14), name, size=13, anchor="end")
        canvas.bar((left, y), (scale * value, 18), "blue" if value <= 1 else "amber")
        canvas.text((left + scale * value + 8, y + 14), f"{value:.2f}", "soft", size=12,
                    anchor="start")  # fmt: skip
    canvas.line([(left + scale, 38), (left + scale, height - 34)], "ink", dashed=True)
    return canvas


def ticks(values: Sequence[float]) -> list[float]:
    """Return round numbers that span the values, about five of them.

    Args:
        values: at least two different numbers.
    """
    low, high = min(values), max(values)
    rough = (high - low) / 4
    power = 10 ** floor(log10(rough))
    step = min((m * power for m in (1, 2, 5, 10)), key=lambda s: abs(s - rough))
    first, last = floor(low / step + 1e-9), ceil(high / step - 1e-9)
    return [round(i * step, 10) for i in range(first, last + 1)]
