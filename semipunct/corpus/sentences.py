"""Sentences as the model sees them: words, a projective tree, and punctuation in the slots."""

import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, get_args

from semipunct import marks
from semipunct.formats.conllu import records as conllu
from semipunct.formats.conllu.quotes import directional_quotes
from semipunct.marks import Puncteme
from semipunct.trees.lifting import projectivise

Reason = Literal["punctuation has dependents", "nothing but punctuation"]
REASONS: tuple[Reason, ...] = get_args(Reason)

PUNCTUATION = "PUNCT"
MINIMUM_COUNT = 5
"""A token that occurs fewer times in the training portion becomes `marks.UNK` (section 4)."""

ALWAYS_KNOWN: frozenset[str] = frozenset({marks.INITIAL, marks.FINAL, marks.UNK})


@dataclass(frozen=True, slots=True)
class TreebankOptions:
    """How CoNLL-U becomes sentences; the defaults are those of section 4.

    `initial_mark` and `final_mark` put `marks.INITIAL` before slot 0's and `marks.FINAL` after
    slot n's tokens; `abbreviation_dots` splits them off; `keep_records` keeps each sentence's
    `Record`, which writing annotations needs and training does not.
    """

    initial_mark: bool = True
    final_mark: bool = False
    abbreviation_dots: bool = True
    keep_records: bool = True


DEFAULT_OPTIONS = TreebankOptions()


@dataclass(frozen=True, slots=True)
class Sentence:
    """A projective dependency tree over n >= 1 words, and the surface tokens around them.

    `forms`, `lemmas`, `upos`, `xpos`, `feats` (as they are written), `relations`, `heads` and
    `word_ids` have length n;
    `heads[i]` is the head of word i + 1, in 1..n or 0 for the root; `word_ids[i]` is the word's
    ID in the file.  `slots` has length n + 1: `slots[i]` is the puncteme right of word i.
    `lifted` is the number of lifts that made the tree projective.
    """

    sentence_id: str
    path: str
    line: int
    forms: tuple[str, ...]
    lemmas: tuple[str, ...]
    upos: tuple[str, ...]
    xpos: tuple[str, ...]
    feats: tuple[str, ...]
    relations: tuple[str, ...]
    heads: tuple[int, ...]
    slots: tuple[Puncteme, ...]
    word_ids: tuple[int, ...]
    record: conllu.Record | None = None
    lifted: int = 0
    quotes_replaced: int = 0
    quotes_straight: int = 0

    @property
    def final_mark(self) -> bool:
        """Whether it was read with `TreebankOptions.final_mark`."""
        return self.slots[-1][-1:] == (marks.FINAL,)


@dataclass(frozen=True, slots=True)
class Omitted:
    """A sentence that the model cannot take, and why."""

    reason: Reason
    sentence_id: str
    path: str
    line: int
    record: conllu.Record | None = None


@dataclass(frozen=True, slots=True)
class Treebank:
    """All sentences of some files, and those left out."""

    sentences: tuple[Sentence, ...]
    omitted: tuple[Omitted, ...]

    def omitted_by_reason(self) -> dict[Reason, int]:
        """Count the omitted sentences; every reason is a key."""
        counts = Counter(omitted.reason for omitted in self.omitted)
        return {reason: counts[reason] for reason in REASONS}

    @property
    def projectivised(self) -> int:
        """The number of sentences that had a non-projective arc."""
        return sum(sentence.lifted > 0 for sentence in self.sentences)

    @property
    def lifted(self) -> int:
        """The number of lifts in all sentences together."""
        return sum(sentence.lifted for sentence in self.sentences)


def read_sentences(
    paths: Iterable[str | Path], options: TreebankOptions = DEFAULT_OPTIONS
) -> Treebank:
    """Read CoNLL-U files whole.  Raises `TreebankError` as `conllu.read` does."""
    sentences: list[Sentence] = []
    omitted: list[Omitted] = []
    for path in paths:
        for item in iterate_sentences(path, options):
            if isinstance(item, Sentence):
                sentences.append(item)
            else:
                omitted.append(item)
    return Treebank(tuple(sentences), tuple(omitted))


def iterate_sentences(
    path: str | Path, options: TreebankOptions = DEFAULT_OPTIONS
) -> Iterator[Sentence | Omitted]:
    """Yield the sentences of one CoNLL-U file in order, one in memory at a time."""
    for record in conllu.read(path):
        yield to_sentence(record, options)


