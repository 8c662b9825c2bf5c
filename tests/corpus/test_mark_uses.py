"""Where marks stand, counted again without slots or edges of constituents."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from semipunct.corpus.mark_uses import KEPT, MarkUses
from semipunct.formats import read_treebank


def test_marks_beside_constituents(treebanks: dict[str, Path]):
    sentences = read_treebank([treebanks["dev"]]).sentences[:60]
    uses = MarkUses()
    for sentence in sentences:
        uses.add(sentence)
    before, after, both, all_of = Counter[str](), Counter[str](), Counter[str](), Counter[str]()
    for sentence in sentences:
        heads = (0, *sentence.tree.heads)

        def governs(top: int, word: int, heads: tuple[int, ...] = heads) -> bool:
            while word not in (0, top):
                word = heads[word]
            return word == top

        for word, relation in enumerate(sentence.tree.relations, start=1):
            span = [i for i in range(1, len(heads)) if governs(word, i)]
            is_root = not heads[word]
            left = sentence.slots[span[0] - 1] if span[0] > 1 or is_root else ()
            right = sentence.slots[span[-1]] if span[-1] < sentence.size or is_root else ()
            all_of[relation] += 1
            before[relation] += left != ()
            after[relation] += right != ()
            both[relation] += () not in (left, right)
    assert set(uses.relations) == set(all_of)
    for relation, edges in uses.relations.items():
        found = (edges.constituents, edges.before, edges.after, edges.both)
        assert found == tuple(counts[relation] for counts in (all_of, before, after, both))
    assert sum(before.values()) > 10
    slots = Counter(slot for sentence in sentences for slot in sentence.slots if slot)
    assert uses.strings == {k: v for k, v in slots.items() if set(k) != {"<abbr>"}}
    for token, examples in uses.examples.items():
        assert all(token in example.marks for example in examples)
        assert len(examples) == min(KEPT, sum(token in slot for slot in slots.elements()))
