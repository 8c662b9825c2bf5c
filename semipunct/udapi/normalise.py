"""A block of udapi that attaches marks as ``semipunct normalise`` does.

    udapy read.Conllu .semipunct.udapi.Normalise write.Conllu < in.conllu > out.conllu

udapi finds it by its name: for a block that begins with a dot it imports the class from the module
of the same name in lower case. It needs the extra ``udapi``; nothing else imports this module.
"""

# The library is an extra, without which its types are unknown.
# pyright: reportMissingImports=false, reportUntypedBaseClass=false

import logging
from typing import TYPE_CHECKING, Any

from udapi.core.block import Block  # pyright: ignore[reportMissingTypeStubs]

from semipunct.corpus.treebank import PUNCTUATION
from semipunct.errors import UsageError
from semipunct.formats.conllu.mark_heads import MarkedSentence, with_governor
from semipunct.tasks.normalise_marks import normalise_sentences
from semipunct.trees import tree_fault
from semipunct.trees.principles import RULES

if TYPE_CHECKING:
    from semipunct.trees.conventions import Convention


class Normalise(Block):
    """Attaches the marks of a document by the four rules of UD's guidelines.

    Only the parents of marks change, and their enhanced dependencies where these have the same arc.
    """

    def __init__(
        self,
        only: str = "",
        convention: "Convention | None" = None,
        strict: bool = False,
        **kwargs: Any,
    ) -> None:
        """Take the options of ``semipunct normalise``.

        Args:
            only: rules by which parents are changed, separated by commas; by default all.
            convention: as of ``semipunct.normalise``; None to learn it from the document.
            strict: as of ``semipunct.normalise``; on the command line 1 or 0.
            **kwargs: options of all blocks of udapi.

        Raises:
            UsageError: if a rule, the convention or ``strict`` has no such value.
        """
        super().__init__(**kwargs)
        if strict not in (False, True):  # udapi passes 0 and 1 as numbers, other words as strings
            raise UsageError(f"strict={strict}: give 1 or 0")
        self._strict = bool(strict)
        self._rules = tuple(filter(None, only.split(","))) or RULES
        self._convention: Convention | None = convention
        normalise_sentences([], rules=self._rules, convention=convention)

    def process_document(self, document: Any) -> None:
        """Attach the marks of all trees, by the conventions of the document.

        Args:
            document: of udapi.
        """
        trees = [
            tree
            for bundle in document.bundles
            for tree in bundle
            if self._should_process_tree(tree)
        ]
        sentences = [_sentence_of(tree) for tree in trees]
        for sentence in sentences:
            if sentence.fault:
                logging.warning(f"{sentence.fault}; the sentence is left as it is")
        treebank = normalise_sentences(
            sentences, rules=self._rules, convention=self._convention, strict=self._strict
        )
        for tree, normalised in zip(trees, treebank.sentences, strict=True):
            nodes = [tree, *tree.descendants]
            for change in normalised.changes:
                mark = nodes[change.mark]
                mark.parent = nodes[change.after]
                mark.raw_deps = with_governor(mark.raw_deps, change.before, change.after)


def _sentence_of(tree: Any) -> MarkedSentence:
    """Return the columns of a tree of udapi that decide about heads of marks."""
    nodes = tree.descendants
    heads = [node.parent.ord for node in nodes]
    problem = tree_fault(heads)
    fault = ""
    if problem is not None:
        token, reason = problem
        fault = f"{nodes[token - 1].address()}: word {token} ({nodes[token - 1].form}): {reason}"
    is_mark = [node.upos == PUNCTUATION and node.udeprel == "punct" for node in nodes]
    return MarkedSentence(
        path="",
        line=0,
        lines=(),
        sentence_id=tree.address(),
        positions=range(len(nodes) + 1),
        forms=["", *(node.form for node in nodes)],
        tags=["", *(node.xpos for node in nodes)],
        relations=["", *(node.deprel for node in nodes)],
        heads=[0, *heads],
        is_mark=[False, *is_mark],
        fault=fault,
    )
