"""The marks of a treebank that only join words."""

from collections import Counter
from collections.abc import Sequence

from semipunct.corpus.sentences import Sentence
from semipunct.marks import spacing
from semipunct.marks.joining import JoiningMarks


def joining_marks(sentences: Sequence[Sentence]) -> JoiningMarks:
    """Find the marks that stand between words only without blanks on either side.

    Slots with a single mark between two words are counted, in scripts with blanks between words. A
    treebank in which no mark stands so records no spaces, or has none to record.

    Args:
        sentences: trees and surface punctuation of a treebank.
    """
    joined, apart = Counter[tuple[str, bool]](), Counter[tuple[str, bool]]()
    for s in sentences:
        compounds = spacing.compound_slots(s.tree.heads, s.tree.relations)
        for slot, tokens in enumerate(s.slots[1:-1], start=1):
            if len(tokens) == 1 and spacing.are_spaced(s.forms[slot - 1], s.forms[slot]):
                counts = joined if slot in s.joined else apart
                counts[tokens[0], slot in compounds] += 1
    return JoiningMarks.of(joined, apart)
