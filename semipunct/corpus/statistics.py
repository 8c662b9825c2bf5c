"""Statistics of treebanks: Table 2 of Li, Wang and Eisner (2019), and related counts.

The definitions, with the figures for English and Chinese 1.4 (training portions):

- Token types are counted after ``marks.UNK`` has replaced rare ones, without the initial mark and
  with UNK: 39 and 22 (35 and 23 in the paper's Table 2).
- Punctemes are the distinct slot strings after UNK, including the empty one and those that begin
  with the initial mark: 218 and 74.
- Pairs are the distinct (left slot, right slot) of all constituents after UNK: 1,029 and 379.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import asdict, dataclass, fields
from typing import Any

from semipunct.corpus.sentences import Sentence
from semipunct.corpus.treebank import EMPTY, REASONS, AnyEntry, Omitted
from semipunct.marks import ABBREVIATION, INITIAL, OPEN, START, UNK, Pair, Puncteme, spacing
from semipunct.marks.spacing import JoiningMarks
from semipunct.wording import quantity

MINIMUM_COUNT = 5
"""A rarer token becomes ``marks.UNK`` (Li, Wang and Eisner 2019, section 4)."""


def token_counts(slots: Iterable[Puncteme]) -> Counter[str]:
    """Count the tokens in slots."""
    return Counter(token for slot in slots for token in slot)


def frequent_tokens(counts: Mapping[str, int], minimum: int = MINIMUM_COUNT) -> tuple[str, ...]:
    """Return the tokens that are not replaced by ``marks.UNK``, most frequent first."""
    frequent = [(-n, t) for t, n in counts.items() if n >= minimum and t not in (START, UNK, OPEN)]
    return tuple(token for _, token in sorted(frequent))


def with_unknown(puncteme: Puncteme, vocabulary: Set[str]) -> Puncteme:
    """Replace every token outside of the vocabulary by ``marks.UNK``."""
    if all(token in vocabulary for token in puncteme):
        return puncteme
    return tuple(token if token in vocabulary else UNK for token in puncteme)


def joining_marks(sentences: Sequence[Sentence]) -> JoiningMarks:
    """Find the marks between words that never have blanks on either side."""
    joined, apart = Counter[tuple[str, bool]](), Counter[tuple[str, bool]]()
    for s in sentences:
        compounds = spacing.compound_slots(s.tree.heads, s.tree.relations)
        for slot, tokens in enumerate(s.slots[1:-1], start=1):
            if len(tokens) == 1 and spacing.are_spaced(s.forms[slot - 1], s.forms[slot]):
                counts = joined if slot in s.joined else apart
                counts[tokens[0], slot in compounds] += 1
    return JoiningMarks.of(joined, apart)


@dataclass(frozen=True, slots=True, repr=False)
class TreebankStatistics:
    """Counts over treebank files; from ``words`` on, over the sentences used.

    ``types``, ``punctemes`` and ``pairs`` are defined in the docstring of the module.

    Attributes:
        omitted: the number of omitted sentences, by reason.
        first_faults: the first fault, with file and line, by reason.
        tokens: words and punctuation of all sentences read.
        slot_lengths: the number of slots by length, including abbreviation dots.
        token_counts: the count of each token before UNK, most frequent first.
        projectivised: sentences that were not projective.
        arcs_lifted: arcs lifted to make them projective.
        quotes_replaced: straight quotation marks converted to directional ones.
    """

    sentences_read: int
    sentences_used: int
    omitted: dict[str, int]
    first_faults: dict[str, str]
    tokens: int
    punctuation: int
    words: int
    slots: int
    slot_lengths: dict[int, int]
    minimum_count: int
    types: int
    token_counts: dict[str, int]
    rare_types: int
    rare_tokens: int
    punctemes: int
    pairs: int
    projectivised: int
    arcs_lifted: int
    quotes_replaced: int
    quotes_straight: int
    abbreviation_dots: int

    @property
    def percent_punctuation(self) -> float:
        """%Punct of Table 2."""
        return 100 * self.punctuation / self.tokens if self.tokens else 0.0

    @property
    def percent_projectivised(self) -> float:
        return 100 * self.projectivised / self.sentences_used if self.sentences_used else 0.0

    def __repr__(self) -> str:
        omitted = sum(self.omitted.values())
        return (
            f"<TreebankStatistics: {quantity(self.sentences_used, 'sentence')} and {omitted:,} "
            f"omitted, {quantity(self.tokens, 'token')}, {self.percent_punctuation:.1f}% "
            f"punctuation, {quantity(self.types, 'type')}, {quantity(self.punctemes, 'puncteme')}, "
            f"{quantity(self.pairs, 'pair')}>"
        )

    def as_dict(self) -> dict[str, Any]:
        """Return all figures as JSON values."""
        lengths = {str(key): value for key, value in self.slot_lengths.items()}
        percent = ("percent_punctuation", "percent_projectivised")
        return asdict(self) | {"slot_lengths": lengths} | {p: getattr(self, p) for p in percent}


def statistics(
    entries: Iterable[AnyEntry], minimum_count: int = MINIMUM_COUNT
) -> TreebankStatistics:
    """Compute statistics of entries, without keeping them in memory.

    Tokens rarer than ``minimum_count`` become UNK.
    """
    omitted = Counter(dict.fromkeys(map(str, REASONS), 0))
    first_faults: dict[str, str] = {}
    totals: Counter[str] = Counter()
    slot_counts: Counter[Puncteme] = Counter()
    raw_pairs: set[Pair] = set()
    for entry in entries:
        if isinstance(entry.content, Omitted) and entry.content.reason == EMPTY:
            continue  # not a sentence
        totals["sentences_read"] += 1
        totals["tokens"] += entry.notes.tokens
        totals["punctuation"] += entry.notes.punctuation
        if not isinstance(entry.content, Sentence):
            omitted[entry.content.reason] += 1
            if entry.content.fault:
                first_faults.setdefault(entry.content.reason, entry.content.fault)
            continue
        totals["sentences_used"] += 1
        totals["words"] += len(entry.content.forms)
        totals["projectivised"] += entry.notes.lifts > 0
        totals["arcs_lifted"] += entry.notes.lifts
        totals["quotes_replaced"] += entry.notes.quotes_replaced
        totals["quotes_straight"] += entry.notes.quotes_straight
        # Strings at the beginning of a sentence are separate punctemes, as in the paper.
        slots = ((INITIAL, *entry.content.slots[0]), *entry.content.slots[1:])
        slot_counts.update(slots)
        left, right = entry.content.tree.edges
        raw_pairs.update((slots[a], slots[b]) for a, b in zip(left, right, strict=True))
    counts: Counter[str] = Counter()
    lengths: Counter[int] = Counter()
    for slot, times in slot_counts.items():
        tokens = [token for token in slot if token != INITIAL]
        lengths[len(tokens)] += times
        for token in tokens:
            counts[token] += times
    frequent = {INITIAL, UNK, *frequent_tokens(counts, minimum_count)}
    punctemes = {with_unknown(slot, frequent) for slot in slot_counts}
    pairs = {
        (with_unknown(left, frequent), with_unknown(right, frequent)) for left, right in raw_pairs
    }
    rare = [count for count in counts.values() if count < minimum_count]
    totals["slots"], totals["abbreviation_dots"] = slot_counts.total(), counts[ABBREVIATION]
    totals["rare_types"], totals["rare_tokens"] = len(rare), sum(rare)
    totals["punctemes"], totals["pairs"] = len(punctemes), len(pairs)
    totals["types"] = len({token for string in punctemes for token in string} - {INITIAL})
    rows: dict[str, Any] = {
        "omitted": dict(omitted),
        "first_faults": first_faults,
        "slot_lengths": dict(sorted(lengths.items())),
        "minimum_count": minimum_count,
        "token_counts": dict(sorted(counts.items(), key=lambda item: (-item[1], item[0]))),
    }
    names = [field.name for field in fields(TreebankStatistics)]
    return TreebankStatistics(**{name: rows.get(name, totals[name]) for name in names})
