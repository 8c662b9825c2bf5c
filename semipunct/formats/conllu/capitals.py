"""Replacement of capitals in a record."""

from collections.abc import Sequence
from dataclasses import replace

from semipunct.corpus import Entry, Omitted
from semipunct.errors import UsageError
from semipunct.formats.conllu.ranges import multiword_tokens
from semipunct.formats.conllu.records import Record
from semipunct.formats.conllu.text_comments import stated_text, with_text

_FORM = 1


def recase(entry: Entry[Record], forms: Sequence[str]) -> Entry[Record]:
    """Return an entry with other capitals, in FORM and in the comment ``# text =``.

    A multiword token gets the capitals of its words if it is their concatenation; otherwise it
    starts with a capital if its first word does. Everything else is unchanged.

    Args:
        entry: an entry of CoNLL-U.
        forms: ``[n]`` its words, without the dots of abbreviations.

    Raises:
        UsageError: if there are no words, or ``forms`` differ from them in more than case.
    """
    content, record = entry.content, entry.record
    if isinstance(content, Omitted):
        raise UsageError(f"{record.where()}: it was omitted ({content.reason}); write it unchanged")
    if list(map(str.lower, forms)) != list(map(str.lower, content.forms)):
        raise UsageError(f"{record.where()}: the words given differ from it in more than case")
    if tuple(forms) == content.forms:
        return entry
    lines, tokens = list(record.lines), list(record.tokens)
    changed: dict[int, tuple[str, str]] = {}  # by the index of the line: the old and the new form
    for word_id, form in zip(entry.word_ids, forms, strict=True):
        token = tokens[word_id - 1]
        spelt = form + token.form[len(form) :]  # the dot of an abbreviation
        changed[token.position] = (token.form, spelt)
        tokens[word_id - 1] = token._replace(form=spelt)
    inside: set[int] = set()
    for span in multiword_tokens(record):
        at = slice(span.first - 1, span.last)
        inside |= {token.position for token in tokens[at]}
        before, after = ("".join(t.form for t in of[at]) for of in (record.tokens, tokens))
        spelt = span.form
        if before == span.form:
            spelt = after
        elif after[:1] != before[:1] and len(after[:1]) == len(spelt[:1].upper()):
            spelt = spelt[:1].upper() + spelt[1:]
        changed[span.position] = (span.form, spelt)
    for position, (_, form) in changed.items():
        columns = lines[position].split("\t")
        columns[_FORM] = form
        lines[position] = "\t".join(columns)
    if (text := stated_text(record)) is not None:
        written = [changed[position] for position in sorted(changed) if position not in inside]
        first = tokens[0].position
        lines[:first] = [with_text(line, _in_text(text, written)) for line in lines[:first]]
    return replace(
        entry,
        content=replace(content, forms=tuple(forms)),
        record=replace(record, lines=tuple(lines), tokens=tuple(tokens)),
    )


def _in_text(text: str, written: Sequence[tuple[str, str]]) -> str:
    """Replace the forms of tokens in a text, as far as they are found.

    Args:
        text: the text of the sentence.
        written: the old and the new form of each token, in order.
    """
    pieces: list[str] = []
    place = 0
    for form_before, form_after in written:
        start = text.find(form_before, place)
        if start >= 0:
            pieces += (text[place:start], form_after)
            place = start + len(form_before)
    return "".join(pieces) + text[place:]
