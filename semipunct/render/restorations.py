"""Restored sentences for files and for people, and the signature of their figures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from semipunct import __version__
from semipunct.corpus import Sentence
from semipunct.corpus.digest import treebank_digest
from semipunct.marks import ABBREVIATION, Puncteme
from semipunct.tasks.base import Slots
from semipunct.tasks.restore import Restoration, RestoreOptions, SlotPosterior


def as_dict(found: Restoration, text: str, strings: int) -> dict[str, Any]:
    """Words, restored strings and what is known about each slot, as values that JSON can hold.

    Args:
        found: the restored sentence.
        text: its plain text.
        strings: how many of the most probable strings of a slot to list.
    """
    slots = zip(found.slots, found.posteriors, strict=True)
    result: dict[str, Any] = {
        "sent_id": found.sentence.sentence_id,
        "text": text,
        "words": list(found.sentence.forms),
        "slots": [_slot(string, known, strings) for string, known in slots],
    }
    if found.nbest:
        result["nbest"] = [
            {"slots": [" ".join(string) for string in draw], "share": share}
            for draw, share in found.nbest
        ]
    return result


def written_slots(found: Restoration) -> Slots:
    """Give the restored strings, with the dots of abbreviations, parts of words, as they were."""
    result: list[Puncteme] = []
    for before, string in zip(found.sentence.slots, found.slots, strict=True):
        dot = tuple(t for t in before if t == ABBREVIATION)
        result.append((*dot, *(t for t in string if t != ABBREVIATION)))
    return tuple(result)


def _slot(string: Sequence[str], known: SlotPosterior, strings: int) -> dict[str, Any]:
    listed = dict(zip(known.strings[:strings], known.probability.tolist(), strict=False))
    listed.setdefault(tuple(string), known.of(tuple(string)))
    return {
        "string": " ".join(string),
        "probability": known.of(tuple(string)),
        "entropy": known.entropy,
        "alternatives": {" ".join(s): p for s, p in listed.items()},
    }


def signature(digest: str, sentences: Sequence[Sentence], options: RestoreOptions) -> str:
    """One line that two figures must share to be comparable, but for the system's part.

    Args:
        digest: of the model.
        sentences: what was restored, with the punctuation it was compared with.
        options: how.
    """
    parts = {
        "task": "restoration",
        "model": digest[:12],
        "treebank": treebank_digest(sentences)[:12],
        "samples": str(options.samples),
        "seed": str(options.seed),
        "minimise": options.minimise,
        "marks": "all" if options.marks is None else str(len(options.marks)),
        "confidence": f">={options.minimum_confidence:g}",
        "keep": options.keep + (f"*{options.mistaken:g}" if options.keep == "repair" else ""),
        "version": __version__,
    }
    return "|".join(f"{key}:{value}" for key, value in parts.items())
