"""Heads of punctuation by ``semipunct normalise``, compared with udapi's block ``ud.FixPunct``.

    python experiments/attachment.py DEV.conllu... [--output PATH]

Each file is normalised with all marks attached to the root (how much of the annotation is found),
and as it is (how much is changed). Needs the extra ``validation``.
"""

from __future__ import annotations

import argparse
import io
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.figures import report

from semipunct.formats.conllu.mark_heads import MarkedSentence, read_marked
from semipunct.treebanks.mark_attachment import normalise
from semipunct.trees.guideline import HeadChange

PUNCTUATION_TESTS = ("leaf-punct", "punct-causes-nonproj", "punct-is-nonproj")
"""The tests of UD's validator about heads of marks."""


@dataclass(frozen=True)
class Output:
    """A normalised treebank, with the seconds including and excluding input and output."""

    content: str
    seconds: float
    seconds_within: float


def ours(path: Path, *, convention: Any = None) -> Output:
    """Normalise a treebank with semipunct."""
    start = time.perf_counter()
    for _ in read_marked(path):
        pass
    reading = time.perf_counter() - start
    start = time.perf_counter()
    content = normalise(path, convention=convention).text
    seconds = time.perf_counter() - start
    return Output(content, seconds, seconds - reading)


def udapi(path: Path) -> Output:
    """Normalise a treebank with udapi."""
    # udapi has no types, and reads only named files.
    from udapi.block.ud.fixpunct import FixPunct  # pyright: ignore[reportMissingImports, reportMissingTypeStubs]
    from udapi.core.document import Document  # pyright: ignore[reportMissingImports, reportMissingTypeStubs]

    start = time.perf_counter()
    document: Any = Document(str(path))
    block: Any = FixPunct()
    begin = time.perf_counter()
    for bundle in document.bundles:
        block.process_tree(bundle.get_tree())
    within = time.perf_counter() - begin
    content: str = document.to_conllu_string()
    return Output(content, time.perf_counter() - start, within)


def with_marks_at_root(sentences: Sequence[MarkedSentence]) -> str:
    """Attach all marks of a treebank to the root."""
    texts = io.StringIO()
    for sentence in sentences:
        root = sentence.heads.index(0, 1)
        changes = [
            HeadChange(
                token, sentence.heads[token], root, "highest", "the guidelines prefer another head"
            )
            for token, is_mark in enumerate(sentence.is_mark)
            if is_mark and token != root
        ]
        texts.write(replace(sentence, changes=tuple(changes)).text)
    return texts.getvalue()


def compare(
    gold: Sequence[MarkedSentence], source: Path, program: Callable[[Path], Output]
) -> dict[str, Any]:
    """Measure a program on one file."""
    given = list(read_marked(source))
    output = program(source)
    path = source.with_suffix(".out.conllu")
    path.write_text(output.content, "utf-8")
    counts: Counter[str] = Counter()
    for annotated, before, after in zip(gold, given, read_marked(path), strict=True):
        for token in range(1, len(annotated.heads)):
            kind = "marks" if annotated.is_mark[token] else "words"
            counts[kind] += 1
            counts[f"{kind} moved"] += before.heads[token] != after.heads[token]
            counts[f"{kind} right"] += annotated.heads[token] == after.heads[token]
    return {
        "sentences": len(gold),
        "marks": counts["marks"],
        "right": round(counts["marks right"] / counts["marks"], 4),
        "moved": counts["marks moved"],
        "words moved": counts["words moved"],
        "errors": validation_errors(output.content),
        "per second": round(len(gold) / output.seconds),
        "per second without files": round(len(gold) / output.seconds_within),
    }


def measure(path: Path) -> list[dict[str, Any]]:
    """Return a row for each program and each form of a file."""
    gold = list(read_marked(path))
    rows: list[dict[str, Any]] = []
    with TemporaryDirectory() as folder:
        for form, content in (
            ("marks at the root", with_marks_at_root(gold)),
            ("as annotated", path.read_text("utf-8")),
        ):
            source = Path(folder, f"{len(rows)}.conllu")
            source.write_text(content, "utf-8")
            before = validation_errors(content)
            for name, program in (("semipunct", ours), ("udapi", udapi)):
                row = {
                    "file": "/".join(path.parts[-2:]),
                    "form": form,
                    "program": name,
                    "errors before": before,
                    **compare(gold, source, program),
                }
                rows.append(row)
    return rows


def validation_errors(content: str) -> dict[str, int]:
    """Count errors about heads of marks, by test; language-specific tests do not run."""
    from udtools.validator import Validator  # pyright: ignore[reportMissingImports]

    validator: Any = Validator(lang="ud", level=3, output=None)
    state = validator.validate_file_handle(io.StringIO(content, newline=None))
    errors = Counter(incident.testid for incident in state.error_tracker if incident.is_error())
    return {test: errors[test] for test in PUNCTUATION_TESTS}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    rows: list[dict[str, Any]] = []
    for path in options.files:
        for row in measure(path):
            print(row, flush=True)
            rows.append(row)
    report("ud-1.4", {"rows": rows}, options.output)


if __name__ == "__main__":
    main()
