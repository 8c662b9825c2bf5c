"""Cases by seed and number: the damage, the commands to run, and the checks for failures."""

from __future__ import annotations

import gzip
import io
import json
import re
import shutil
import time
import warnings
from collections.abc import Callable, Iterable, Sequence
from contextlib import chdir
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from fuzzing import conllu, folders, json_values, options
from fuzzing import material as sound_inputs
from fuzzing.brackets import converting
from fuzzing.commands import Finished, Hang, alarm, described, run
from fuzzing.material import Material
from semipunct.corpus import Sentence, Treebank
from semipunct.corpus.parallel import as_written
from semipunct.corpus.statistics import statistics
from semipunct.errors import SemipunctError, UsageError
from semipunct.files import output
from semipunct.formats import Annotation, format_of, read_entries
from semipunct.formats.conllu.records import format_record, read_records, write_texts
from semipunct.models.scoring import Batches
from semipunct.store.checkpoint import load, load_state
from semipunct.training.run import take_up
from semipunct.wording import quantity

LIMIT = 10.0
"""Time limit of a case in seconds."""

OF_TREES = ("punctuation", "slot-tagger", "correction", "ordering")
"""Kinds of models for sentences with dependency trees."""

USED = 0.03
"""Fraction of the damaged but loadable models that are also used for computation."""

DONE, BAD_INPUT, WRONG_USAGE = "done", "bad input", "wrong usage"
OUTCOMES = (DONE, BAD_INPUT, WRONG_USAGE)

_LEFT_OVER = re.compile(r"\.part$|\.new-|\.old$")
_UNCLEAR = re.compile(r"Traceback|object at 0x|<class '|<function |\bself\.")


class Broken(Exception):
    """A violated guarantee, which the message describes."""


@dataclass(frozen=True, slots=True)
class Report:
    """The result of a case.

    Attributes:
        number: number of the case.
        kind: kind of the case.
        seconds: wall-clock time.
        told: a log of what was done.
        outcome: one of ``OUTCOMES``; empty for a failure.
        failure: empty, or a description of the failure, which is equal for failures of one cause.
    """

    number: int
    kind: str
    seconds: float
    told: str
    outcome: str
    failure: str = ""


@dataclass(slots=True)
class Case:
    """A running case.

    Attributes:
        random: random number generator for all its choices.
        material: the valid inputs.
        folder: a separate folder, initially empty.
        told: a log of what was done so far.
        targets: files that it may write, with their content before, or None if they did not exist.
    """

    random: Random
    material: Material
    folder: Path
    told: list[str] = field(default_factory=list[str])
    targets: dict[Path, bytes | None] = field(default_factory=dict[Path, bytes | None])

    def target(self, name: str) -> Path:
        """Return the path of a file to be written, which may exist already."""
        path = self.folder / name
        if self.random.random() < 0.3:
            path.write_bytes(b"mine\n")
        self.targets[path] = path.read_bytes() if path.exists() else None
        return path

    def command(self, *arguments: object, stdin: bytes = b"") -> str:
        """Run a command, and check the guarantees that hold for all commands.

        Args:
            *arguments: arguments of the command.
            stdin: content of standard input.

        Returns:
            The outcome.

        Raises:
            Broken: if a guarantee is violated.
        """
        texts = [str(argument) for argument in arguments]
        folder, parent = str(self.folder), str(self.folder.parent)
        shown = (text.replace(folder, ".").replace(parent, "..") for text in texts)
        self.told.append(" ".join(text[:80] for text in shown))
        finished = run(texts, stdin)
        self._check(finished, texts)
        return OUTCOMES[finished.status]

    def _check(self, finished: Finished, arguments: Sequence[str]) -> None:
        if finished.fault:
            raise Broken(finished.fault)
        if finished.status not in (0, 1, 2):
            raise Broken(f"exit status {finished.status}")
        if finished.status:
            messages = [t for t in finished.err.split("\n") if t.startswith("error: ")]
            usage = finished.status == 2 and "rror" in finished.err
            if not usage and (not messages or len(messages[0]) < len("error: ") + 8):
                raise Broken(f"exit status {finished.status} without a message")
        if unclear := _UNCLEAR.search(finished.err):
            raise Broken(f"a message that says {unclear.group()!r}")
        shown = {"--help", "-h", "--version"}.isdisjoint(arguments)
        if finished.status == 0 and "--json" in arguments and finished.out and shown:
            _strict_json(finished.out, "standard output")
        self.check_targets(finished.status == 0)

    def check_targets(self, succeeded: bool) -> None:
        """Check that target files are either complete or unchanged.

        Args:
            succeeded: whether the command reported success.

        Raises:
            Broken: if a file is neither.
        """
        for path, before in self.targets.items():
            content = path.read_bytes() if path.is_file() else None
            if not succeeded and content != before:
                raise Broken("a failure that has changed its target")
            if content is not None and content != before:
                _whole(path, content)

    def check_left_overs(self) -> None:
        """Check that no temporary file is left.

        Raises:
            Broken: if there is one.
        """
        for path in self.folder.rglob("*"):
            if _LEFT_OVER.search(path.name):
                raise Broken(f"a temporary file is left: {path.name}")


