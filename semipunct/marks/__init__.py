"""Punctuation as data: tokens, pairs, matching, edits, spacing, symbols, Nunberg's rules."""

from semipunct.marks.edits import EDITS as EDITS
from semipunct.marks.edits import Edit as Edit
from semipunct.marks.edits import EditName as EditName
from semipunct.marks.tokens import ABBREVIATION as ABBREVIATION
from semipunct.marks.tokens import BRACKET_PAIRS as BRACKET_PAIRS
from semipunct.marks.tokens import EQUAL_PAIRS as EQUAL_PAIRS
from semipunct.marks.tokens import FINAL as FINAL
from semipunct.marks.tokens import INITIAL as INITIAL
from semipunct.marks.tokens import OPEN as OPEN
from semipunct.marks.tokens import PAIRS as PAIRS
from semipunct.marks.tokens import QUOTE_PAIRS as QUOTE_PAIRS
from semipunct.marks.tokens import SILENT as SILENT
from semipunct.marks.tokens import SPECIAL_TOKENS as SPECIAL_TOKENS
from semipunct.marks.tokens import START as START
from semipunct.marks.tokens import STRAIGHT as STRAIGHT
from semipunct.marks.tokens import UNK as UNK
from semipunct.marks.tokens import Pair as Pair
from semipunct.marks.tokens import Puncteme as Puncteme
from semipunct.marks.tokens import TokenPair as TokenPair
from semipunct.marks.tokens import display_form as display_form
from semipunct.marks.tokens import is_symmetric as is_symmetric
from semipunct.marks.tokens import is_unmatched as is_unmatched
from semipunct.marks.tokens import legend as legend
from semipunct.marks.tokens import shown_string as shown_string
from semipunct.marks.tokens import with_boundaries as with_boundaries
from semipunct.marks.tokens import without_boundaries as without_boundaries
