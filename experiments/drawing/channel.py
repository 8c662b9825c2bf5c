"""Pictures of the noisy channel: its edits, and a window that slides over a slot."""

from __future__ import annotations

from collections.abc import Sequence

from drawing.canvas import Canvas
from semipunct.marks.edits import EDITS, apply_edit

EXAMPLES = {
    "keep": (")", ",", "both stay"),
    "absorb_left": (",", ".", "the right one absorbs the left one"),
    "absorb_right": ("?", ".", "the left one absorbs the right one"),
    "transpose": ("”", ".", "they change places"),
}
"""For each edit a window of two underlying tokens, and the effect."""


def edits() -> Canvas:
    """Draw the four edits of the channel, each with an example (section 2.2 of the paper)."""
    canvas = Canvas(
        660,
        56 + 52 * len(EDITS),
        "The four edits of the channel",
        " ".join(
            f"{name}: {a} {b} becomes {' '.join(apply_edit(name, a, b))}; {effect}."
            for name in EDITS
            for a, b, effect in [EXAMPLES[name]]
        ),
    )
    for x, heading in ((130, "edit"), (215, "underlying"), (335, "surface")):
        canvas.text((x, 34), heading, "soft", size=11, anchor="end" if x == 130 else "middle")
    for i, name in enumerate(EDITS):
        a, b, effect = EXAMPLES[name]
        y = 70 + 52 * i
        canvas.text((130, y), name, anchor="end", is_code=True)
        _tokens(canvas, (215, y), (a, b), dict(zip((a, b), ("blue", "red"), strict=True)))
        canvas.arrow((260, y - 6), (292, y - 6))
        left_over = apply_edit(name, a, b)
        _tokens(canvas, (335, y), left_over, dict(zip((a, b), ("blue", "red"), strict=True)))
        canvas.text((395, y), effect, "soft", anchor="start")
    return canvas


def absorption(steps: Sequence[tuple[Sequence[str], int, str]]) -> Canvas:
    """Draw how the channel rewrites a slot, by steps of tokens, window and caption."""
    canvas = Canvas(
        760,
        40 + 62 * len(steps),
        "Two commas and a full stop meet in one slot",
        " ".join(f"{' '.join(tokens)}: {event}." for tokens, _, event in steps),
    )
    for i, (tokens, window, event) in enumerate(steps):
        y = 48 + 62 * i
        right = 220
        for j, token in enumerate(tokens):
            x = right - 44 * (len(tokens) - 1 - j)
            canvas.text((x, y), token, size=24, is_code=True, is_bold=True)
            if j == window:
                canvas.box((x - 20, y - 26), (84, 40), "blue")
        if i:
            canvas.arrow((right, y - 52), (right, y - 30))
        canvas.text((290, y - 4), event, "soft", anchor="start")
    return canvas


def _tokens(
    canvas: Canvas, center: tuple[float, float], tokens: Sequence[str], paints: dict[str, str]
) -> None:
    x, y = center
    for i, token in enumerate(tokens):
        place = x + 26 * (i - (len(tokens) - 1) / 2), y
        canvas.text(place, token, paints[token], size=24, is_code=True, is_bold=True)