def to_sentence(
    record: conllu.Record, options: TreebankOptions = DEFAULT_OPTIONS
) -> Sentence | Omitted:
    """Take the punctuation out of a tree and put it into slots (section 4).

    Punctuation is what has the universal tag PUNCT.  Straight quotation marks become
    directional.  A word that ends in a dot and is longer than it loses the dot, which becomes
    `marks.ABBREVIATION`, the first token of the slot at its right; forms of nothing but
    punctuation characters and symbols keep theirs.  A token spelt like a special one becomes
    `marks.UNK`.  The tree is made projective after the punctuation has gone.

    `record` must hold a tree.  A sentence whose punctuation has dependents, or that is nothing
    but punctuation, comes back as `Omitted`.
    """
    tokens = record.tokens
    kept_record = record if options.keep_records else None
    is_punctuation = [token.upos == PUNCTUATION for token in tokens]
    reason = _reason_to_omit(tokens, is_punctuation)
    if reason:
        return Omitted(reason, record.sentence_id, record.path, record.line, kept_record)
    surface, replaced, straight = directional_quotes(tokens, is_punctuation)
    slots: list[list[str]] = [[marks.INITIAL] if options.initial_mark else []]
    words: list[conllu.Token] = []
    forms: list[str] = []
    number = [0] * (len(tokens) + 1)  # from the word's ID to its place among the words
    for token, text, punctuation in zip(tokens, surface, is_punctuation, strict=True):
        if punctuation:
            slots[-1].append(marks.UNK if text in marks.SPECIAL_TOKENS else text)
            continue
        words.append(token)
        number[token.word_id] = len(words)
        dotted = options.abbreviation_dots and _is_abbreviation(text)
        forms.append(text[:-1] if dotted else text)
        slots.append([marks.ABBREVIATION] if dotted else [])
    if options.final_mark:
        slots[-1].append(marks.FINAL)
    heads, relations, lifted = projectivise(
        [number[word.head] for word in words], [word.relation for word in words]
    )
    return Sentence(
        sentence_id=record.sentence_id,
        path=record.path,
        line=record.line,
        forms=tuple(forms),
        lemmas=tuple(word.lemma for word in words),
        upos=tuple(word.upos for word in words),
        xpos=tuple(word.xpos for word in words),
        feats=tuple(word.feats for word in words),
        relations=relations,
        heads=heads,
        slots=tuple(tuple(slot) for slot in slots),
        word_ids=tuple(word.word_id for word in words),
        record=kept_record,
        lifted=lifted,
        quotes_replaced=replaced,
        quotes_straight=straight,
    )


def _reason_to_omit(
    tokens: Sequence[conllu.Token], is_punctuation: Sequence[bool]
) -> Reason | None:
    if any(token.head and is_punctuation[token.head - 1] for token in tokens):
        return "punctuation has dependents"
    return "nothing but punctuation" if all(is_punctuation) else None


def _is_abbreviation(form: str) -> bool:
    if len(form) < 2 or not form.endswith("."):
        return False
    return any(unicodedata.category(char)[0] not in "PS" for char in form)


def frequent_tokens(counts: Mapping[str, int], minimum: int = MINIMUM_COUNT) -> frozenset[str]:
    """Choose the tokens that stay themselves: those that occur at least `minimum` times.

    `counts` are token counts over the slots of the training sentences.  The abbreviation dot is
    a token like any other here; the initial and the final mark always stay.
    """
    kept = {token for token, count in counts.items() if count >= minimum}
    return frozenset(kept | ALWAYS_KNOWN)


def token_counts(sentences: Iterable[Sentence]) -> Counter[str]:
    """Count the tokens in all slots, the initial and final marks included."""
    return Counter(token for sentence in sentences for slot in sentence.slots for token in slot)


def with_unknown(sentence: Sentence, known: Set[str]) -> Sentence:
    """Replace every token that is not in `known` by `marks.UNK` (section 4).

    The initial mark, the final mark and `marks.UNK` itself stay, whatever is in `known`.
    """
    slots = tuple(puncteme_with_unknown(slot, known) for slot in sentence.slots)
    return sentence if slots == sentence.slots else replace(sentence, slots=slots)


def puncteme_with_unknown(puncteme: Puncteme, known: Set[str]) -> Puncteme:
    """Do to one slot what `with_unknown` does to all."""
    if all(token in known for token in puncteme):
        return puncteme
    return tuple(
        token if token in known or token in ALWAYS_KNOWN else marks.UNK for token in puncteme
    )
