"""Replacement of the tags and the tree of a record."""

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

from semipunct.corpus import Entry, Omitted, Sentence, Words
from semipunct.corpus.located import Located
from semipunct.corpus.treebank import PUNCTUATION
from semipunct.formats.conllu.bare import bare_entry
from semipunct.formats.conllu.from_text import entry_of_text
from semipunct.formats.conllu.heads import mark_heads
from semipunct.formats.conllu.misc import EMPTY
from semipunct.formats.conllu.punctuate import punctuate_record
from semipunct.formats.conllu.records import Record, Token
from semipunct.marks import SILENT
from semipunct.trees.conventions import Convention
from semipunct.wording import quantity

_RELATION = "punct"
_UPOS, _XPOS, _FEATS, _HEAD, _RELATION_COLUMN, _DEPS = range(3, 9)


def analysed_entry(
    entry: Entry[object, Sentence | Words | Omitted], sentence: Sentence
) -> Entry[Record, Sentence]:
    """Make an entry with tags and a tree that differ from those of its file.

    Args:
        entry: the sentence as read from any format. All other columns of CoNLL-U are kept, as are
            the spaces and multiword tokens of plain text.
        sentence: its words and slots, with tags and a tree.
    """
    if isinstance(entry.record, Record):
        return replace_analysis(cast(Entry[Record, Sentence | Words | Omitted], entry), sentence)
    if isinstance(entry.record, Located):
        return replace_analysis(entry_of_text(cast(Entry[Located, Words], entry)), sentence)
    # Its marks are separate tokens, like those that restoration inserts.
    bare = bare_entry(sentence)
    record = punctuate_record(bare, sentence.slots)
    marks = [token.word_id for token in record.tokens if token.upos == PUNCTUATION]
    words = tuple(t.word_id for t in record.tokens if t.word_id not in marks)
    return Entry(sentence, record, words, entry.notes)


def replace_analysis(
    entry: Entry[Record, Sentence | Words | Omitted],
    sentence: Sentence,
    convention: Convention = "unit",
) -> Entry[Record, Sentence]:
    """Replace the tags and the tree of an entry.

    Words get the columns UPOS, XPOS, FEATS, HEAD and DEPREL of the sentence; punctuation gets heads
    by ``mark_heads``, and the tag PUNCT. DEPS is emptied: it contained the graph of another
    tree. Everything else is unchanged.

    Args:
        entry: an entry with the same words.
        sentence: the words with new tags and a new tree.
        convention: the convention by which punctuation is attached.

    Raises:
        ValueError: if the entry has a different number of words.
    """
    record, ids = entry.record, entry.word_ids
    if len(ids) != len(sentence.forms):
        raise ValueError(
            f"{record.where()}: {quantity(len(ids), 'word')}, and {len(sentence.forms)} analysed"
        )
    number = {word_id: word for word, word_id in enumerate(ids, 1)}
    marks = iter(_heads(sentence, convention))
    lines, tokens = list(record.lines), list(record.tokens)
    for place, token in enumerate(record.tokens):
        columns = lines[token.position].split("\t")
        if (word := number.get(token.word_id)) is not None:
            i, head = word - 1, sentence.tree.heads[word - 1]
            values = (sentence.upos[i], sentence.xpos[i], sentence.feats[i])
            relation, above = sentence.tree.relations[i], ids[head - 1] if head else 0
        else:
            values = (PUNCTUATION, token.xpos, token.feats)
            relation, above = _RELATION, ids[next(marks) - 1]
        columns[_UPOS : _DEPS + 1] = [*values, str(above), relation, EMPTY]
        lines[token.position] = "\t".join(columns)
        tokens[place] = _changed(token, values, above, relation)
    return Entry(
        sentence, replace(record, lines=tuple(lines), tokens=tuple(tokens)), ids, entry.notes
    )


def _heads(sentence: Sentence, convention: Convention) -> Sequence[int]:
    """Return the head of each token of punctuation, in their order."""
    visible = [tuple(t for t in slot if t not in SILENT) for slot in sentence.slots]
    return [head for row in mark_heads(sentence.tree, visible, convention) for head in row]


def _changed(token: Token, values: tuple[str, str, str], head: int, relation: str) -> Token:
    upos, xpos, feats = values
    return token._replace(upos=upos, xpos=xpos, feats=feats, head=head, relation=relation)
