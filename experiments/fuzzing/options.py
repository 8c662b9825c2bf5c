"""Command lines with every option of every command, with sensible and other values."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

INTEGERS = (
    "-1", "0", "1", "2", "3", "", " 1", "1.5", "1e3", "0x10", "1_0", "+1", "١", "x", "nan",
    "2147483648", "9223372036854775808", "18446744073709551616", "1" * 40, "-" + "9" * 40,
)  # fmt: skip
"""Texts for integers that cost no time even if large, such as seeds."""

WRONG_COUNTS = (
    "-1",
    "0",
    "",
    "1.5",
    "1e3",
    "0x10",
    "x",
    "-99999999999",
    "--seed",
    "1000000000",
    "9" * 30,
)
"""Texts that are no valid number of analyses."""

COUNTS = (
    "-1",
    "0",
    "1",
    "2",
    "3",
    "5",
    "",
    "1.5",
    "1e3",
    "0x10",
    "1_0",
    "x",
    "-99999999999",
    "1000000000",
    "9" * 30,
)
"""Texts for integers that cost time; none is large."""

FRACTIONS = (
    "-1", "0", "0.5", "1", "1.5", "nan", "inf", "-inf", "1e-400", "1e400", "-0.0", "0,5", "", "x",
    "1e-300", "0.1", "0.999999",
)  # fmt: skip
"""Texts for fractions."""

TEXTS = (
    "", " ", "_", "x", "é", "\udcff", "a\nb", "\t", "%s", "{}", "[red]x[/red]", "\x1b[31m", "'",
    "--", "x" * 300, "x" * 5000, "None", "💥", "../..", "$HOME", "\\",
)  # fmt: skip
"""Texts for names."""

MARKS = (", . ?", ",", ".", "", " ", ", ,", "x", "é", "<unk>", "<abbr>", "<open>", "“ ”", "\udcff")
"""Texts for lists of marks."""

SETTINGS = (
    "preset", "model.channel", "model.passes", "model.tied", "model.templates",
    "model.minimum_token_count", "model.hard_sets",
    "model.hidden", "train.visits", "train.batch_size", "train.learning_rate", "train.schedule",
    "train.l2", "train.seed", "train.dropout", "train.xi", "train.patience", "model", "train", "x",
    "", "model.", ".x", "train.seed.x", "[train]", '"model.tied"', "MODEL.TIED", "model.tiedd",
)  # fmt: skip
"""Keys of settings."""

VALUES = (
    "", "0", "1", "-1", "2", "x", "true", "false", "nan", "inf", "1e400", "1e-400", "9" * 30, "[]",
    "[1]", '["N"]', "{}", "{a=1}", "'x'", '"x"', "none", "l2r", "r2l", "N", "N,W", "c,history",
    "loglinear", "paper", "crf", "cosine", "2020-01-01", "0x10", "1_000", "\n", "=", "#",
    "[" * 500, "a.b=c", "é", "\udcff", '"""', "0.5", "1.5", "10000000000",
    "1" * 5000, "1" * 400,
)  # fmt: skip
"""Values of settings."""

TOML = (
    "", "preset = 'paper'\n", "preset = 3\n", "[train]\nseed = 1\n", "[train]\nseed = 'x'\n",
    "[model]\nchannel = 'none'\n", "[model]\npasses = 1.0\n", "[x]\ny = 1\n", "train = 3\n",
    "[[train]]\nseed = 1\n", "[train]\nseed = 1\nseed = 2\n", "[train", "\x00", "a = " + "[" * 999,
    "[train]\nlearning_rate = nan\n", "[train]\nlearning_rate = 10\n", "model.tied = false\n",
    "[model]\ntemplates = ['N', 3]\n", "[model]\ntemplates = 'N'\n", "\ufeff[train]\nseed=1\n",
    "[train]\nvisits = 99999999999999999999999\n", "[train]\nseed = 2020-01-01\n", "'' = 1\n",
    "[model.tied]\nx = 1\n", "[train]\n'a\\nb' = 1\n", "[train]\nseed = 0x7fffffffffffffff\n",
    "[train]\nseed = " + "1" * 5000 + "\n", "a = " + "{b=" * 999,
)  # fmt: skip
"""Files of settings."""

