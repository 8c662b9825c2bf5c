"""Parsed texts as values for JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from semipunct.corpus import Omitted
from semipunct.marks import spacing
from semipunct.tasks.parse import Parse


def parses_as_dict(parses: Sequence[Parse | Omitted]) -> dict[str, Any]:
    """Return a parsed text.

    Args:
        parses: of its sentences.
    """
    return {
        "schema": "semipunct.parsed-text/1",
        "sentences": [_sentence(parse) for parse in parses if isinstance(parse, Parse)],
    }


def _sentence(parse: Parse) -> dict[str, Any]:
    """Return a sentence: its words in order, and the marks before and after them."""
    sentence = parse.predicted
    before, *after = spacing.visible(sentence.slots)
    relations = parse.relations or (None,) * len(sentence.forms)
    rows = zip(
        sentence.forms, sentence.upos, sentence.xpos, sentence.feats, sentence.tree.heads,
        sentence.tree.relations, relations, after, strict=True,
    )  # fmt: skip
    names = ("form", "upos", "xpos", "feats", "head", "deprel", "deprel_probability", "marks_after")
    return {
        "sent_id": sentence.sentence_id,
        "marks_before": list(before),
        "words": [
            {"id": number, **dict(zip(names, (*row[:-1], list(row[-1])), strict=True))}
            for number, row in enumerate(rows, start=1)
        ],
        "log_probability": parse.log_probability,
    }
