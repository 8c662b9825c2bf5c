"""The work of ``semipunct decode``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NoReturn, TextIO

from semipunct.batches.part_tasks import PartTask
from semipunct.errors import UsageError
from semipunct.files import display_name
from semipunct.formats import Writer, format_of, read_entries
from semipunct.kinds.answers import Work
from semipunct.kinds.reading import unit_of
from semipunct.render import decoded_files
from semipunct.render.analyses import NO_ANALYSIS
from semipunct.tasks.base import InPlace
from semipunct.tasks.decode import CHUNK, Decoder, choose_decoder
from semipunct.tasks.notices import Omissions, UnseenValues
from semipunct.tasks.options import DecodedForm
from semipunct.tasks.run import Chunk, answer_entries


@dataclass(frozen=True, kw_only=True)
class DecodeTask(PartTask):
    """The work of ``semipunct decode``.

    Attributes:
        semiring: as in ``tasks.decode.decode``, like the others.
        samples: the number of trees drawn for each sentence.
        nbest: the maximum number of trees of a sentence.
        seed: the random seed.
        form: the format of the output.
    """

    semiring: str = "viterbi"
    samples: int | None = None
    nbest: int | None = None
    seed: int = 0
    form: DecodedForm = "conllu"
    command: ClassVar[str] = "decode"
    kind: ClassVar[str | None] = "punctuation"

    def options(self) -> Mapping[str, Any]:
        return {name: getattr(self, name) for name in ("semiring", "nbest", "form")}

    @property
    def decoder(self) -> Decoder:
        """The function that finds the trees.

        Raises:
            UsageError: if there is none for the semiring.
        """
        return choose_decoder(self.semiring, self.samples, self.nbest, self.seed)

    def prepare(self, inputs: Sequence[str], *, first: int = 0, **more: Any) -> Work[Any]:
        fitted = InPlace.of(self.models[0])
        decoder = self.decoder
        omitted, unseen = Omissions("not analysed"), UnseenValues(fitted.model)

        def analyse(chunk: Chunk) -> Iterator[Any]:
            unseen.count(chunk.contents)
            for analyses in decoder.analyse(
                fitted.model, fitted.parameters, chunk.contents, chunk.number
            ):
                if not analyses:
                    omitted.count_reason(NO_ANALYSIS)
                yield analyses or None

        return Work(
            entries=read_entries(inputs),
            answer=lambda entries: answer_entries(entries, analyse, omitted, size=CHUNK),
            assess=_not_compared,
            messages=lambda: [*omitted.messages(), *unseen.messages()],
            unit=unit_of(format_of(*inputs), tokenised=False),
            chunk=CHUNK,
        )

    def output_format(self, work: Work[Any]) -> str:
        return self.form

    def write(
        self,
        work: Work[Any],
        outcomes: Iterator[Any],
        stream: TextIO,
        writer: Writer[Any] | None,
        inputs: Sequence[str],
    ) -> None:
        self.write_trees(outcomes, stream, writer, inputs)

    def write_trees(
        self,
        outcomes: Iterable[Any],
        stream: TextIO,
        writer: Writer[Any] | None,
        inputs: Sequence[str],
    ) -> set[str]:
        """Write trees, and return the special tokens that a legend explains.

        Args:
            outcomes: as for ``write``, like the others.
            stream: for the output.
            writer: of the entries.
            inputs: the files.
        """
        writer = writer or format_of(*inputs).writer()
        return decoded_files.write(
            outcomes, self.form, writer, stream, label=self.decoder.label,
            title=", ".join(map(display_name, inputs)),
        )  # fmt: skip


def _not_compared(outcomes: Sequence[Any]) -> NoReturn:
    raise UsageError("trees are not compared with others; leave out --gold")