CHOICES: dict[str, tuple[str, ...]] = {
    "semiring": ("viterbi", "viterbi", "viterbi", "log", "real", "vitrbi"),
    "shard": ("1/1", "1/2", "2/2", "3/2", "0/1", "1", "x/y", "1/" + "9" * 5000, "²/2"),
    # An engine that is started takes longer than a case may.
    "engine": ("spark", "Dask", ""),
    "scheduler": ("", "foo://x", "127.0.0.1", "tcp://127.0.0.1:1", "tcp://127.0.0.1:99999", "💥"),
    "decoded": ("conllu", "brackets", "json", "svg", "html"),
    "restored": ("conllu", "text", "json"),
    "decoder": ("risk", "best"),
    "rephrased": ("conllu", "text"),
    "surface": ("drawn", "best"),
    "corrected": ("text", "conllu", "json", "diff", "m2", "explain"),
    "explained": ("text", "json", "html"),
    "task": ("restore", "correct"),
    "aligned": ("words", "trees", "shared"),
    "chosen": ("errors", "slots", "draws"),
    "grammar": ("ccg", "ccg", "hpsg"),
    "rule of attachment": ("conjunct", "unit", "highest", "pair", "units"),
    "convention": ("unit", "governor", "root"),
    "messages": ("plain", "ud", "xml"),
    # Names of machines that are looked up nowhere.
    "host": ("127.0.0.1", "127.0.0.1", "", "a..b", "a\nb", "x" * 300, "\udcff"),
    "suspected": ("text", "tsv", "json", "conllu", "html"),
    "comma rule": ("paper", "better", "worse"),
    "relation": ("acl", "appos", "root", "acl:relcl", "x"),
    "moved": ("advmod=first", "nsubj=last", "root=after", "obj=up", "=first", "obj"),
    "minimise": ("slots", "draws"),
    "keep": ("replace", "repair", "keep"),
    "lines": ("none", "paragraph", "sentence"),
    "objective": ("f1", "edits"),
    "channel": ("none", "l2r", "r2l"),
    "kind": (
        "punctuation",
        "correction",
        "slot-tagger",
        "parser",
        "tokeniser",
        "ordering",
        "ccg-parser",
        "tagger",
        "Punctuation",
    ),
}
"""Permitted values of options."""

OUTPUTS = (
    "-", "out", "out.conllu", "out.json", "out.gz", "out.conllu.gz", "nowhere/out", "", ".", "/",
    "/dev/null", "/dev/full", "out\udcff", "a\nb", " ", "x" * 300, "-o", "treebank.conllu",
    "model/config.json", "out/", "~", "out.svg",
)  # fmt: skip
"""Names of files to write, in the folder of the case or elsewhere."""


@dataclass(frozen=True, slots=True)
class Command:
    """A command.

    Attributes:
        words: name of the command.
        inputs: kinds of its arguments; the last one is repeatable.
        options: kind of value of each option, by option name; empty for a flag.
        least: minimum number of arguments.
    """

    words: tuple[str, ...]
    inputs: tuple[str, ...]
    options: dict[str, str]
    least: int = 1