def _whole(path: Path, content: bytes) -> None:
    if path.suffix == ".gz":
        try:
            content = gzip.decompress(content)
        except (OSError, EOFError) as error:
            raise Broken(f"a file that is no gzip: {error}") from error
    if ".json" in path.suffixes:
        for line in content.splitlines() if content.count(b"\n{") else [content]:
            _strict_json(line, "a file")
    if ".conllu" in path.suffixes:
        try:
            for _ in read_entries([path]):
                pass
        except SemipunctError as error:
            raise Broken(f"what was written cannot be read: {error}") from error


def _strict_json(content: bytes, where: str) -> None:
    try:
        json.loads(content, parse_constant=lambda _: 1 / 0)
    except (ValueError, ZeroDivisionError) as error:
        raise Broken(f"{where} is no JSON: {error}") from error


def _drawn(seed: int, number: int) -> tuple[Random, str]:
    random = Random(f"{seed} {number}")
    (kind,) = random.choices(tuple(KINDS), [weight for weight, _ in KINDS.values()])
    return random, kind


def kind_of(seed: int, number: int) -> str:
    """Return the kind of a case.

    Args:
        seed: seed of all cases.
        number: number of the case.
    """
    return _drawn(seed, number)[1]


def attempt(
    seed: int, number: int, material: Material, folder: Path, *, keep: bool = False
) -> Report:
    """Run one case.

    Args:
        seed: seed of all cases.
        number: number of the case.
        material: the valid inputs.
        folder: folder for its files, which is created anew.
        keep: whether to keep the folder.
    """
    random, kind = _drawn(seed, number)
    began = time.monotonic()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    case = Case(random, material, folder)
    outcome, failure = "", ""
    try:
        # Warnings count as failures, because they show users a line of source code.
        with alarm(LIMIT), warnings.catch_warnings(), chdir(folder):
            warnings.simplefilter("error")
            outcome = KINDS[kind][1](case)
            case.check_left_overs()
    except Broken as broken:
        failure = str(broken)
    except Hang as hang:
        failure = f"nothing within {LIMIT:.0f} s: {described(hang)}"
    except Exception as error:  # noqa: BLE001 - any other exception is a failure
        failure = described(error)
    if not keep:
        shutil.rmtree(folder, ignore_errors=True)
    seconds = time.monotonic() - began
    failure, notes = (
        text.replace(str(folder), ".")
        .replace(str(folder.parent), "..")
        .encode(errors="backslashreplace")
        .decode()
        for text in (failure, "; ".join(case.told))
    )
    return Report(number, kind, seconds, notes, "" if failure else outcome, failure)


def _text(case: Case, most: int = 4) -> tuple[Path, bytes]:
    """Write a damaged treebank."""
    random = case.random
    sentences = random.choices(case.material.sentences, k=random.choice((1, 1, 2, 3)))
    note, content = conllu.mutated(random, "".join(sentences), most)
    name = random.choice(("in.conllu", "in.conllu", "in.conllu", "in.txt", "in", "in\udcff.json"))
    if random.random() < 0.08 and content:
        packing = random.choice(tuple(conllu.PACKED))
        note, content = f"{note}, {packing}", conllu.PACKED[packing](random, content)
        name += random.choice((".gz", ".gz", ".gz", ""))
    path = case.folder / name
    path.write_bytes(content)
    case.told.append(note)
    return path, content


