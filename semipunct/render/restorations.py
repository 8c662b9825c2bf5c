"""Restored sentences for files and for people, and the signature of their figures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from semipunct import __version__
from semipunct.corpus.digest import treebank_digest
from semipunct.corpus.sentences import Omitted, Puncteme, Sentence
from semipunct.errors import UsageError
from semipunct.formats.conllu.punctuate import punctuated, surface_text
from semipunct.formats.conllu.records import format_record
from semipunct.marks import ABBREVIATION
from semipunct.tasks.base import Slots
from semipunct.tasks.restore import Restoration, RestoreOptions, SlotPosterior
from semipunct.trees.attachment import Convention


def as_conllu(
    sentence: Sentence | Omitted, found: Restoration | None, convention: Convention = "unit"
) -> str:
    """The sentence with the restored tokens; as it was read if it was left out.

    Args:
        sentence: as it was read.
        found: what was restored, or None.
        convention: how new tokens are attached; ``punctuate.convention_of`` tells the treebank's.

    Raises:
        UsageError: if a sentence that was left out was read without keeping its record.
    """
    if found:
        return format_record(punctuated(found.sentence, _beside_words(found), convention))
    if sentence.record is None:
        raise UsageError(f"sentence {sentence.sentence_id}: its lines were not kept when read")
    return format_record(sentence.record)


def as_text(sentence: Sentence | Omitted, found: Restoration | None) -> str:
    """The restored sentence as it is printed; empty if it was left out."""
    return surface_text(found.sentence, _beside_words(found)) if found else ""


def as_dict(found: Restoration, strings: int) -> dict[str, Any]:
    """Words, restored strings and what is known about each slot, as values that JSON can hold.

    Args:
        found: the restored sentence.
        strings: how many of the most probable strings of a slot to list.
    """
    slots = zip(found.slots, found.posteriors, strict=True)
    result: dict[str, Any] = {
        "sent_id": found.sentence.sentence_id,
        "text": surface_text(found.sentence, _beside_words(found)),
        "words": list(found.sentence.forms),
        "slots": [_slot(string, known, strings) for string, known in slots],
    }
    if found.nbest:
        result["nbest"] = [
            {"slots": [" ".join(string) for string in draw], "share": share}
            for draw, share in found.nbest
        ]
    return result


def _beside_words(found: Restoration) -> Slots:
    """The restored strings, but for the dots of abbreviations: those are part of the words."""
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
