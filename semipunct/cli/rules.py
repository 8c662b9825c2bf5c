"""The rewriting rules that a channel has learned, as in Figure 3 of the paper."""

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from semipunct.marks import EDITS, EditName, shown_string
from semipunct.marks.edits import apply_edit

if TYPE_CHECKING:
    from semipunct.models.punctuation.decode import Analysis
    from semipunct.models.punctuation.rewriting import Rewriter


@dataclass(frozen=True, slots=True)
class ObservedRule:
    """The edits of two neighbouring underlying tokens.

    Attributes:
        a: the left token.
        b: the right token.
        times: how often the window ``ab`` occurs in the analyses.
        probabilities: p(edit | a, b) by the name of the edit.
    """

    a: str
    b: str
    times: int
    probabilities: dict[EditName, float]

    def outcome(self, edit: EditName) -> str:
        """Return the result of an edit of ``ab``, as it is displayed."""
        return shown_string(apply_edit(edit, self.a, self.b))


def frequent_rules(
    analyses: "Iterable[Analysis]", rewriter: "Rewriter", most: int
) -> list[ObservedRule]:
    """Return the rules of the most frequent windows, in order of decreasing frequency.

    Args:
        analyses: in which windows are counted.
        rewriter: has the probabilities of the channel's edits.
        most: the maximum number of rules.
    """
    met = Counter(
        (edit.a, edit.b) for analysis in analyses for slot in analysis.slots for edit in slot.edits
    )
    number = {symbol: i for i, symbol in enumerate(rewriter.inventory.symbols)}
    return [
        ObservedRule(
            a,
            b,
            times,
            {
                edit: math.exp(float(rewriter.log_probability[e, number[a], number[b]]))
                for e, edit in enumerate(EDITS)
            },
        )
        for (a, b), times in met.most_common(most)
    ]