COMMANDS = (
    Command(("stats",), ("treebank",), {"--json": "", "--omitted": "", "--html": "output"}),
    Command(("evaluate",), ("model", "treebank"), {"--json": "", "--result": "output"}, 2),
    Command(
        ("decode",),
        ("model", "treebank"),
        {
            "--output": "output", "--semiring": "semiring", "--samples": "one",
            "--nbest": "one", "--seed": "integer", "--format": "decoded", "--quiet": "",
            "--parts": "output", "--shard": "shard", "--part-size": "count",
            "--engine": "engine", "--scheduler": "scheduler", "--workers": "count",
            "--strict": "",
        },
        2,
    ),
    Command(
        ("parse",),
        ("model", "treebank"),
        {
            "--output": "output", "--decoder": "decoder", "--trees": "count", "--nbest": "one",
            "--seed": "integer", "--probabilities": "", "--gold": "", "--json": "",
            "--result": "output", "--quiet": "",
            "--parts": "output", "--shard": "shard", "--part-size": "count",
            "--engine": "engine", "--scheduler": "scheduler", "--workers": "count",
            "--strict": "",
            "--tokeniser": "model",
            "--punctuation": "model", "--weight": "fraction",
        },
        2,
    ),
    Command(
        ("restore",),
        ("model", "treebank"),
        {
            "--output": "output", "--samples": "count", "--seed": "integer",
            "--minimise": "minimise", "--marks": "marks", "--min-confidence": "fraction",
            "--nbest": "count", "--keep": "keep", "--mistaken": "fraction",
            "--format": "restored", "--gold": "", "--json": "", "--confusions": "count",
            "--result": "output", "--quiet": "",
            "--parts": "output", "--shard": "shard", "--part-size": "count",
            "--engine": "engine", "--scheduler": "scheduler", "--workers": "count",
            "--strict": "",
            "--parser": "model", "--trees": "count",
            "--tokeniser": "model", "--parser-share": "fraction",
            "--lines": "lines", "--objective": "objective", "--lower": "", "--text": "model",
        },
        2,
    ),
    Command(
        ("jackknife",),
        ("no treebank",),
        {
            "--dev": "treebank", "--output": "output", "--folds": "one", "--trees": "count",
            "--models": "output", "--config": "config", "--set": "setting", "--seed": "integer",
        },
    ),
    Command(("analyse",), ("model", "treebank"), {"--json": "", "--plot": "output"}),
    Command(
        ("compare",),
        ("result", "result"),
        {"--json": "", "--resamples": "count", "--seed": "integer"},
        2,
    ),
    Command(
        ("train",),
        ("no treebank",),
        {
            "--dev": "treebank", "--output": "output", "--kind": "kind", "--config": "config",
            "--set": "setting", "--channel": "channel", "--seed": "integer", "--resume": "",
            "--force": "", "--corrected": "treebank", "--dev-corrected": "treebank",
            "--align": "aligned", "--analysis": "model", "--near": "model", "--from": "model",
            "--device": "channel", "--devices": "count", "--processes": "channel",
        },
    ),
    Command(
        ("quickstart",), (), {"--seed": "integer", "--output": "not ours", "--force": ""}, 0,
    ),
    Command(("models", "list"), (), {"--json": ""}, 0),
    Command(("models", "where"), ("model",), {}, 1),
    Command(("models", "show"), ("model",), {}, 1),
    Command(
        ("models", "pack"),
        ("model",),
        {"--output": "output", "--dev": "treebank", "--force": ""},
        1,
    ),
    Command(("semirings", "list"), (), {"--json": ""}, 0),
    Command(
        ("semirings", "check"),
        ("no semiring",),
        {"--draws": "integer", "--seed": "integer", "--json": ""},
    ),
    Command(
        ("correct",),
        ("model", "treebank"),
        {
            "--output": "output", "--parser": "model", "--tokeniser": "model",
            "--min-confidence": "fraction", "--only": "marks", "--minimise": "chosen",
            "--analysis": "model", "--analyses": "count", "--samples": "count",
            "--seed": "integer", "--format": "corrected", "--gold": "treebank",
            "--align": "aligned", "--json": "", "--errors": "count", "--result": "output",
            "--quiet": "",
            "--parts": "output", "--shard": "shard", "--part-size": "count",
            "--engine": "engine", "--scheduler": "scheduler", "--workers": "count",
            "--strict": "",
        },
    ),
    Command(
        ("explain",),
        ("model", "treebank"),
        {
            "--output": "output", "--format": "explained", "--task": "task",
            "--left-out": "fraction", "--parser": "model", "--tokeniser": "model",
            "--samples": "count", "--seed": "integer", "--marks": "marks", "--keep": "keep",
            "--min-confidence": "fraction", "--text": "model", "--lines": "lines", "--quiet": "",
        },
        2,
    ),
    Command(
        ("suspects",),
        ("model", "treebank"),
        {"--output": "output", "--top": "count", "--format": "suspected"},
        2,
    ),
    Command(("diff",), ("treebank", "treebank"), {"--json": ""}, 2),
    Command(
        ("serve",),
        ("model",),
        {"--host": "host", "--port": "port", "--limit": "count", "--parser": "model"},
        0,
    ),
    Command(
        ("normalise",),
        ("treebank",),
        {
            "--check": "", "--only": "rule of attachment", "--convention": "convention",
            "--strict": "", "--max": "count", "--messages": "messages", "--json": "",
            "--output": "output", "--to": "grammar", "--commas": "grammar", "--rule": "comma rule",
            "--quotes": "", "--report": "output",
        },
        2,
    ),
    Command(
        ("rephrase",),
        ("model", "treebank"),
        {
            "--output": "output", "--edits": "config", "--delete": "relation", "--move": "moved",
            "--permute": "model", "--surface": "surface", "--seed": "integer",
            "--format": "rephrased", "--quiet": "",
        },
        2,
    ),
)  # fmt: skip
"""All commands; those that would take minutes get inputs that stop them early."""

