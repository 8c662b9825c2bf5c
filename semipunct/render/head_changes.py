"""New heads of marks: lines for people, the form of UD's validator, JSON, Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from semipunct.formats.conllu.mark_heads import MarkedSentence
from semipunct.render.outputs import output
from semipunct.render.outputs.treebanks import Normalised
from semipunct.tasks.normalise_marks import NormalisedTreebank
from semipunct.trees.guideline import HeadChange, Problem
from semipunct.wording import quantity

_TEST_IDS: Mapping[Problem, str] = {
    "a mark has no dependents": "leaf-punct",
    "its arc spans words that its head does not dominate": "punct-is-nonproj",
    "it makes another arc non-projective": "punct-causes-nonproj",
}
"""The tests of UD's validator that find a problem; the others are named after their rules."""

_MARKDOWN = 200
"""Changes in a report in Markdown, which is to be read."""


def token_name(sentence: MarkedSentence, token: int) -> str:
    """Write a token with its number: ``5 (came)``.

    Args:
        sentence: of the token.
        token: its number, 0 for the root.
    """
    return f"{token} ({sentence.forms[token]})" if token else "0 (root)"


def line(sentence: MarkedSentence, change: HeadChange) -> str:
    """Write a change as a line with its place, rule, heads and reason.

    Args:
        sentence: of the mark.
        change: its new head.
    """
    heads = f"{token_name(sentence, change.before)} → {token_name(sentence, change.after)}"
    return (
        f"{sentence.where(change.mark)}: mark {token_name(sentence, change.mark)}: head {heads}, "
        f"{change.rule}: {change.problem}"
    )


def governing_line(sentence: MarkedSentence, mark: int) -> str:
    """Write the place of a mark on which words depend.

    Args:
        sentence: of the mark.
        mark: its number.
    """
    word = sentence.heads.index(mark)
    return (
        f"{sentence.where(mark)}: mark {token_name(sentence, mark)}: "
        f"{token_name(sentence, word)} depends on it, so it is left as it is; "
        "correct the HEAD of the word"
    )


def validator_line(sentence: MarkedSentence, change: HeadChange) -> str:
    """Write a change in the form of the messages of UD's validator.

    Args:
        sentence: of the mark.
        change: its new head.
    """
    heads = f"{token_name(sentence, change.before)} → {token_name(sentence, change.after)}"
    test = _TEST_IDS.get(change.problem, f"punct-{change.rule}")
    message = f"mark {token_name(sentence, change.mark)}: head {heads}: {change.problem}"
    return f"{_address(sentence, change.mark)}: [L3 Syntax {test}] {message}"


def validator_governing_line(sentence: MarkedSentence, mark: int) -> str:
    """Write the place of a mark on which words depend as UD's validator does.

    Args:
        sentence: of the mark.
        mark: its number.
    """
    word = token_name(sentence, sentence.heads.index(mark))
    message = f"mark {token_name(sentence, mark)}: {word} depends on it"
    return f"{_address(sentence, mark)}: [L3 Syntax leaf-punct] {message}"


def _address(sentence: MarkedSentence, token: int) -> str:
    place = f"Line {sentence.line_of(token)} Sent {sentence.sentence_id} Node {token}"
    return f"[File {sentence.path} {place}]"


def summary(treebank: NormalisedTreebank) -> str:
    """Write how many marks change, by rule.

    Args:
        treebank: its changes.
    """
    changed = sum(bool(each.changes) for each in treebank.sentences)
    rules = ", ".join(f"{rule} {count:,}" for rule, count in treebank.rules.most_common())
    marks = quantity(treebank.marks, "mark")
    return (
        f"{len(treebank.changes):,} of {marks} in {changed:,} of "
        f"{quantity(len(treebank.sentences), 'sentence')}{f' ({rules})' if rules else ''}"
    )


def habit(treebank: NormalisedTreebank) -> str | None:
    """Write how the treebank attaches marks between units, if it is not as the guidelines say.

    Args:
        treebank: with the conventions that were learnt.
    """
    total = treebank.conventions.total
    count, marks = total.get("governor", 0), sum(total.values())
    if treebank.convention is not None or treebank.conventions.usual == "unit":
        return None
    return (
        f"{count:,} of {quantity(marks, 'mark')} between units are attached to the governor of "
        "the unit, as in UD 1, so such heads are left; to attach them to the unit, as the "
        "guidelines say, give --convention unit"
    )


def as_dict(treebank: NormalisedTreebank, files: Iterable[str]) -> dict[str, Any]:
    """Return the changes as values for JSON.

    Args:
        treebank: its changes.
        files: the names of its files.
    """
    return output(
        Normalised,
        {
            "files": list(files),
            "sentences": len(treebank.sentences),
            "marks": treebank.marks,
            "usual_convention": treebank.convention or treebank.conventions.usual,
            "rules": dict(treebank.rules),
            "changes": [
                {
                    "path": sentence.path,
                    "line": sentence.line_of(change.mark),
                    "sent_id": sentence.sentence_id,
                    "mark": change.mark,
                    "form": sentence.forms[change.mark],
                    "before": change.before,
                    "after": change.after,
                    "rule": change.rule,
                    "problem": change.problem,
                }
                for sentence, change in treebank.changes
            ],
            "governing": [
                {
                    "path": sentence.path,
                    "line": sentence.line_of(mark),
                    "sent_id": sentence.sentence_id,
                    "mark": mark,
                    "form": sentence.forms[mark],
                }
                for sentence, mark in treebank.governing
            ],
            "faults": treebank.faults,
        },
    )


def markdown(treebank: NormalisedTreebank) -> str:
    """Write the changes as Markdown, for an issue of a treebank's repository.

    Args:
        treebank: its changes.
    """
    lines = ["# Heads of punctuation", "", f"{summary(treebank)}.", ""]
    if treebank.changes:
        lines += ["| place | sentence | mark | head | rule | problem |", "|" + " --- |" * 6]
    for sentence, change in treebank.changes[:_MARKDOWN]:
        place = f"{sentence.path}:{sentence.line_of(change.mark)}"
        heads = f"{token_name(sentence, change.before)} → {token_name(sentence, change.after)}"
        cells = (
            place, sentence.sentence_id, token_name(sentence, change.mark), heads, change.rule,
            change.problem,
        )  # fmt: skip
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    more = len(treebank.changes) - _MARKDOWN
    if more > 0:
        lines += ["", f"and {quantity(more, 'more change')}."]
    by_hand = [governing_line(*each) for each in treebank.governing] + treebank.faults
    if by_hand:
        lines += ["", "## To correct by hand", "", *(f"- {each}" for each in by_hand)]
    return "\n".join(lines) + "\n"