def _large(case: Case) -> tuple[Path, bytes]:
    """Write a treebank of one sentence of hundreds or thousands of words."""
    random = case.random
    shape = random.choice((conllu.chain, conllu.flat, conllu.crossing))
    words = random.choice((100, 300, 1000))
    content = shape(random, words).encode()
    if random.random() < 0.3:
        content = content.replace(b"w\tw", b"w" * random.choice((10**3, 10**5)) + b"\tw", 1)
    case.told.append(f"{quantity(words, 'word')}, {shape.__name__}")
    path = case.folder / "in.conllu"
    path.write_bytes(content)
    return path, content


def reading(case: Case) -> str:
    """Read a damaged treebank, write it back byte for byte, encode it, annotate and punctuate it.

    Args:
        case: the case to run.
    """
    path, content = _large(case) if case.random.random() < 0.02 else _text(case)
    if case.random.random() < 0.02:
        return _without_trees(path)
    try:
        entries = list(read_entries([path]))
    except SemipunctError as error:
        return _clear(error, path)
    writer = format_of(path).writer(entries)
    _check_given_back((writer.source_text(e) for e in entries), content)
    statistics(entries)
    treebank = Treebank.of(entries)
    written = [as_written(sentence) for sentence in treebank.sentences]
    for kind in OF_TREES:
        model = case.material.models[kind].model
        model.unseen(treebank.sentences)
        if treebank.sentences:
            model.encode(written if kind == "correction" else treebank.sentences)
    random = case.random
    texts: list[str] = []
    words: list[tuple[str, ...]] = []
    for entry in entries:
        if not isinstance(entry.content, Sentence):
            texts.append(writer.source_text(entry))
            continue
        slots = [_slot(random, slot) for slot in entry.content.slots]
        attributes = {1: {"SemipunctLeft": random.choice(conllu.FORMS)}}
        note = random.choice(("x", "a b", "é", ""))
        writer.annotate(entry, Annotation(attributes, {"semipunct_note": note}))
        try:
            writer.text(entry, slots)
            texts.append(writer.punctuate(entry, slots))
        except UsageError:
            texts.append(writer.source_text(entry))
        words.append(entry.content.forms)
    target = case.target("out.conllu")
    with output(str(target)) as stream:
        writer.write(texts, stream)
    case.check_targets(True)
    return DONE


def _slot(random: Random, slot: tuple[str, ...]) -> tuple[str, ...]:
    choice = random.random()
    if choice < 0.5:
        return slot
    return tuple(random.choices((",", ".", "“", "”", "(", "?", *conllu.FORMS), k=int(4 * choice)))


def _check_given_back(texts: Iterable[str], content: bytes) -> None:
    stream = io.StringIO(newline="")
    write_texts(texts, stream)
    # Files are recognised as gzip by their first bytes, regardless of their names.
    plain = gzip.decompress(content) if content.startswith(b"\x1f\x8b") else content
    if stream.getvalue().encode() != plain:
        raise Broken("what was read is not given back byte for byte")


def _without_trees(path: Path) -> str:
    try:
        for record in read_records(path, trees=False):
            format_record(record)
    except SemipunctError as error:
        return _clear(error, path)
    return DONE


def _clear(error: SemipunctError, path: Path) -> str:
    text = str(error)
    if path.name not in text or len(text) < len(str(path)) + 10:
        raise Broken(f"a message that names no file: {text[:80]}")
    if unclear := _UNCLEAR.search(text):
        raise Broken(f"a message that says {unclear.group()!r}")
    return WRONG_USAGE if isinstance(error, UsageError) else BAD_INPUT


def counting(case: Case) -> str:
    """Run ``stats`` on a damaged treebank.

    Args:
        case: the case to run.
    """
    path, content = _large(case) if case.random.random() < 0.05 else _text(case)
    json_wanted = ["--json"] if case.random.random() < 0.8 else []
    if case.random.random() < 0.2:
        return case.command("stats", "-", *json_wanted, stdin=content)
    more = [case.material.treebank] if case.random.random() < 0.2 else []
    return case.command("stats", path, *more, *json_wanted)