NEEDED: dict[str, tuple[str, ...]] = {"train": ("--dev", "--output"), "quickstart": ("--output",)}
"""Options without which a command does nothing, or takes too long."""


def command_line(random: Random, files: dict[str, str]) -> list[str]:
    """Generate a random command line.

    Args:
        random: random number generator.
        files: valid inputs by kind: ``model``, ``treebank``, ``result``, ``config``.
    """
    command = random.choice(COMMANDS)
    # One unusual value is enough; several hide each other.
    oddity = random.choice((0.0, 0.1, 0.3))
    inputs = [
        _value(random, command.inputs[min(i, len(command.inputs) - 1)], files, oddity)
        for i in range(max(command.least, 0))
    ]
    if command.inputs and random.random() < 0.1:
        inputs.append(_value(random, command.inputs[-1], files, oddity))
    if inputs and random.random() < 0.05:
        inputs.pop()
    options: list[list[str]] = []
    chosen = list(NEEDED.get(command.words[0], ()))
    names = list(command.options)
    chosen += random.sample(names, random.randint(0, min(4, len(names))))
    for name in chosen:
        kind = command.options[name]
        value = [_value(random, kind, files, oddity)] if kind else []
        options.append(
            [f"{name}={value[0]}"] if value and random.random() < 0.2 else [name, *value]
        )
    if random.random() < 0.04:
        odd = ("--help", "--unknown", "-x", "--", "-", "--json=1", "-o", "--version", "--seed")
        options.append([random.choice(odd)])
    if random.random() < 0.9 or command.words[0] in NEEDED:
        parts = [*inputs, *(text for option in options for text in option)]
    else:
        parts = [*(text for option in options for text in option), *inputs]
    return [*command.words, *parts]


def _value(random: Random, kind: str, files: dict[str, str], oddity: float) -> str:
    odd = random.random() < oddity
    match kind:
        case "integer":
            return random.choice(INTEGERS if odd else ("0", "1", "7"))
        case "port":
            return random.choice(INTEGERS) if odd else str(random.randint(20_000, 60_000))
        case "one":
            # Another number would require compilation.
            return random.choice(WRONG_COUNTS) if odd else "1"
        case "count":
            return random.choice(COUNTS if odd else ("1", "2"))
        case "fraction":
            return random.choice(FRACTIONS if odd else ("0.1", "0.5", "1"))
        case "marks":
            return random.choice(MARKS if odd else (",", ", ."))
        case "output":
            return random.choice(OUTPUTS if odd else ("out", "-", "out.gz", "out.json"))
        case "setting":
            key = random.choice(SETTINGS if odd else ("train.seed", "train.visits"))
            return key + random.choice(("=", "=", "=", "", " = ")) + random.choice(VALUES)
        case "not ours":
            return files["not ours"]
        case "no treebank":
            return random.choice((files["missing"], *TEXTS[:4]) if odd else (files["missing"],))
        case "no semiring":
            return random.choice((*TEXTS, "Log", "LOG", "logg"))
        case _ if kind in CHOICES:
            return random.choice(TEXTS if odd else CHOICES[kind])
        case _:
            # A valid file, a file of another kind, or a missing file.
            return random.choice((*files.values(), *TEXTS)) if odd else files[kind]
