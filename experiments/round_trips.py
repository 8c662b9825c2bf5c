"""Comparison of the input and output of commands, character by character.

    python experiments/round_trips.py --models FOLDER --train TREEBANK... [--treebanks FILE...]
        [--texts FILE...] [--generated N] [--sentences N] [--output JSON]

Every treebank and text is restored (with each --keep, as CoNLL-U and as text), decoded, drawn,
corrected, parsed, rephrased and normalised, and its suspicious marks are annotated. Whatever is not
a mark that the command inserted, deleted or changed, or the head of a mark that is normalised, must
be byte for byte what it was, and errors of UD's validator may not be added; a second run of the
last two must change nothing. Models are trained briefly into the folder of --models, unless they
are there: the promise does not depend on their quality.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import zip_longest
from pathlib import Path
from typing import Any

# Before the import of jax: much is compiled, and little computed.
os.environ.setdefault("XLA_FLAGS", "--xla_backend_optimization_level=0")

from round_trip.commands import Command, Models, commands, run
from round_trip.generation import generated_text, generated_treebank
from round_trip.reading import split_file
from round_trip.treebanks import Difference
from round_trip.validation import new_errors, validation_errors

SHOWN = 3
"""Number of examples of each kind of difference in the result."""

VISITS = 2000


def main() -> None:
    """Run the commands, print the differences, and write the counts."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--models", type=Path, required=True, help="folder of the models")
    parser.add_argument("--train", nargs="*", type=Path, default=[], help="to train them on")
    parser.add_argument("--treebanks", nargs="*", type=Path, default=[])
    parser.add_argument("--texts", nargs="*", type=Path, default=[], help="text, also .gz")
    parser.add_argument("--generated", type=int, default=0, help="sentences to generate")
    parser.add_argument("--seed", type=int, default=0, help="of generated files")
    parser.add_argument("--sentences", type=int, default=0, help="of each file; 0 for all")
    parser.add_argument("--only", nargs="*", default=[], help="beginnings of names of commands")
    parser.add_argument("--without-validator", action="store_true")
    parser.add_argument("--work", type=Path, help="keep inputs and outputs in this folder")
    parser.add_argument("--output", type=Path, help="JSON file to write")
    arguments = parser.parse_args()
    models = trained(arguments.models, arguments.train, arguments.seed)
    work = arguments.work or Path(tempfile.mkdtemp(prefix="semipunct-round-trips-"))
    work.mkdir(parents=True, exist_ok=True)
    sources = [*inputs(arguments, work)]
    chosen = [
        c for c in commands(models) if not arguments.only or c.name.startswith((*arguments.only,))
    ]
    rows = [
        report(command, source, work, with_validator=not arguments.without_validator)
        for source in sources
        for command in chosen
        if command.is_text == (source.suffix == ".txt")
    ]
    total = Counter[str]()
    for row in rows:
        total.update(row["differences"])
        total.update({f"validator: {name}": n for name, n in row["new_errors"].items()})
    figures = {
        "sentences": arguments.sentences,
        "seed": arguments.seed,
        "total": total,
        "rows": rows,
    }
    print(f"{total.total()} differences in {len(rows)} outputs")
    for kind, number in total.most_common():
        print(f"{number:8}  {kind}")
    if arguments.output:
        text = json.dumps(figures, indent=1, ensure_ascii=False)
        arguments.output.write_text(text + "\n", "utf-8")
    if arguments.work is None:
        shutil.rmtree(work)
    raise SystemExit(bool(total))


def inputs(arguments: argparse.Namespace, work: Path) -> Iterator[Path]:
    """Write the inputs, cut to their first sentences or lines, into a folder.

    Args:
        arguments: the command line.
        work: the folder.
    """
    size = arguments.sentences or sys.maxsize
    for path in arguments.treebanks:
        blocks, gaps = split_file(_content(path))
        cut = min(len(blocks), size)
        pieces = [gaps[0], *(b + g for b, g in zip(blocks[:cut], gaps[1 : cut + 1], strict=True))]
        yield _write(work / f"{_name(path)}.conllu", "".join(pieces))
    for path in arguments.texts:
        lines = _content(path).split("\n")
        cut = lines[:size] if len(lines) > size else lines
        yield _write(work / f"{_name(path)}.txt", "\n".join(cut) + "\n" * (cut is not lines))
    if arguments.generated:
        treebank = generated_treebank(arguments.seed, arguments.generated)
        yield _write(work / "generated.conllu", treebank)
        yield _write(work / "generated-crlf.conllu", treebank.replace("\n", "\r\n"))
        yield _write(work / "generated-unended.conllu", treebank.rstrip("\n"))
        for name, end, final in (("", "\n", True), ("-crlf", "\r\n", True), ("-open", "\n", False)):
            text = generated_text(arguments.seed, arguments.generated, end=end, final=final)
            yield _write(work / f"generated{name}.txt", text)