def using(case: Case) -> str:
    """Apply a model to a damaged treebank.

    Args:
        case: the case to run.
    """
    path, content = _text(case)
    if not _fits(path):
        return case.command("stats", path, "--json")
    random = case.random
    folder = case.material.paths["punctuation"]
    stdin = random.random() < 0.1
    source = "-" if stdin else path
    target = None if random.random() < 0.5 else case.target(random.choice(_OUTPUTS))
    ending = target.name if target else ""
    to = ["-o", target] if target else []
    command = random.choice(
        ("evaluate", "decode", "decode", "restore", "restore", "analyse", "correct", "rephrase")
    )
    match command:
        case "correct":
            folder = case.material.paths["correction"]
            form = random.choice(("text", "conllu", "json", "diff", "m2"))
            form = "json" if ".json" in ending else "conllu" if ".conllu" in ending else form
            extra = [*to, "--format", form, "--samples", "3"]
        case "rephrase":
            to = [] if ".json" in ending else to
            form = "conllu" if ".conllu" in ending else random.choice(("conllu", "text"))
            change = random.choice((["--delete", "det"], ["--move", "advmod=first"]))
            extra = [*to, "--format", form, *change]
        case "decode":
            form = "json" if ".json" in ending else random.choice(("conllu", "brackets", "json"))
            form = "conllu" if ".conllu" in ending else form
            extra = [*to, "--format", form]
        case "restore":
            form = "json" if ".json" in ending else random.choice(("conllu", "text", "json"))
            form = "conllu" if ".conllu" in ending else form
            keep = random.choice(("replace", "repair", "keep"))
            extra = [*to, "--format", form, "--keep", keep, "--samples", "3"]
            if random.random() < 0.3:
                extra += ["--gold", "--json"]
        case "evaluate":
            extra = ["--json"]
        case _:
            extra = ["--json"]
    return case.command(command, folder, source, *extra, stdin=content if stdin else b"")


def _fits(path: Path) -> bool:
    """Tell whether a file is no valid treebank or fits into the compiled shape."""
    try:
        sentences = Treebank.of(read_entries([path])).sentences
    except SemipunctError:
        return True
    return all(len(s.forms) <= 40 and max(map(len, s.slots)) <= 3 for s in sentences)


_OUTPUTS = ("out.conllu", "out.conllu", "out.conllu.gz", "out.json", "out.txt")


def loading(case: Case) -> str:
    """Damage a model folder, and use the model.

    Args:
        case: the case to run.
    """
    random = case.random
    kind = "punctuation" if random.random() < 0.4 else random.choice(OTHERS)
    files = dict(case.material.folders[kind])
    case.told.append(f"{kind}: {folders.damaged(random, files)}")
    path = case.folder / random.choice(("model", "model", "model", "m é", "m\nx", "m\udcff"))
    case.told.append(folders.written(random, files, path))
    choice = random.random()
    sound = case.material.files[kind]
    if choice < 0.6:
        try:
            saved = load(path)
        except SemipunctError as error:
            return _clear(error, path)
        saved.as_dict()
        repr(saved)
        examples = case.material.examples[kind][:3]
        try:
            for _ in Batches(saved.model, saved.model.encode(examples)):
                pass
        except SemipunctError as error:
            return _clear(error, path)
        # A model that loads must be usable. This is rarely checked, because it compiles.
        if random.random() < USED and kind in ("punctuation", "slot-tagger"):
            return case.command("evaluate", path, case.material.treebank, "--json")
        return DONE
    if choice < 0.8:
        corrected = ("--corrected", sound, "--dev-corrected", sound)
        return case.command(
            "train", sound, "--dev", sound, "-o", path, "--resume", *_settings(kind),
            *(corrected if kind == "correction" else ()),
        )  # fmt: skip
    missing, out = case.folder / f"missing{sound.suffix}", case.target(f"out{sound.suffix}")
    command = random.choice(("evaluate", *COMMANDS_OF[kind]))
    if kind == "ordering":
        used = case.material.paths["punctuation"]
        return case.command("rephrase", used, missing, "--permute", path, "-o", out)
    return case.command(command, path, missing, *(["-o", out] if command != "evaluate" else []))


