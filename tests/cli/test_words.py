"""Words and symbols in help texts and in output."""

import io
import json
import re
import shlex
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from semipunct.cli import console
from semipunct.cli.progress import evaluation_line, sentence_progress
from semipunct.formats.conllu.misc import escape, unescape
from semipunct.marks import OPEN
from semipunct.marks.tokens import MEANINGS, SYMBOLS
from semipunct.models.kind import SharedTrainOptions
from semipunct.models.running_text.options import KIND as TEXT
from semipunct.papers.analysis.agreement import Channel, confidence, recall
from semipunct.papers.analysis.command import print_tables
from semipunct.papers.analysis.task import PairShare, PunctuationGrammar, RelationRow
from semipunct.training.report import Progress
from tests.commands import Cli, run
from tests.test_docs import COMMANDS

ROOT = Path(__file__).resolve().parents[2]
ENGLISH = 12_467
"""The number of sentences of UD English 1.4 that are suitable for training."""

NAMES = re.compile(r"<(abbr|open|unk|start)>")

ODD = (
    "# sent_id = odd\n"
    "1\tBees\tbee\tNOUN\tNNS\t_\t3\tnsubj\t_\t_\n"
    "2\tetc.\tetc.\tX\tFW\t_\t1\tconj\t_\t_\n"
    "3\tfly\tfly\tVERB\tVBP\t_\t0\troot\t_\t_\n"
    "4\t<unk>\t<unk>\tPUNCT\t:\t_\t3\tpunct\t_\t_\n"
    "5\t‖\t‖\tPUNCT\t:\t_\t3\tpunct\t_\t_\n"
    "6\twell\twell\tADV\tRB\t_\t3\tadvmod\t_\t_\n"
    "7\t.\t.\tPUNCT\t.\t_\t3\tpunct\t_\t_\n\n"
)
"""A sentence with an abbreviation dot, a mark spelt like a special token, and a rare mark."""


