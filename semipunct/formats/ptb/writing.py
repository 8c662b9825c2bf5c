"""Writing of bracketed trees for sentences that were not read from a file of such trees."""

from __future__ import annotations

from dataclasses import replace

from semipunct.corpus import Entry, Sentence
from semipunct.corpus.located import BLANKS
from semipunct.corpus.sentences import dotted_forms
from semipunct.formats.ptb.brackets import Bracketing, write_brackets
from semipunct.formats.ptb.punctuate import punctuate_entry
from semipunct.formats.verbatim import VerbatimRecord
from semipunct.marks import SILENT
from semipunct.marks.penn import escape
from semipunct.trees.phrases import PhraseTree

_NO_BREAK = "\u00a0"


def write_phrases(sentence: Sentence[PhraseTree]) -> str:
    """Write the phrases of a sentence in brackets, with the marks of its slots and a line end.

    Marks are attached as high as possible; brackets in words are written as ``-LRB-`` and
    ``-RRB-``, blanks in them as no-break spaces.

    Args:
        sentence: a sentence with phrases and marks.

    Raises:
        UsageError: if a label cannot be written, such as one that contains a blank.
    """
    tree = sentence.tree
    if tree.categories[0]:  # the Penn Treebank has an unlabelled bracket around each tree
        tree = PhraseTree((0, *(d + 1 for d in tree.depths)), ("", *tree.categories))
    forms = tuple(escape(BLANKS.sub(_NO_BREAK, form)) for form in dotted_forms(sentence))
    source = Bracketing(
        sentence.path, sentence.line, sentence.sentence_id, write_brackets(tree, forms), tree, forms
    )
    bare = replace(sentence, forms=forms, slots=((),) * len(sentence.slots))
    slots = [tuple(token for token in slot if token not in SILENT) for slot in sentence.slots]
    entry = Entry(bare, VerbatimRecord(source, ()), tuple(range(1, sentence.size + 1)))
    return punctuate_entry(entry, slots) + "\n"  # pyright: ignore[reportArgumentType]
