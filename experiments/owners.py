"""Heads of marks that the guidelines leave open, decided by the punctuation model.

    python experiments/owners.py MODEL DEV.conllu... [--draws N] [--output PATH]

The heads of all marks are replaced by the root, and attached again by ``semipunct normalise``. A
mark without a partner beside which a unit ends or starts can belong to it or to its governor: such
heads are open. For them, underlying trees are drawn from the posterior of the punctuation model
given all marks; the share of draws in which the mark is in a puncteme of a word is the posterior of
that word as its owner. Reported is the share of open marks, and of all, with the annotated head: by
the rules, by the most probable owner, by it if its posterior is high, by the governor of the units,
and by the better of rules and owner, which bounds any combination of the two.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from attachment import with_marks_at_root

import semipunct
from semipunct.corpus import Entry, Sentence
from semipunct.formats import read_entries
from semipunct.formats.conllu.mark_heads import MarkedSentence, read_marked
from semipunct.formats.conllu.records import Record
from semipunct.marks import SILENT
from semipunct.models.punctuation import decode
from semipunct.models.punctuation.decode import Analysis
from semipunct.tasks.normalise_marks import normalise_marks

CONFIDENT = 0.9
"""The posterior from which an owner replaces the choice of the rules in the cautious variant."""


class Attachment(NamedTuple):
    """The heads of a mark.

    Attributes:
        is_open: whether the guidelines leave it open.
        gold: the annotated head.
        rules: the head that the rules choose.
        owner: the most probable owner that is a possible head; that of the rules if there is none.
        posterior: of the owner.
        governor: the lowest word above both units.
    """

    is_open: bool
    gold: int
    rules: int
    owner: int
    posterior: float
    governor: int


def owners(entry: Entry[Record, Any], analyses: Sequence[Analysis]) -> dict[int, Counter[int]]:
    """Count the draws in which each word owns each mark, both by their IDs.

    Args:
        entry: the sentence.
        analyses: the draws.
    """
    ids = (0, *entry.word_ids)
    words = set(entry.word_ids)
    marks: list[list[int]] = [[]]
    for token in entry.record.tokens:
        if token.word_id in words:
            marks.append([])
        else:
            marks[-1].append(token.word_id)
    shares: dict[int, Counter[int]] = {}
    sentence: Sentence = entry.content
    tree = sentence.tree
    for analysis in analyses:
        for slot, (ending, starting) in enumerate(tree.junctions):
            owned = [(n, t) for n in ending for t in analysis.pairs[n][1]]
            owned += [(n, t) for n in starting for t in analysis.pairs[n][0]]
            surface = [token for token in sentence.slots[slot] if token not in SILENT]
            for place, form in zip(marks[slot], surface, strict=False):
                for node in {n for n, token in owned if token == form}:
                    shares.setdefault(place, Counter())[ids[node + 1]] += 1
    return shares


def attachments(
    gold: Sequence[MarkedSentence], source: Path, model: Any, draws: int
) -> Iterator[Attachment]:
    """Yield the heads of all marks of the sentences that a model can use.

    Args:
        gold: the sentences with the annotated heads.
        source: the file in which marks are attached to the root.
        model: a punctuation model.
        draws: the number of underlying trees of a sentence.
    """
    treebank = normalise_marks([source])
    entries = list(read_entries([source]))
    usable = [entry for entry in entries if isinstance(entry.content, Sentence)]
    sentences = [entry.content for entry in usable]
    drawn = iter(decode.sample(model.model, model.parameters, sentences, draws, 0))
    for annotated, normalised, entry in zip(gold, treebank.sentences, entries, strict=True):
        if not isinstance(entry.content, Sentence):
            continue
        shares = owners(entry, next(drawn))
        judgement = normalised.source.judgement
        heads = list(normalised.source.heads)
        for change in normalised.changes:
            heads[change.mark] = change.after
        paired = {mark for pair in judgement.pairs for mark in pair}
        for mark, around in judgement.around.items():
            is_open = bool(around.above and (around.ending or around.starting))
            possible = Counter(
                {w: n for w, n in shares.get(mark, Counter()).items() if w in around.words}
            )
            owner, count = next(iter(possible.most_common(1)), (heads[mark], 0))
            yield Attachment(
                is_open and mark not in paired,
                annotated.heads[mark],
                heads[mark],
                owner,
                count / draws,
                around.above or heads[mark],
            )


def figures(rows: Sequence[Attachment]) -> dict[str, Any]:
    """Return shares of marks with the annotated head.

    Args:
        rows: all marks.
    """
    open_marks = [row for row in rows if row.is_open]
    settled = sum(row.gold == row.rules for row in rows if not row.is_open)

    def both(count: int) -> dict[str, float]:
        return {
            "open": round(count / len(open_marks), 4),
            "all": round((settled + count) / len(rows), 4),
        }

    return {
        "marks": len(rows),
        "open": len(open_marks),
        "rules": both(sum(row.gold == row.rules for row in open_marks)),
        "owner": both(sum(row.gold == row.owner for row in open_marks)),
        "owner if confident": both(
            sum(
                row.gold == (row.owner if row.posterior >= CONFIDENT else row.rules)
                for row in open_marks
            )
        ),
        "governor": both(sum(row.gold == row.governor for row in open_marks)),
        "either": both(sum(row.gold in (row.rules, row.owner) for row in open_marks)),
        "owner differs": sum(row.owner != row.rules for row in open_marks),
    }


def main() -> None:
    """Print a row for each file."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("model", type=Path)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--draws", type=int, default=50)
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    model = semipunct.load(options.model)
    rows: list[dict[str, Any]] = []
    for path in options.files:
        gold = list(read_marked(path))
        with TemporaryDirectory() as folder:
            source = Path(folder, "root.conllu")
            source.write_text(with_marks_at_root(gold), "utf-8")
            listed = list(attachments(gold, source, model, options.draws))
        name = "/".join(path.parts[-2:])
        rows.append({"file": name, "draws": options.draws, **figures(listed)})
        print(json.dumps(rows[-1]), flush=True)
    if options.output:
        options.output.write_text(json.dumps(rows, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
