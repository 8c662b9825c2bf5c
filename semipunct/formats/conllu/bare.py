"""Records without punctuation, and the words of records."""

from semipunct.corpus import Entry, Omitted, Sentence
from semipunct.formats.conllu.gaps import NO_SPACE
from semipunct.formats.conllu.misc import EMPTY
from semipunct.formats.conllu.ranges import multiword_tokens
from semipunct.formats.conllu.records import Record, Token
from semipunct.marks import Puncteme, spacing


def bare_entry(sentence: Sentence) -> Entry[Record]:
    """Make a record, without punctuation, of a sentence that was not read from CoNLL-U."""
    nothing: list[Puncteme] = [()] * len(sentence.slots)
    lines = [
        f"# sent_id = {sentence.sentence_id}",
        f"# text = {spacing.text(sentence.forms, nothing)}",
    ]
    rows = spacing.slot_spaces(sentence.forms, nothing)
    tokens: list[Token] = []
    for w, ((space,), form) in enumerate(zip(rows[1:], sentence.forms, strict=True)):
        word, upos, xpos, feats = w + 1, sentence.upos[w], sentence.xpos[w], sentence.feats[w]
        lemma, head = sentence.lemmas[w], sentence.tree.heads[w]
        relation = sentence.tree.relations[w]
        misc = EMPTY if space or word == len(sentence.forms) else NO_SPACE
        cells = (word, form, lemma, upos, xpos, feats, head, relation, EMPTY, misc)
        tokens.append(Token(word, form, lemma, upos, xpos, feats, head, relation, len(lines)))
        lines.append("\t".join(map(str, cells)))
    lines.append("")
    ends = ("\n",) * len(lines)
    record = Record(
        sentence.path, sentence.line, tuple(lines), ends, sentence.sentence_id, tuple(tokens)
    )
    return Entry(sentence, record, tuple(range(1, len(tokens) + 1)))


def surface_forms(entry: Entry[Record]) -> list[str]:
    """Return the words of a sentence with the characters that ``surface_text`` writes for them.

    The characters of a multiword token that is not the concatenation of its words belong to its
    first word.

    Args:
        entry: an entry of CoNLL-U.

    Returns:
        ``[n]`` a string for each word, empty for a word without its own characters.
    """
    if isinstance(entry.content, Omitted):
        return []
    forms = list(entry.content.forms)
    places = {word_id: word for word, word_id in enumerate(entry.word_ids)}
    for span in multiword_tokens(entry.record):
        tokens = entry.record.tokens[max(span.first, 1) - 1 : span.last]
        places_in_span = [places[token.word_id] for token in tokens if token.word_id in places]
        if places_in_span and span.form != "".join(token.form for token in tokens):
            forms[places_in_span[0]] = span.form
            for word in places_in_span[1:]:
                forms[word] = ""
    return forms
