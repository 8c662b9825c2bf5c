"""Records of derivations that were converted from phrase-structure trees."""

from pathlib import Path

from semipunct.formats.ccgbank.derivations import AutoRecord, Leaf, auto_line
from semipunct.formats.ptb.brackets import Bracketing
from semipunct.trees.coindexation import coindex
from semipunct.trees.conversion import Conversion


def auto_record(source: Bracketing, conversion: Conversion, number: int) -> AutoRecord:
    """Make the record of a derivation that was converted from a phrase-structure tree.

    Args:
        source: the tree as read.
        conversion: the conversion of this tree.
        number: the number of the sentence, from 1, for its ID.

    Returns:
        A record whose text is an ID line and one line of the derivation.

    Raises:
        UsageError: if a word cannot be written in a file of derivations.
    """
    tree = conversion.derivation
    tags = source.tree.tags
    leaves = tuple(
        Leaf(
            tags[leaf - 1],
            tags[leaf - 1],
            source.forms[leaf - 1],
            str(coindex(tree.parsed[node])),
        )
        for leaf, node in zip(conversion.leaves, tree.leaves, strict=True)
    )
    stem = "".join(Path(source.path).name.split()).partition(".")[0] or "sentence"
    name = f"{stem}.{number}"
    text = f"ID={name} PARSER=GOLD NUMPARSE=1\n{auto_line(tree, leaves)}\n"
    return AutoRecord(source.path, source.line, name, text, tree, leaves)