@pytest.fixture(scope="module")
def odd(treebanks: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of sentences that include the unusual one."""
    path = tmp_path_factory.mktemp("odd") / "odd.conllu"
    some = treebanks["test"].read_text("utf-8").split("\n\n")[:6]
    path.write_text("\n\n".join(some) + "\n\n" + ODD, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "command, options, expected",
    [
        ("stats", (), {"<abbr>", "<unk>"}),
        ("decode", ("--format", "brackets"), {"^", "<abbr>", "<open>"}),
        ("analyse", (), {"<abbr>"}),
        ("restore", ("--samples", 20, "--format", "text"), set[str]()),
        ("restore", ("--samples", 20, "--format", "text", "--keep", "keep"), set[str]()),
        (
            "restore",
            ("--samples", 20, "--gold", "--confusions", 99),
            {"<abbr>", "<unk>"},
        ),
    ],
    ids=["stats", "decode", "analyse", "text", "kept", "gold"],
)
def test_special_tokens_are_no_text_for_readers(
    cli: Cli, model: Path, odd: Path, command: str, options: tuple[object, ...], expected: set[str]
):
    """Each is displayed as a symbol, which is explained below the output."""
    # Without a treebank, the table has the bigrams of the paper, regardless of training.
    arguments = {"stats": [odd], "analyse": [model]}.get(command, [model, odd])
    result = cli(command, *arguments, *options)
    assert result.status == 0, result.err
    told = result.out + result.err
    # Text is returned as it is, even if it is spelt like a special token.
    text = " fly <unk>" if "keep" in options else ""
    assert not NAMES.search(told.replace(text, ""))
    assert text in told
    for token in expected:
        assert f"{SYMBOLS[token]} {MEANINGS[token]}" in told
        assert told.count(SYMBOLS[token]) > 1


def test_pairs_of_relations_are_shown_with_symbols(capsys: pytest.CaptureFixture[str]):
    pairs = (PairShare((), (OPEN,), 0.5, symmetric=False),)
    row = RelationRow("appos", 25, 0.25, 0.5, pairs)
    channel = Channel((".",), np.ones((4, 1, 1)))
    none = recall(channel, [])
    grammar = PunctuationGrammar(
        channel, None, (), confidence(channel, []), None, none, none, none, (row,), None
    )
    print_tables(grammar)
    out = capsys.readouterr().out
    assert "50.0%  ε · ◌" in out
    assert f"◌ {MEANINGS[OPEN]}" in out
    assert "entropy (nats)" in out


class Terminal(io.TextIOWrapper):
    """A stream that reports to be a terminal."""

    def isatty(self) -> bool:
        return True


def shown_on_a_terminal(monkeypatch: pytest.MonkeyPatch, *, quiet: bool, data: bool) -> str:
    """Return the terminal output for the progress of three sentences; ``data`` go to it too."""
    streams = [Terminal(io.BytesIO(), "utf-8", write_through=True) for _ in range(2)]
    monkeypatch.setattr(sys, "stderr", streams[0])
    monkeypatch.setattr(sys, "stdout", streams[data])
    monkeypatch.setenv("TERM", "xterm")
    with sentence_progress("decoding", "-" if data else "file", quiet=quiet) as counted:
        assert list(counted("abc")) == ["a", "b", "c"]
    return streams[0].buffer.getvalue().decode()  # type: ignore[attr-defined]


def test_text_is_read_in_words():
    read = Progress("saving", 100, 400, figure=1.25, best=1.25, seconds=10.0, size=192.0)
    plain = evaluation_line(read)
    assert plain.endswith("100 of 400 visits,    10 s: dev perplexity 1.2500 (best so far)")
    told = evaluation_line(replace(read, counted="words"))
    assert told == f"{plain}, 1,920 words a second, 57,600 left"
    assert TEXT.counted == "words"


def test_progress_is_shown_on_a_terminal(monkeypatch: pytest.MonkeyPatch):
    assert "sentences: 3" in shown_on_a_terminal(monkeypatch, quiet=False, data=False)


@pytest.mark.parametrize("quiet, data", [(True, False), (False, True)])
def test_progress_is_not_shown(monkeypatch: pytest.MonkeyPatch, quiet: bool, data: bool):
    """It is hidden on request, and if data lines are printed to the same terminal."""
    assert shown_on_a_terminal(monkeypatch, quiet=quiet, data=data) == ""


def test_data_do_not_pass_through_the_count(
    monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
):
    """Data are written unchanged to standard output while a terminal shows the progress."""
    screen = Terminal(io.BytesIO(), "utf-8", write_through=True)
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    with sentence_progress("decoding", "-") as counted, console.output("-") as stream:
        for item in counted("ab"):
            stream.write(item + "\n")
            sys.stdout.write("c\n")
            sys.stdout.flush()
    out = capsysbinary.readouterr().out
    assert sorted(out.split()) == [b"a", b"b", b"c", b"c"]


@pytest.mark.parametrize("command", ["decode", "restore"])
def test_commands_count_their_sentences(
    cli: Cli, model: Path, odd: Path, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    counted: list[object] = []

    @contextmanager
    def progress(title: str, output: str | None = None, *, quiet: bool = False):
        def count(items: Iterable[object]) -> Iterator[object]:
            for item in items:
                counted.append((title, output, quiet))
                yield item

        yield count

    monkeypatch.setattr("semipunct.cli.progress.sentence_progress", progress)
    out = str(tmp_path / "out.conllu")
    options = ("--samples", 20) if command == "restore" else ()
    assert cli(command, model, odd, "-o", out, "-q", *options).status == 0
    assert counted == [({"decode": "decoding", "restore": "restoring"}[command], out, True)] * 7


EXPLAINED = {
    "puncteme": r"strings? of marks",
    "slot": r"\bplace\b",
    "channel": r"rewrit",
    "visit": r"(one|a) (training )?sentence",
}
"""Technical terms of the project, with a pattern of their explanation at the first occurrence."""


@pytest.mark.parametrize("text", [*(f"semipunct {name}".strip() for name in COMMANDS), "README.md"])
def test_words_are_explained_where_they_are_met_first(text: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("COLUMNS", "200")
    if text == "README.md":
        # Names of options and folders are not words of the text.
        content = re.sub(r"(?ms)^```.*?^```", "", (ROOT / text).read_text("utf-8"))
        content = re.sub(r"`[^`]*`|\]\([^)]*\)", "", content)
    else:
        content = re.sub(r"--\w+|slot-tagger", "", run(*text.split()[1:], "--help").out)
    content = re.sub(r"[\s│]+", " ", content)
    for word, explanation in EXPLAINED.items():
        if met := re.search(rf"\b{word}", content):
            near = content[max(0, met.start() - 130) : met.end() + 130]
            assert re.search(explanation, near), f"{text}: {word} in {near!r}"


@pytest.mark.parametrize("name", COMMANDS)
def test_every_help_has_an_example(name: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("COLUMNS", "200")
    shown = run(*name.split(), "--help").out
    # The oldest versions of typer join the paragraphs of an epilog.
    (line,) = re.findall(r"Example: semipunct (.*?)\s*(?:$|'-' is)", shown, re.MULTILINE)
    assert line.startswith(name)
    words = shlex.split(line)
    path, command = max(
        ((path, command) for path, command in COMMANDS.items() if line.startswith(path)),
        key=lambda pair: len(pair[0]),
    )
    # Raises if an argument is missing, or an option or its value is unknown to the command.
    given = command.make_context(path, words[len(path.split()) :], resilient_parsing=False)
    assert path == name or name in ("", "models", "semirings")
    assert given.params


def test_seconds_are_said_of_what_was_measured():
    """The training time refers to fewer visits than the default, which the text states."""
    speed = " ".join(page("speed.md").split())
    measured = json.loads((ROOT / "experiments/results/training.json").read_text("utf-8"))[
        "treebank"
    ]
    default = SharedTrainOptions().suggested_visits(ENGLISH)
    seconds = round(measured["cold"]["seconds"])
    assert default == 30_000
    assert measured["visits"] == 2 / 5 * default
    assert (
        f"A training on English with {measured['visits']:,} visits, two fifths of its default of "
        f"{default:,}, takes {seconds} seconds"
    ) in speed


def page(name: str) -> str:
    return (ROOT / "docs" / name).read_text("utf-8")


def test_the_page_of_output_has_all_symbols():
    rows = re.findall(r"(?m)^\| `(<\w+>)` \| (\S+) \| (.*) \|$", page("output.md"))
    named = {name: symbol for name, symbol, _ in rows}
    assert named == {token: SYMBOLS[token] for token in SYMBOLS if token.startswith("<")}


def test_the_page_of_output_explains_escapes():
    for char, escaped in ((" ", "%20"), ("|", "%7C"), ("=", "%3D"), ("%", "%25")):
        assert escape(char) == escaped
        assert f"`{escaped}`" in page("output.md")
    (example,) = re.findall(r"`SemipunctRight=(\S+)` is the string", page("output.md"))
    assert unescape(example) == ". ”"
    assert "%20" in page("tutorial.md")
