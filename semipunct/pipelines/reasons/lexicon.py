"""Closed classes of English words that license marks beside them.

The lists favour precision over recall (docs/decisions/restoration.md).
"""

from __future__ import annotations

import re
from collections.abc import Collection


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Subject pronouns that begin a clause, and expletive *there*.
PRONOUNS = _words("i he she we they it you there")

DETERMINERS = _words(
    "the a an my your his her its our their this that these those some any no every each all "
    "both many most several one two three"
)

AUXILIARIES = _words(
    "am is are was were has have had do does did will would can could shall should may might "
    "must ain isn aren wasn weren hasn haven hadn don doesn didn won wouldn can couldn "
    "shouldn cannot ca wo"
)

# Frequent verbs in forms that are finite after a subject.
VERBS = _words(
    "said says told asked went came got made took saw knew thought found gave left felt "
    "became kept began wanted looked seemed needed liked loved tried used worked called "
    "turned started stayed lived ran sat stood brought held wrote read heard met paid lost "
    "bought sent built fell spoke goes makes comes gets takes wants needs likes thinks knows "
    "seems says looks means works lives think know want need like love hope guess mean "
    "believe hate agree see go come get"
)

REPORTING = _words(
    "said says say asked asks ask told tells replied replies answered answers cried shouted "
    "whispered added explained wrote writes continued exclaimed muttered called thought "
    "wondered declared announced insisted admitted warned remarked observed"
)

COORDINATORS = _words("and but or nor so yet")

SUBORDINATORS = _words(
    "when whenever if because although though while whereas since unless until once after "
    "before as wherever whether"
)

# Subordinators that are never prepositions.
CLAUSAL = _words("if unless although though when whenever while because whereas")

PREPOSITIONS = _words(
    "in on at for with without by from during despite after before under over through like "
    "besides since until throughout within according given due instead apart among between "
    "upon across beyond as regarding unlike"
)

RELATIVES = _words("who whom whose which")

QUESTION_WORDS = _words("what where who whom whose when why how which")

# Adverbs that introduce a sentence, or comment on the whole of it.
INTRODUCTORY = _words(
    "however therefore moreover furthermore nevertheless nonetheless otherwise meanwhile "
    "consequently additionally also besides still instead indeed thus hence finally first "
    "firstly second secondly third thirdly lastly next then afterwards eventually suddenly "
    "fortunately unfortunately luckily sadly happily honestly frankly actually basically "
    "obviously clearly apparently probably perhaps maybe certainly surely naturally generally "
    "usually normally sometimes often recently currently today yesterday tomorrow now later "
    "again overall anyway personally interestingly surprisingly hopefully similarly likewise "
    "conversely seriously ultimately initially originally specifically ideally technically "
    "importantly"
)

INTERJECTIONS = _words(
    "yes no yeah yep nope ok okay well oh ah hey hi hello please thanks sure right sorry wow "
    "ugh hmm um uh alas gosh congratulations welcome cheers bye goodbye dear alright"
)

GREETINGS = _words("hi hello hey dear greetings good")

PHRASES = frozenset(
    tuple(phrase.split())
    for phrase in (
        "in fact", "for example", "for instance", "of course", "in addition", "as a result",
        "on the other hand", "on the one hand", "at first", "in the end", "after all",
        "by the way", "in my opinion", "to be honest", "first of all", "in other words",
        "in general", "in particular", "at least", "at last", "in short", "in conclusion",
        "that said", "at the same time", "so far", "this time", "one day", "last week",
        "last year", "last night", "this year", "this week", "next week", "next year",
        "as usual", "above all", "in that case", "if so", "if not", "even so", "thank you",
        "no doubt", "to begin with", "as far as i know", "all in all", "more importantly",
        "of late", "these days", "in theory", "in practice", "in reality", "in contrast",
        "by contrast", "long ago", "years ago", "once again", "then again", "i think", "i guess",
        "you know", "i mean", "i suppose", "i believe", "good morning", "good evening",
        "i hope", "excuse me",
    )
)  # fmt: skip

FINAL_COMMENTS = _words(
    "too either though however please thanks right anyway okay ok instead respectively sir "
    "madam though then"
)

# Words that introduce examples or a closer description.
EXAMPLES = frozenset(
    (("such", "as"), ("including",), ("especially",), ("particularly",), ("namely",),
     ("for", "example"), ("for", "instance"), ("notably",), ("e.g",), ("i.e",), ("mainly",),
     ("in", "particular"))
)  # fmt: skip

MONTHS = _words(
    "january february march april may june july august september october november december "
    "jan feb mar apr jun jul aug sept sep oct nov dec"
)

TITLES = _words("mr mrs ms dr prof st jr sr rev gen capt sgt lt col sen rep gov hon")

WEEKDAYS = _words("monday tuesday wednesday thursday friday saturday sunday")

EXCLAMATIONS = _words(
    "wow hooray hurray ouch congratulations congrats bravo help stop look wait cheers thanks "
    "welcome great awesome amazing excellent fantastic wonderful yay ha ah oh hey"
)

NOT_PARTICIPLES = _words(
    "thing something nothing anything everything king ring spring string during morning "
    "evening bring sing wing sting swing ceiling building wedding meeting feeling according "
    "including being interesting"
)

# Words after which *but* means *except*.
NOT_BEFORE_BUT = _words("nothing all anything none no everything everyone nobody cannot")

_ENGLISH = _words(
    "the and of to is was it you that with for this are were have had my we they he she i not "
    "but what which who from your his her their there would do did been if when where how why "
    "an can be our has at by as"
)

_CONTRACTED = re.compile("('(m|s|re|ve|d|ll|t)|n't)$")


def bare(word: str) -> str:
    """Return a word in lower case, with a straight apostrophe and without a contracted verb."""
    return _CONTRACTED.sub("", lower(word))


def lower(word: str) -> str:
    """Return a word in lower case, with a straight apostrophe."""
    return word.lower().replace("’", "'")


def is_finite(word: str) -> bool:
    """Return whether a word is, or ends in, a finite verb of the lists."""
    low = lower(word)
    stem = bare(word)
    contracted = stem != low and (stem in PRONOUNS or stem in {"that", "what", "who"})
    return contracted or stem in AUXILIARIES or stem in VERBS or low in {"n't", "'re", "'m", "'ve"}


def is_participle(word: str) -> bool:
    """Return whether a word looks like a present participle."""
    low = lower(word)
    return len(low) > 4 and low.endswith("ing") and low not in NOT_PARTICIPLES


def are_english(words: Collection[str]) -> bool:
    """Return whether at least one word in eight is an English function word."""
    known = sum(bare(word) in _ENGLISH for word in words)
    return known * 8 >= len(words) and known > 0
