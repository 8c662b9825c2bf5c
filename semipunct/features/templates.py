"""The feature templates of ATTACH as data (Li, Wang and Eisner 2019, appendix A)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from semipunct.errors import ConfigError
from semipunct.features.attributes import ATTRIBUTES, Attribute
from semipunct.features.history import SEEN
from semipunct.features.optional import ANALYSED, EXPECTATIONS, WRITTEN
from semipunct.plugins import find_plugin

# The outcomes that a weight distinguishes: the pair (l, r), l, r, or the symmetry of l and r. The
# last three are for features of the marks to the left: l given these marks; r given more of them
# and l; their symmetry given l.
Target = Literal["pair", "left", "right", "symmetric", "opening", "closing", "closing_symmetric"]

CLOSING_TARGETS: tuple[Target, ...] = ("closing", "closing_symmetric")

TARGETS: tuple[Target, ...] = ("pair", "left", "right", "symmetric", "opening", *CLOSING_TARGETS)

Table = Literal["pair", "side", "opening", "closing"]

# The targets that share a numbering of features, since most of their contexts are the same.
TABLES: Mapping[Table, tuple[Target, ...]] = {
    "pair": ("pair",),
    "side": ("left", "right", "symmetric"),
    "opening": ("opening",),
    "closing": CLOSING_TARGETS,
}

# Names of the attributes that are conjoined.
Context = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Template:
    """A family of features.

    Attributes:
        name: as in the paper, or a new word.
        target: the outcomes that the weights distinguish.
        contexts: the conjunctions, from the most specific to the back-offs; one feature each.
        over: a multi-valued attribute; one feature per value, weighted by its count.
        brings: attributes that the template defines, by name.
    """

    name: str
    target: Target
    contexts: tuple[Context, ...]
    over: str | None = None
    brings: Mapping[str, Attribute] = field(default_factory=dict[str, Attribute], hash=False)


def _contexts(text: str) -> tuple[Context, ...]:
    """Read contexts separated by bars, attributes separated by blanks."""
    return tuple(tuple(context.split()) for context in text.split("|"))


_BACKOFFS = _contexts("upos arc | upos relation | upos | arc | relation")

# The templates of appendix A, with all their back-offs.
APPENDIX_A: tuple[Template, ...] = (
    Template("N", "pair", _BACKOFFS),
    Template("W", "pair", tuple(("length", *context) for context in _BACKOFFS)),
    Template("A", "pair", _BACKOFFS, over="ancestor"),
    Template("C", "pair", _BACKOFFS, over="child"),
    Template("L", "left", _contexts("before_left after_left")),
    Template("R", "right", _contexts("before_right after_right")),
    Template("S", "symmetric", _BACKOFFS),
    Template("c", "pair", _BACKOFFS, over="inside"),
)


def _sides(name: str, text: str, over: str | None = None) -> tuple[Template, ...]:
    targets: tuple[Target, ...] = ("left", "right", "symmetric")
    return tuple(Template(name, target, _contexts(text), over) for target in targets)


# Templates beyond the paper: one-sided ones, which share strength between pairs, and words. The
# root has features for the frequent words and adjacent tags of its sentence, which indicate
# questions and exclamations. All nodes have features for the style of the sentence: writers who
# begin with a small letter also omit marks other than the final one.
FURTHER: tuple[Template, ...] = (
    Template("H", "pair", _contexts("relation head_upos | arc head_relation")),
    Template("O", "pair", _contexts("relation order | arc span")),
    *_sides(
        "side",
        "| upos arc | upos relation | upos | arc | relation | relation span | relation order"
        "| relation head_upos | arc head_relation | arc order span"
        "| relation head_relation grandparent",
    ),
    *_sides(
        "sibling",
        "relation sibling_before | relation sibling_after | arc sibling_before sibling_after",
    ),
    *_sides(
        "place",
        "place | relation place | relation place span | upos place span"
        "| relation place form | relation place first_form",
    ),
    *_sides(
        "style",
        "style | relation style | upos style | relation style span | relation style place"
        "| relation sentence_span | relation place sentence_span",
    ),
    *(
        Template("sentence", side, _contexts("relation"), over)
        for over in ("sentence_form", "sentence_tags")
        for side in ("left", "right")
    ),
    *_sides(
        "sentence",
        "relation last_but_one_form last_form | relation after_left | relation before_right"
        "| relation second_form | first_form second_form | relation first_form second_form",
    ),
    *_sides(
        "shape",
        "relation shape | relation first_shape | relation last_shape | form_before first_shape"
        "| last_shape form_after | relation writing | relation writing span"
        "| relation writing first_shape last_shape",
    ),
    *_sides(
        "character",
        "relation ends | relation first_begins | relation last_ends | relation before_ends"
        "| relation after_begins | before_ends first_begins | last_ends after_begins",
    ),
    *_sides("feature", "relation", over="feature"),
    *_sides(
        "tag",
        "xpos | relation xpos | relation head_xpos | relation first_xpos | relation last_xpos"
        "| xpos_before first_xpos | relation xpos_before first_xpos | last_xpos xpos_after"
        "| relation last_xpos xpos_after | relation xpos first_xpos"
        "| xpos_before_that xpos_before first_xpos | last_xpos xpos_after xpos_after_that",
    ),
    *_sides(
        "word",
        "form | relation form | first_form | relation first_form | last_form | form_before"
        "| form_after | relation form_after | relation form_before"
        "| relation form_before form_after | relation first_form last_form"
        "| relation head_form | arc head_form",
    ),
    Template(
        "near",
        "left",
        _contexts(
            "relation before_left after_left | arc before_left | arc relation_before"
            "| form_before first_form"
        ),
    ),
    Template(
        "near",
        "right",
        _contexts(
            "relation before_right after_right | arc after_right | arc relation_after"
            "| last_form form_after"
        ),
    ),
)


def _seen(side: Literal["left", "right"], text: str) -> tuple[Context, ...]:
    """Build the contexts of the history at one edge, conjoined with properties of the node."""
    own_properties: tuple[Context, ...] = ((), ("relation",), ("upos",), ("arc",))
    names = ("seen", "since", "marked", "open")
    return (
        *((*context, f"{side}_{name}") for context in own_properties for name in names),
        *(
            tuple(f"{side}_{p}" if p in SEEN else p for p in context)
            for context in _contexts(f"{_AFTER_ONE} | {text}")
        ),
    )


_AFTER_ONE = (
    "seen since | relation seen since | relation span since | relation order seen"
    "| relation head_relation seen | seen open | since marked"
)

# Templates of the marks to the left of a constituent's edges, to generate from left to right.
HISTORY: tuple[Template, ...] = (
    Template(
        "history",
        "opening",
        _seen("left", "before_left after_left seen | before_left after_left since"),
    ),
    Template(
        "history",
        "closing",
        _seen(
            "right",
            "before_right after_right seen | before_right after_right since"
            "| edge | relation edge | edge span | edge seen | last_place | relation last_place"
            "| relation last_place seen | last_place seen since",
        ),
    ),
    Template(
        "history",
        "closing_symmetric",
        _contexts("edge | relation edge | right_open | relation last_place | relation right_since"),
    ),
)

_BOTH_WRITTEN = "written_left written_right | relation written_left written_right"
_SPANNING = "arc span written_left written_right"
_WITHIN = "relation written_inside written_left written_right"
_WRITTEN: Mapping[Literal["left", "right"], str] = {
    "left": "relation order written_left | relation written_left first_form"
    "| written_left first_form | written_left form_before | written_left form_before first_form"
    "| written_left xpos_before first_xpos | written_left written_before"
    "| written_left written_second | relation written_left written_since"
    "| written_left place span",
    "right": "relation order written_right | relation written_right form_after"
    "| written_right last_form | written_right form_after | written_right last_form form_after"
    "| written_right last_xpos xpos_after | written_right written_last_but_one"
    "| written_right written_after | relation written_right written_until"
    "| written_right place span | relation written_right style",
}

_BOTH_EXPECTED = "expected_left expected_right"

# Templates of the parser's certainty about tree and slots; inactive for treebank trees.
PARSED: tuple[Template, ...] = (
    *(
        Template(
            "expected",
            side,
            _contexts(
                f"expected_{side} | relation expected_{side} | arc sure expected_{side}"
                f"| upos expected_{side} | {_BOTH_EXPECTED} | relation sure | arc sure span"
            ),
            brings=EXPECTATIONS,
        )
        for side in _WRITTEN
    ),
    Template(
        "expected",
        "symmetric",
        _contexts(f"{_BOTH_EXPECTED} | relation sure | relation expected_left"),
    ),
)

# Templates of the written punctuation, for correction: strings at the edges of a constituent and
# around them. They are observed, so inference does not change.
CORRECTION: tuple[Template, ...] = (
    Template("written", "pair", _contexts(_BOTH_WRITTEN), brings=WRITTEN),
    *(
        Template(
            "written",
            side,
            _contexts(
                f"{at_edge} | relation {at_edge} | arc {at_edge} | upos {at_edge} | xpos {at_edge}"
                f"| relation span {at_edge} | {_BOTH_WRITTEN} | {_SPANNING} | {_WITHIN}"
                f"| relation written_final | relation written_marks sentence_span | {contexts}"
            ),
        )
        for side, contexts in _WRITTEN.items()
        for at_edge in (f"written_{side}",)
    ),
    Template("written", "symmetric", _contexts(f"{_BOTH_WRITTEN} | {_SPANNING} | {_WITHIN}")),
)

# The templates of appendix C: N and W over punctemes in an underlying tree of the written text.
APPENDIX_C: tuple[Template, ...] = (
    Template(
        "analysed",
        "pair",
        tuple(
            (*length, *context, "analysed_left", "analysed_right")
            for length in ((), ("length",))
            for context in (("upos", "arc"), ("arc",), ("upos",), ())
        ),
        brings=ANALYSED,
    ),
)

# All templates that ``model.templates`` may name, in the order that numbers their features.
TEMPLATES: list[Template] = [*APPENDIX_A, *FURTHER, *HISTORY, *PARSED, *CORRECTION, *APPENDIX_C]


def find_template(name: str) -> Template | None:
    """Return the template with a name, or None.

    Installed templates (entry point group ``semipunct.templates``) are added on first use.
    """
    template = next((t for t in TEMPLATES if t.name == name), None)
    if template is None and (template := find_plugin("templates", name, Template)) is not None:
        if template.name != name:
            raise ConfigError(
                f"the feature template registered as {name!r} has the name {template.name!r}; "
                "register it under its name"
            )
        TEMPLATES.append(template)
    return template


def attribute_table() -> dict[str, Attribute]:
    """Return all attributes by name: the common ones, then those that templates define."""
    return ATTRIBUTES | {name: a for t in TEMPLATES for name, a in t.brings.items()}