def report(command: Command, source: Path, work: Path, *, with_validator: bool) -> dict[str, Any]:
    """Run a command on a file, and count differences and new errors.

    Args:
        command: the command.
        source: the file.
        work: folder of the output.
        with_validator: whether errors of the validator are counted.
    """
    start = time.process_time()
    slug = command.name.replace(" ", "_").replace("--", "")
    target = work / f"{source.stem}.{slug}{command.suffix}"
    failure = run(command, source, target)
    errors = Counter[str]()
    if failure:
        differences = [Difference("failure", source.name, "", failure)]
    else:
        before, after = _read(source), _read(target)
        differences = command.compare(before, after)
        if command.repeats:
            differences += _repeated(command, target, after)
        if with_validator and command.is_validated:
            errors = new_errors(validation_errors(before), validation_errors(after))
    kinds = Counter(difference.kind for difference in differences)
    seconds = time.process_time() - start
    print(
        f"{source.name} {command.name}: {sum(kinds.values())} differences {dict(kinds)}, "
        f"{sum(errors.values())} new errors {dict(errors)} ({seconds:.0f} s)",
        flush=True,
    )
    return {
        "file": source.name,
        "command": command.name,
        "differences": dict(kinds),
        "new_errors": dict(errors),
        "examples": [asdict(each) for kind in kinds for each in _first(differences, kind)],
    }


def trained(folder: Path, treebanks: Sequence[Path], seed: int) -> Models:
    """Return models, trained first if the folder lacks them.

    Args:
        folder: one folder for each model.
        treebanks: the data; generated sentences are added, so that marks of all scripts occur.
        seed: of the generated sentences.

    Raises:
        SystemExit: if a model is missing and there are no treebanks, or training fails.
    """
    folder.mkdir(parents=True, exist_ok=True)
    names = ("punctuation", "parser", "tokeniser", "correction")
    missing = [name for name in names if not (folder / name).exists()]
    if missing and not treebanks:
        raise SystemExit(f"{folder}: no {missing[0]}; give treebanks to train on by --train")
    if missing:
        data = [folder / "generated.conllu", *treebanks]
        data[0].write_text(generated_treebank(seed + 1, 300), "utf-8")
        for name in missing:
            _train(name, data, folder)
    return Models(*(folder / name for name in names))


def _train(name: str, data: Sequence[Path], folder: Path) -> None:
    sides = [[str(path) for path in data]]
    if name == "correction":
        sides = [[str(folder / "erroneous.conllu")], [str(folder / "corrected.conllu")]]
        script = Path(__file__).parent / "learner_errors.py"
        arguments_of_script = [
            "make",
            *map(str, data),
            "--source",
            sides[0][0],
            "--corrected",
            sides[1][0],
        ]
        subprocess.run([sys.executable, str(script), *arguments_of_script], check=True)
    words = ["train", *sides[0], "--kind", name, "-o", str(folder / name)]
    words += [word for path in sides[0] for word in ("--dev", path)]
    for path in sides[1] if len(sides) > 1 else ():
        words += ["--corrected", path, "--dev-corrected", path]
    words += ["--set", f"train.visits={VISITS}", "--set", f"train.evaluate_every={VISITS}"]
    if name in ("punctuation", "correction"):
        words += ["--set", "train.prune=0"]
    subprocess.run([sys.executable, "-m", "semipunct", *words], check=True)


def _repeated(command: Command, target: Path, after: str) -> list[Difference]:
    """Give a command its own output, which must not change any more."""
    again = target.with_suffix(f".again{target.suffix}")
    failure = run(command, target, again)
    if failure:
        return [Difference("failure of a second run", target.name, "", failure)]
    repeated = _read(again)
    if repeated == after:
        return []
    changed = next(
        pair
        for pair in zip_longest(after.splitlines(), repeated.splitlines())
        if pair[0] != pair[1]
    )
    return [Difference("a second run changes more", target.name, *map(str, changed))]


def _first(differences: Sequence[Difference], kind: str) -> list[Difference]:
    return [each for each in differences if each.kind == kind][:SHOWN]


def _name(path: Path) -> str:
    base = path.name.removesuffix(".gz").removesuffix(".txt").removesuffix(".conllu")
    return f"{path.parent.name}-{base}"


def _content(path: Path) -> str:
    content = path.read_bytes()
    return (gzip.decompress(content) if path.suffix == ".gz" else content).decode("utf-8")


def _read(path: Path) -> str:
    return path.read_bytes().decode("utf-8")


def _write(path: Path, content: str) -> Path:
    path.write_bytes(content.encode("utf-8"))
    return path


if __name__ == "__main__":
    main()
