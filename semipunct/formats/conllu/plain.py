"""Sentences without a file of their own, written as plain CoNLL-U."""

from collections.abc import Sequence
from itertools import accumulate

from semipunct import marks
from semipunct.corpus.sentences import PUNCTUATION, Sentence
from semipunct.errors import UsageError
from semipunct.marks import SILENT, Puncteme
from semipunct.trees.tree import constituents


def word_ids(slots: Sequence[Puncteme]) -> list[int]:
    """The ID of every word, given that each token but those of `SILENT` is a word too."""
    counts = [sum(token not in SILENT for token in slot) for slot in slots[:-1]]
    return [word + before for word, before in enumerate(accumulate(counts), start=1)]


def to_conllu(sentence: Sentence) -> str:
    """Write a sentence as CoNLL-U, the blank line after it included.

    A token becomes a word tagged PUNCT with the relation `punct`, hanging from the lowest node
    that dominates its neighbours, so that no arcs cross; an abbreviation's dot returns to its
    word. Reading gives the same words, heads and slots, except that straight quotation marks
    may become directional. Raises `UsageError` for a slot with an abbreviation's dot not right
    after a word.
    """
    lines = [f"# sent_id = {sentence.sentence_id}\n"]
    _, right_slots = constituents(sentence.heads)
    ids = word_ids(sentence.slots)
    root = sentence.heads.index(0) + 1
    for slot, tokens in enumerate(sentence.slots):
        if marks.ABBREVIATION in tokens[1 if slot else 0 :]:
            raise UsageError(
                f"sentence {sentence.sentence_id}: slot {slot} has an abbreviation's dot that "
                "follows no word; it cannot be written"
            )
        head = slot or root
        while sentence.heads[head - 1] and right_slots[head - 1] == slot:
            head = sentence.heads[head - 1]
        position = ids[slot - 1] if slot else 0
        for token in tokens:
            if token not in SILENT:
                position += 1
                lines.append(_line(position, token, token, PUNCTUATION, ids[head - 1], "punct"))
        if slot < len(sentence.forms):
            dotted = sentence.slots[slot + 1][:1] == (marks.ABBREVIATION,)
            above = sentence.heads[slot]
            lines.append(
                _line(
                    ids[slot],
                    sentence.forms[slot] + "." * dotted,
                    sentence.lemmas[slot],
                    sentence.upos[slot],
                    ids[above - 1] if above else 0,
                    sentence.relations[slot],
                )
            )
    return "".join((*lines, "\n"))


def _line(position: int, form: str, lemma: str, upos: str, head: int, relation: str) -> str:
    return f"{position}\t{form}\t{lemma}\t{upos}\t_\t_\t{head}\t{relation}\t_\t_\n"