OTHERS = tuple(kind for kind in sound_inputs.KINDS if kind != "punctuation")
"""Kinds of models to damage, other than the punctuation model."""

COMMANDS_OF: dict[str, tuple[str, ...]] = {
    "punctuation": ("decode", "restore"),
    "slot-tagger": ("decode", "restore"),
    "correction": ("correct",),
    "ordering": ("rephrase",),
    "commas": ("restore",),
    "phrase-commas": ("restore",),
    "phrase-parser": ("parse",),
    "ccg-parser": ("parse",),
}
"""Commands that each kind of model supports."""


def _settings(kind: str) -> list[str]:
    return ["--kind", kind, *(text for s in sound_inputs.KINDS[kind] for text in ("--set", s))]


def resuming(case: Case) -> str:
    """Damage the state of a training run, and resume it.

    Args:
        case: the case to run.
    """
    files = dict(case.material.states)
    case.told.append(folders.damaged(case.random, files))
    path = case.folder / "model"
    case.told.append(folders.written(case.random, files, path))
    try:
        saved = load(path)
        state = load_state(path)
        if state is not None and saved.model.kind == "punctuation":
            take_up(saved, state, case.material.fresh, case.material.sources)
    except SemipunctError as error:
        return _clear(error, path)
    return DONE


def comparing(case: Case) -> str:
    """Damage a stored result, and compare it with a valid one.

    Args:
        case: the case to run.
    """
    random = case.random
    task = random.choice(tuple(case.material.results))
    sound = case.folder / "a.json"
    sound.write_bytes(case.material.results[task])
    content = case.material.results[task]
    notes: list[str] = []
    for _ in range(random.choice((1, 1, 2))):
        try:
            note, content = json_values.mutated(random, content)
        except (ValueError, RecursionError):
            break
        notes.append(note)
    if random.random() < 0.1:
        way = random.choice(tuple(conllu.BYTES))
        content = conllu.BYTES[way](random, content or b"x")
        notes.append(way)
    case.told.append(", ".join(notes))
    path = case.folder / "b.json"
    path.write_bytes(content)
    stdin = random.random() < 0.1
    return case.command(
        "compare", sound, "-" if stdin else path, "--resamples", 5, "--json",
        stdin=content if stdin else b"",
    )  # fmt: skip


def calling(case: Case) -> str:
    """Run a command with unusual options.

    Args:
        case: the case to run.
    """
    random, material = case.random, case.material
    config = case.folder / "config.toml"
    config.write_text(random.choice(options.TOML), "utf-8")
    result_file = case.folder / "result.json"
    result_file.write_bytes(random.choice(tuple(material.results.values())))
    foreign = case.folder / "other"
    foreign.mkdir()
    (foreign / "mine").touch()
    treebank = case.folder / "treebank.conllu"
    shutil.copy(material.treebank, treebank)
    files = {
        "model": material.paths["punctuation" if random.random() < 0.7 else random.choice(OTHERS)],
        "treebank": treebank,
        "config": config,
        "result": result_file,
        "not ours": foreign,
        "missing": case.folder / "missing.conllu",
    }
    line = options.command_line(random, {name: str(path) for name, path in files.items()})
    line = [_placed(text, case.folder) for text in line]
    return case.command(*line, stdin=material.treebank.read_bytes())


def _placed(text: str, folder: Path) -> str:
    """Move a file to be written into the folder of the case."""
    name, equals, value = text.rpartition("=")
    if value in options.OUTPUTS and value not in ("-", "", ".", "/", "-o", "~"):
        value = value if value.startswith("/") else f"{folder}/{value}"
    return name + equals + value


KINDS: dict[str, tuple[float, Callable[[Case], str]]] = {
    "treebank read": (0.34, reading),
    "treebank counted": (0.13, counting),
    "treebank used": (0.03, using),
    "model folder": (0.20, loading),
    "brackets": (0.06, converting),
    "state of training": (0.06, resuming),
    "stored result": (0.08, comparing),
    "command line": (0.10, calling),
}
"""Kinds of cases, with their proportion and the function that runs them."""
