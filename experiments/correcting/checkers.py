"""Rule-based grammar checkers: suggestions are applied if they change only marks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from correcting.joined import joined, separate
from semipunct.corpus import Sentence, Words
from semipunct.evaluation.restoration import Slots
from semipunct.formats.running_text import line_of_text
from semipunct.marks import spacing


class Suggestion(NamedTuple):
    """A suggestion to replace a part of a text, from ``start`` to ``end``."""

    start: int
    end: int
    text: str


Checker = Callable[[str], Iterator[Suggestion]]
"""A function from a text to the first suggestion for each of its faults."""


def languagetool() -> Checker:
    """Return LanguageTool's rules for English (``lingotweaker``, ``lingotweaker-data-en``)."""
    import lt_py  # pyright: ignore[reportMissingImports]

    engine: Any = lt_py.Engine("en-US")

    def check(text: str) -> Iterator[Suggestion]:
        for match in engine.check(text):
            start = match["offset"]
            for replacement in match["suggestions"][:1]:
                yield Suggestion(start, start + match["length"], replacement)

    return check


def harper() -> Checker:
    """Return Harper's rules (``harper-py``)."""
    from harper import Linter  # pyright: ignore[reportMissingImports]

    linter: Any = Linter()

    def check(text: str) -> Iterator[Suggestion]:
        for lint in linter.lint(text):
            start, end = lint.span.start, lint.span.end
            for suggestion in lint.suggestions[:1]:
                whole = linter.apply_suggestion(text, lint, suggestion)
                remaining = len(text) - end
                # An insertion after a part replaces the part.
                yield Suggestion(start, end, whole[start : len(whole) - remaining])

    return check


def checked(checker: Checker, sentences: Sequence[Sentence | Words]) -> Sequence[Slots]:
    """Correct sentences with a checker."""
    return [_checked(checker, sentence) for sentence in sentences]


def _checked(checker: Checker, sentence: Sentence | Words) -> Slots:
    words, places = joined(sentence)
    slots = words.slots
    text = spacing.text(words.forms, slots)
    if _slots(text, words.forms) != slots:  # words or marks that text cannot show
        return sentence.slots
    for start, end, replacement in sorted(checker(text), reverse=True):
        changed = text[:start] + replacement + text[end:]
        marks = _slots(changed, words.forms)
        if marks is not None and _spelt(marks) != _spelt(slots):
            text, slots = changed, marks
    return separate(sentence, slots, places)


def _spelt(slots: Slots) -> list[str]:
    """Spell all ellipses alike, so that their form is no error."""
    return ["".join(slot).replace("…", "...") for slot in slots]


def _slots(text: str, forms: Sequence[str]) -> Slots | None:
    """Return the marks of a text, or None if its words differ in more than capitals."""
    content = line_of_text("#1", "text", 1, text).content
    if not isinstance(content, Words):
        return None
    has_same_words = [form.lower() for form in content.forms] == [form.lower() for form in forms]
    return content.slots if has_same_words else None
