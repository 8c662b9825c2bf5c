"""Tables of the grammar that a model has learned: rewriting, Nunberg's rules, relations."""

import math
from typing import TYPE_CHECKING

from semipunct.cli import console
from semipunct.marks import shown_string
from semipunct.wording import figure

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.table import Table

    from semipunct.papers.analysis.task import PunctuationGrammar, RelationRow

SHOWN_ROWS, SHOWN_RELATIONS = 20, 5

PAPER = {"changed": 0.621, "changed_decided": 0.836}
"""Mean reciprocal ranks of the paper's English model (section 5.1)."""


def print_tables(grammar: "PunctuationGrammar") -> None:
    """Print all tables on standard output, each with a title above it."""
    more = len(grammar.rewriting) - SHOWN_ROWS
    parts = [
        (
            "Rewriting of two underlying marks: the probabilities that both stay, that the left "
            "or the right one is absorbed, and that they are swapped; the most probable result, "
            "and the result by Nunberg's rules of English"
            + (f" ({more} more with --json)" if more > 0 else ""),
            _rewriting(grammar),
        ),
        (
            "Confident edits (p > 0.75), and how many agree with Nunberg's rules (English)",
            _confident(grammar),
        ),
        (
            "Nunberg's rules of English, by the rank of their result in the model (decided: one "
            "result has p > 0.5; stated: without our interpretation; MRR: mean reciprocal rank; "
            "all: with rules of marks that the model lacks, at the last rank; paper: MRR of its "
            "English model)",
            _ranks(grammar),
        ),
    ]
    if grammar.inverted.ranked:
        parts.append(
            ("Spanish inverted marks, treated as Nunberg treats ( in English", _inverted(grammar))
        )
    if grammar.relations is not None:
        parts.append(
            (
                "Relations with the highest probability of symmetric punctemes, strings of marks "
                "on both sides of a constituent that mirror each other (Table 4)",
                _relations(grammar),
            )
        )
    screen = console.tables()
    for title, table in parts:
        screen.print(title, style="bold", markup=False)
        screen.print(table)
    console.explain(_printed_tokens(grammar))


def _printed_tokens(grammar: "PunctuationGrammar") -> "Iterator[str]":
    """Yield the tokens in the tables."""
    for row in grammar.rewriting[:SHOWN_ROWS]:
        yield from (row.a, row.b)
    for relation in _frequent(grammar)[:SHOWN_RELATIONS]:
        for pair in relation.pairs:
            yield from (*pair.left, *pair.right)


def _rewriting(grammar: "PunctuationGrammar") -> "Table":
    from rich.text import Text

    from semipunct.marks.edits import apply_edit

    headings = ("underlying", "times", "stay", "left", "right", "swap", "becomes", "Nunberg")
    table = console.table(*headings)
    for row in grammar.rewriting[:SHOWN_ROWS]:
        table.add_row(
            Text(shown_string((row.a, row.b)), "bold"),
            "" if row.times is None else f"{row.times:,}",
            *(
                Text(f"{p:.2f}", "bold" if edit == row.edit else "")
                for edit, p in row.probabilities.items()
            ),
            Text(shown_string(apply_edit(row.edit, row.a, row.b))),
            Text(shown_string(row.rule.result) if row.rule else ""),
        )
    return table


def _confident(grammar: "PunctuationGrammar") -> "Table":
    from semipunct.papers.analysis.task import FREQUENT

    headings = ("bigrams", "number", "confident", "his marks", "his edits", "precision")
    table = console.table(*headings)
    scopes = [("of Nunberg's marks", grammar.confidence)]
    if grammar.frequent:
        scopes.append((f"met {FREQUENT} times", grammar.frequent))
    for name, scope in scopes:
        for label, some in ((name, scope), ("  changes only", scope.changing)):
            numbers = (some.bigrams, len(some.edits), some.considered, some.agreeing)
            table.add_row(label, *(f"{n}" for n in numbers), figure(some.precision, ".3f"))
    return table


def _ranks(grammar: "PunctuationGrammar") -> "Table":
    table = console.table("rules", "ranked", "1st", "2nd", "worse", "MRR", "MRR, all", "paper")
    for name, label, some in grammar.recalls():
        number = len(some.ranked) + len(some.missing)
        means = (some.mean_reciprocal_rank, some.mean_over_all, PAPER.get(name, math.nan))
        counts = (len(some.ranked), *some.ranks)
        table.add_row(
            f"{number:3} {label}",
            *(f"{n}" for n in counts),
            *(figure(mean, ".3f") for mean in means),
        )
    return table


def _inverted(grammar: "PunctuationGrammar") -> "Table":
    from rich.text import Text

    table = console.table("underlying", "should become", "p", "rank")
    for ranked in grammar.inverted.ranked:
        rule = ranked.rule
        bigram, outcome = Text(f"{rule.a} {rule.b}", "bold"), Text(" ".join(rule.result))
        table.add_row(bigram, outcome, f"{ranked.probability:.2f}", f"{ranked.rank}")
    return table


def _relations(grammar: "PunctuationGrammar") -> "Table":
    """Return Table 4 with a row for each relation; rare relations are only in the JSON."""
    from rich.text import Text

    table = console.table("relation", "words", "symmetric", "entropy (nats)")
    table.add_column("most probable pairs")
    for row in _frequent(grammar)[:SHOWN_RELATIONS]:
        pairs: list[Text] = []
        for pair in row.pairs:
            sides = " · ".join(shown_string(side, "ε") for side in (pair.left, pair.right))
            style = "bold" if pair.symmetric else ""
            pairs.append(Text(f"{100 * pair.probability:5.1f}%  {sides}", style))
        table.add_row(
            row.relation,
            f"{row.words:,}",
            f"{100 * row.symmetric:.1f}%",
            f"{row.entropy:.2f}",
            Text("\n").join(pairs),
        )
    return table


def _frequent(grammar: "PunctuationGrammar") -> "list[RelationRow]":
    from semipunct.papers.analysis.task import FREQUENT

    return [row for row in grammar.relations or () if row.words >= FREQUENT]
