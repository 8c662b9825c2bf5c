"""The functions of ``import semipunct`` that work for several kinds of models."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeVar, overload

from semipunct.corpus import Omitted, Sentence, Words
from semipunct.corpus.treebank import OmittedT
from semipunct.models.contents import digest
from semipunct.pipelines.assessment import Assessment
from semipunct.pipelines.marked_text import PunctuatedText
from semipunct.pipelines.options import (
    CorrectOptions,
    Lines,
    ParseOptions,
    RestoreOptions,
    split_settings,
)
from semipunct.pipelines.parses import Parse
from semipunct.pipelines.parses import parse as parse_words
from semipunct.pipelines.results import Corrected, Restoration
from semipunct.pipelines.segmentation import sentences_of_text
from semipunct.pipelines.task import EvaluateRequest, Task, task_of
from semipunct.pipelines.trained import Trained

if TYPE_CHECKING:
    from semipunct.evaluation.perplexity import PerplexityStatistics
    from semipunct.evaluation.results import Result
    from semipunct.models.punctuation.model import PunctuationModel

S = TypeVar("S", bound=Sentence[Any] | Words)


@overload
def evaluate(
    model: Trained[PunctuationModel],
    examples: Sequence[Any],
    *,
    system: str = ...,
    treebank: str | None = ...,
    model_digest: str | None = ...,
) -> Result[PerplexityStatistics]: ...
@overload
def evaluate(
    model: Trained[Any],
    examples: Sequence[Any],
    *,
    system: str = ...,
    treebank: str | None = ...,
    model_digest: str | None = ...,
) -> Any: ...
def evaluate(
    model: Trained[Any],
    examples: Sequence[Any],
    *,
    system: str = "",
    treebank: str | None = None,
    model_digest: str | None = None,
) -> Any:
    """Evaluate a model of any kind on examples of the type that it is trained on.

    Args:
        model: the model with its weights.
        examples: for a punctuation model sentences with words, trees and surface punctuation, whose
            perplexity is computed; for a parser sentences with trees and tags, with which its own
            are compared; and so on. Omitted ones do not count.
        system: the name of the model in the result; by default its kind.
        treebank: a SHA-256 digest for the signature; by default ``treebank_digest`` of the
            examples.
        model_digest: the digest of the model, if it is known; computing it reads all weights.

    Returns:
        The counts of each sentence as a ``Result``, of which ``figures`` are the figures of the
        corpus; for kinds of which nothing is counted by sentence an ``Assessment``, which has
        ``figures``, too.

    Raises:
        ModelError: if the examples are not those of the kind.
    """
    assessment = assess(model, examples, system=system, treebank=treebank, digest=model_digest)
    return assessment if assessment.result is None else assessment.result


def assess(model: Trained[Any], examples: Sequence[Any], **request: Any) -> Assessment:
    """Assess a model of any kind on examples.

    Args:
        model: as of ``evaluate``.
        examples: of the type that the model is trained on.
        **request: further attributes of ``EvaluateRequest``.

    Raises:
        UsageError: if counts are to be stored, and the figures of the kind have none.
    """
    request["system"] = request.get("system") or model.model.kind
    request["digest"] = request.get("digest") or digest(model.model, model.parameters)
    return task_of(model.model, "evaluate")(
        EvaluateRequest(model=model, examples=examples, **request)
    )


def _task(
    name: str, kind: type[Any], model: Trained[Any], options: Any, settings: dict[str, Any]
) -> Task[Any, Any]:
    """Return a task of a model with options, and with other models, that are given by name."""
    chosen, helpers = split_settings(kind, options, settings)
    return task_of(model.model, name)(model, helpers, chosen)


def restore(
    model: Trained[Any],
    sentences: Sequence[S | OmittedT],
    options: RestoreOptions | None = None,
    *,
    first: int = 0,
    **settings: Any,
) -> list[Restoration[S] | OmittedT]:
    """Restore the punctuation of sentences, from scratch or given existing marks.

    Args:
        model: a punctuation model, a comma model (see ``restore_commas``) or a text model (see
            ``restore_running_text``), with its weights.
        sentences: words and trees (phrase-structure trees for a comma model, words for a text
            model or with a parser); ``options.keep`` determines the treatment of existing marks.
            Omitted ones pass through.
        options: by default ``RestoreOptions()``.
        first: the number of the first sentence, for sentences that continue an earlier call; with
            the seed it determines the draws, if the model draws.
        **settings: attributes of ``RestoreOptions`` by name, which override those of ``options``,
            and those of ``Helpers``.

    Raises:
        UsageError: if an option is invalid, or names marks that the model lacks.
        ModelError: if the model is of another kind.
    """
    task = _task("restore", RestoreOptions, model, options, settings)
    return task.sentences(sentences, first)


def correct(
    model: Trained[Any],
    sentences: Sequence[Sentence | Words | OmittedT],
    options: CorrectOptions | None = None,
    *,
    first: int = 0,
    **settings: Any,
) -> list[Corrected | OmittedT]:
    """Correct the punctuation of sentences; words, tags and trees are unchanged.

    Args:
        model: a model of the kind ``correction``, or a text model, with its weights.
        sentences: sentences with the punctuation as written: trees or, with a parser, words; for a
            text model, the words of paragraphs, as in ``correct_running_text``. Omitted ones pass
            through.
        options: by default ``CorrectOptions()``.
        first: the number of the first sentence, for sentences that continue an earlier call; with
            the seed it determines the draws.
        **settings: attributes of ``CorrectOptions`` by name, which override those of ``options``,
            and those of ``Helpers``: ``parser``, which reads words only, and whose trees and tags
            replace existing ones; ``analysis``, a punctuation model of text as written, for a model
            that uses the underlying tree of the written text (preset ``paper-correction``).

    Raises:
        UsageError: if an option is invalid, there is neither a tree nor a parser, or ``analysis``
            is missing or not used by the model.
        ModelError: if a model is of another kind, or the parser reads punctuation.
    """
    task = _task("correct", CorrectOptions, model, options, settings)
    return task.sentences(sentences, first)


def correct_text(
    model: Trained[Any], text: str, options: CorrectOptions | None = None, **settings: Any
) -> PunctuatedText:
    """Correct the punctuation of a text; everything that is not a changed mark stays as it was.

    This is ``semipunct correct --format text`` for text in memory.

    Args:
        model: a text model with its weights.
        text: a text of any length, one paragraph a line.
        options: by default ``CorrectOptions()``.
        **settings: attributes of ``CorrectOptions`` by name, which override those of ``options``.

    Returns:
        The text, which is a string with the decisions at its marks as ``marks``.

    Raises:
        UsageError: if an option is invalid.
        ModelError: if the model is of another kind.
    """
    return _task("correct", CorrectOptions, model, options, settings).texts([text])[0]


def restore_text(
    model: Trained[Any], text: str, options: RestoreOptions | None = None, **settings: Any
) -> PunctuatedText:
    """Restore the punctuation of a text; everything that is not a changed mark stays as it was.

    This is ``semipunct restore --format text`` for text in memory. A text model needs no other.
    With a punctuation model, words and sentences are found, parsed, punctuated by ``restore_words``
    and written into the text.

    Args:
        model: a text model, a punctuation model or a comma model, with its weights.
        text: a text of any length. With a text model, a line is a paragraph, or as ``lines`` says.
            Otherwise each line is a sentence, whose words and marks are separated by blanks; with a
            tokeniser, empty lines separate paragraphs, and sentences are found in these.
        options: by default ``RestoreOptions()``.
        **settings: attributes of ``RestoreOptions`` by name, which override those of ``options``,
            and those of ``Helpers``: ``parser``, one or several, for a comma model a parser of
            phrases; ``tokeniser``; a text model, which finds sentences and capitals, and whose
            marks are averaged with those of ``model``.

    Returns:
        The text, which is a string with the decisions at its marks as ``marks``.

    Raises:
        UsageError: if an option is invalid, excludes another one, or names marks that the model
            lacks.
        ModelError: if a model is of another kind, or a parser reads what is to be restored.
    """
    return _task("restore", RestoreOptions, model, options, settings).texts([text])[0]


def parse_text(
    model: Trained[Any],
    text: str,
    options: ParseOptions | None = None,
    *,
    lines: Lines = "paragraph",
    **settings: Any,
) -> list[Parse | Omitted]:
    """Parse a text.

    Args:
        model: a parser with its weights.
        text: a text of any length. Without another model each line is a sentence, whose words and
            marks are separated by blanks.
        options: by default ``ParseOptions()``.
        lines: with a text model, what the end of a line says.
        **settings: attributes of ``ParseOptions`` by name, which override those of ``options``, and
            those of ``Helpers``: a tokeniser, for text with punctuation, or a text model, which
            finds sentences without punctuation, too.

    Returns:
        The parse of each sentence in the order of the text; a line without words is omitted.

    Raises:
        UsageError: if both a tokeniser and a text model are given.
        ModelError: if a model is of another kind.
    """
    chosen, helpers = split_settings(ParseOptions, options, settings)
    parts = sentences_of_text(text, helpers, RestoreOptions(lines=lines))
    return parse_words(model, [part.content for part in parts], chosen)
