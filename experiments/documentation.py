"""The tables of the documentation, made from the stored results and from the code.

    python experiments/documentation.py competitors

prints a table in Markdown and, without a name, the names. ``docs/conf.py`` inserts them into pages.
"""

import contextlib
import io
import json
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import mean
from typing import Any

RESULTS = Path(__file__).resolve().parent / "results"

TREEBANKS = {"en": "English", "zh": "Chinese", "es": "Spanish", "ar": "Arabic", "hi": "Hindi"}

# Perplexity and edits per slot of Li, Wang and Eisner (2019), on test data: Table 3, Figure 4.
PAPER = {
    ("en", "trivial"): ("", "0.100"),
    ("en", "attention"): ("1.5737", ""),
    ("en", "crf"): ("1.5247", "0.108"),
    ("en", "none"): ("1.5636", "0.092"),
    ("en", "r2l"): ("1.4276", "0.079"),
    ("zh", "trivial"): ("", "0.110"),
    ("zh", "attention"): ("1.6850", ""),
    ("zh", "crf"): ("1.4436", "0.109"),
    ("zh", "none"): ("1.1921", "0.104"),
    ("zh", "l2r"): ("1.1464", "0.048"),
}

# F1 of Shieber and Tao (2003), on the whole Wall Street Journal.
COMMAS_OF_PAPER = {
    "1": "62.2",
    "3": "68.4",
    "4": "63.2",
    "5": "64.5",
    "6": "64.1",
    "7": "66.8",
    "8": "72.1",
    "9": "70.1",
    "10": "74.8",
}

TEXTS = {
    "talks": "TED talks (IWSLT 2012)",
    "changelog": "podcasts",
    "audreyt": "interviews and meetings",
    "presidents": "speeches",
    "wikipedia": "encyclopaedia",
    "ebooks": "fiction",
    "peps": "technical prose",
    "usgov": "news of public offices",
    "wikinews": "news",
    "mananeras": "press conferences",
    "react": "documentation (react)",
    "pingcap": "documentation (pingcap)",
    "kdconv": "chat",
    "d2l": "textbook (d2l)",
    "trpl": "textbook (trpl)",
    "drcd": "encyclopaedia (drcd)",
    "cmrc": "encyclopaedia (cmrc)",
}

CASES = {
    "lower": "lower case",
    "names": "capitals of names alone",
    "upper": "upper case",
    "written": "capitals as written",
}

CORRECTORS = {
    "nothing": "no corrections",
    "restoration": "restoration, which ignores the original marks",
    "bilstm-restoration": "BiLSTM-CRF restoration",
    "repair": "restoration with `--keep repair`",
    "bilstm-correction": "BiLSTM-CRF that reads the original marks",
    "paper-restoration": "restoration, trained on correct text with the settings of the paper",
    "paper": "model of the paper (preset `paper-correction`)",
    "least-risk": "`correction`, minimum risk",
    "correction-gold": "`correction`, trained on gold trees",
    "correction": "`correction` (preset `parsed-correction`)",
    "harper": "Harper",
    "languagetool": "LanguageTool",
    "en": "`en`",
    "text": "text model trained on correct text",
}

Table = tuple[Sequence[str], list[Sequence[str]]]


def stored(name: str) -> dict[str, Any]:
    """Return a file of results."""
    return json.loads((RESULTS / f"{name}.json").read_text("utf-8"))


def ratio(value: float | None, digits: int = 4) -> str:
    """Format a ratio, or None as an empty cell."""
    return "" if value is None else f"{value:.{digits}f}"


def percent(value: float | None) -> str:
    """Format a ratio as a percentage."""
    return "" if value is None else f"{100 * value:.1f}"


def chance(value: float | None) -> str:
    """Format a p-value."""
    if value is None:
        return ""
    return "< 0.001" if value < 0.001 else ratio(value, 3)


def competitors() -> Table:
    """Perplexity and edits of punctuation models and of recurrent taggers, with gold trees."""
    rows: list[Sequence[str]] = []
    for treebank, run in stored("competitors").items():
        for p, e in zip(run["perplexity"], run["edits per slot"], strict=True):
            paper = PAPER.get((treebank, p["system"]), ("", ""))
            figures = (ratio(p["score"]), paper[0], chance(p.get("p")))
            edits = (ratio(e["score"]), paper[1], chance(e.get("p")))
            rows.append([TREEBANKS[treebank], p["system"], *figures, *edits])
    return ["treebank", "system", "perplexity", "paper", "p", "edits/slot", "paper", "p"], rows


def parsed_text() -> Table:
    """Edits per slot given words alone, with trees of the parser."""
    runs = stored("parsed-text")
    scores = {
        name: {row["system"]: row for row in run["edits per slot"]} for name, run in runs.items()
    }
    rows: list[Sequence[str]] = []
    for system in dict.fromkeys(s for of in scores.values() for s in of):
        model, *rest = re.split(r"-(?=8|0|trees|committee)", system)
        weight = next((r[:3] for r in rest if r.startswith("0")), "")
        trees = {"8": "8 drawn", "committee": "each parser", "trees": "gold"}
        how = next((trees[r.partition("-")[0]] for r in rest if not r.startswith("0")), "best")
        found = [of.get(system, {}) for of in scores.values()]
        cells = [
            ratio(row.get("score")) + (" \\*" if (row.get("p") or 1) < 0.05 else "")
            for row in found
        ]
        neural = model in ("attention", "crf")
        rows.append([f"`{model}`", "" if neural else how, weight, *cells])
    return ["model", "trees", "weight", *(TREEBANKS[name] for name in runs)], rows


def settings() -> Table:
    """Change in perplexity when a setting is replaced."""
    import perplexity

    with contextlib.redirect_stdout(io.StringIO()) as printed:
        perplexity.print_table(stored("perplexity"))
    lines = [line.strip("| \n").split(" | ") for line in printed.getvalue().splitlines()]
    return lines[0], [[*line, ""][: len(lines[0])] for line in lines[2:]]


def text_marks(*runs: str) -> Table:
    """Return F1 of the marks that a text model restores, by text."""
    rows: list[Sequence[str]] = []
    for run in runs:
        case = run.split(", ")[1] if run.count(",") == 2 else ""
        for file, of in stored("text-marks")[run]["files"].items():
            marks = [of[m]["F1"] for m in ("COMMA", "PERIOD", "QUESTION", "overall")]
            name = TEXTS[file.partition(".")[0]]
            name += f", {CASES[case]}" if case else ""
            name += ", by paragraphs" if run.endswith("paragraphs") and not case else ""
            words = f"{of['words']:,}" if "words" in of else ""
            figures = [f"{f1:.1f}" if f1 else "-" for f1 in marks]
            rows.append([name, words, *figures, ratio(of.get("calibration_error"), 3)])
    return ["text", "words", "comma", "full stop", "question", "all", "calibration error"], rows


def text_and_trees() -> Table:
    """What trees add to a text model on the words of a treebank."""
    columns = ("edits per slot", "precision", "recall", "F1", "calibration error")
    rows = [
        [name, *(ratio(of[c], 4 if c == "edits per slot" else 3) for c in columns)]
        for name, of in stored("text-and-trees")["en"].items()
        if isinstance(of, dict)
    ]
    return ["system, objective", *columns], rows


def correction(run: str, bare: bool = False) -> Table:
    """Precision, recall and harm of systems that correct punctuation."""
    columns = ["precision", "recall", "F0.5", "p", "edits/slot", "harm", "edits"]
    rows = [
        [
            CORRECTORS[row["system"]],
            ratio(row["precision"], 3),
            ratio(row["recall"], 3),
            ratio(row["score"], 3),
            chance(row.get("p")),
            ratio(row["edits per slot"]),
            f"{row['harm']:.1f}",
            f"{row['edits']:,.0f}",
            *([ratio(row["from bare words"], 3)] if bare else []),
        ]
        for row in stored("correction")[run]["F0.5"]
    ]
    return ["system", *columns, *(["F0.5 from bare words"] if bare else [])], rows


def parsers() -> Table:
    """Attachment and tagging of parsers that read the same words."""
    names = {
        "parser": "`parser`",
        "restoring": "`parser` for restoration",
        "udpipe": "UDPipe 1",
        "supar": "supar",
    }
    rows = [
        [
            TREEBANKS[treebank],
            names[row["system"]],
            *(percent(row[c]) for c in ("las", "uas", "upos")),
            chance(row.get("p")),
        ]
        for treebank in ("en", "zh")
        for row in stored("parsers")[treebank]["rows"]
    ]
    return ["treebank", "parser", "LAS", "UAS", "UPOS", "p"], rows


def crossing_arcs() -> Table:
    """Parsers of projective trees and of trees of any shape."""
    columns = ("las", "uas", "complete", "crossing arcs found", "crossing arcs predicted")
    rows = [
        [
            TREEBANKS[name],
            row["trees"],
            *(str(row[c]) for c in columns),
            chance(run["p"]) if row["trees"] == "nonprojective" else "",
        ]
        for name, run in stored("crossing-arcs").items()
        for row in run["rows"]
    ]
    heads = ["LAS", "UAS", "complete trees", "crossing arcs found", "predicted", "p"]
    return ["treebank", "trees", *heads], rows


def parsing_with_punctuation() -> Table:
    """Parsers with and without marks."""
    rows: list[Sequence[str]] = []
    heads: list[str] = []
    for name, run in stored("parsing-with-punctuation").items():
        for row in run["rows"]:
            figures = {re.sub(r" \(\d+\)$", "", k): v for k, v in row.items() if k != "system"}
            heads = [*figures]
            rows.append([TREEBANKS[name], row["system"], *figures.values()])
    return ["treebank", "marks", *heads], rows


def punctuation_properties(run: str) -> Table:
    """The parser of Ma, Zhang and Zhu (2014), by its treatment of marks."""
    found = stored("punctuation-properties")[run]
    by_mode: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in found["runs"]:
        by_mode[row["mode"]].append(row)
    p = {test["mode"]: test["p"] for test in found["tests"]}
    columns = ("uas", "uas of marks", "complete", "root")
    rows = [
        [
            f"`{mode}`",
            *("" if of[0][c] is None else f"{mean(r[c] for r in of):.2f}" for c in columns),
            chance(p.get(mode)),
        ]
        for mode, of in sorted(by_mode.items(), key=lambda item: item[0] != "baseline")
    ]
    return ["punctuation", "UAS, words", "UAS, marks", "complete trees", "roots", "p"], rows


def commas() -> Table:
    """Commas restored to phrase-structure trees."""
    columns = ("precision", "recall", "f1", "slots", "sentences")
    rows = [
        [
            row["model"],
            row["about"],
            row["trees"],
            *(percent(row[c]) for c in columns),
            COMMAS_OF_PAPER.get(row["model"], ""),
            chance(row["p"]),
        ]
        for row in stored("commas")["ptb"]["systems"]
    ]
    heads = ["precision", "recall", "F1", "slots", "sentences", "F1 in the paper", "p"]
    return ["model", "description", "trees: training/evaluation", *heads], rows


def attachment() -> Table:
    """Heads of marks by `semipunct normalise` and by udapi."""
    rows: list[Sequence[str]] = []
    found = stored("attachment")["ud-1.4"]["rows"]
    for file in dict.fromkeys(row["file"] for row in found):
        for program in ("semipunct", "udapi"):
            blank, written = (
                next(r for r in found if (r["file"], r["form"], r["program"]) == (file, f, program))
                for f in ("marks at the root", "as annotated")
            )
            errors = [f"{sum(written[k].values()):,}" for k in ("errors before", "errors")]
            counts = [f"{written['moved']:,}", str(written["words moved"]), *errors]
            rows.append([TREEBANKS[file[:2]], program, percent(blank["right"]), *counts])
    heads = ["restored heads", "marks moved", "words moved", "errors before", "errors after"]
    return ["treebank", "program", *heads], rows


def rephrasing() -> Table:
    """Perplexity of sentences under a trigram model of permuted ones."""
    rows = [
        [
            TREEBANKS[name],
            f"{run['sentences']:,}",
            *(
                cell
                for part in ("punctuation", "all")
                for of in [run["train"][part]]
                for cell in (
                    *(f"{of[k]:,.1f}" for k in ("base", "half", "full")),
                    ratio(of["full over base"], 3),
                )
            ),
        ]
        for name, run in stored("rephrasing").items()
    ]
    forms = ("Base", "Half", "Full", "Full/Base")
    heads = [f"{marks}: {form}" for marks in ("marks", "all") for form in forms]
    return ["treebank", "sentences", *heads], rows


def deletions() -> Table:
    """Surfaces with strings of marks that occur in no sentence, after deletions."""
    forms = ("base", "full", "full, most probable")
    rows = [
        [TREEBANKS[name], *(f"{n:,}" for n in (of["sentences"], *(of[f]["any"] for f in forms)))]
        for name, run in stored("rephrasing").items()
        if (of := run["compression"])["sentences"]
    ]
    return ["treebank", "sentences", "Base", "Full, drawn", "Full, most probable"], rows


def commands() -> Table:
    """Return the time of whole commands with an empty and with a filled compilation cache."""
    answers, training = stored("answers"), stored("training")["treebank"]
    of, text = answers["commands"], answers["text"]
    timed = [
        ("restore a line of text with `en`", text["cold"], text["warm"]),
        ("restore 100,000 words with `en`", {}, text["long"]),
        *(
            (name, run, {"seconds": run["warm_seconds"], "peak_mebibytes": run["warm_mebibytes"]})
            for name, run in (
                ("restore two sentences of a treebank", of["restore_two"]),
                ("decode two sentences", of["decode_two"]),
                ("evaluate 1,988 sentences", of["evaluate"]),
            )
        ),
        ("train for 12,000 visits", training["cold"], training["warm"]),
    ]
    rows: list[Sequence[str]] = []
    for name, cold, warm in timed:
        first = cold.get("seconds", cold.get("cold_seconds"))
        memory = warm.get("peak_mebibytes", training["peak_mebibytes"])
        rows.append([name, ratio(first, 1), ratio(warm["seconds"], 1), f"{memory:,}"])
    return ["command", "first call (s)", "later calls (s)", "memory (MiB)"], rows


def five_programs() -> Table:
    """Lines of five programs, and CPU seconds of their first calls."""
    columns = ("lines", "first_cpu_seconds")
    rows = [
        [f"`{name}`", *(str(of[k][c]) for c in columns for k in ("semipunct", "torch_struct"))]
        for name, of in stored("first-answers")["five programs"]["programs"].items()
    ]
    heads = ("lines", "lines, torch-struct", "first call (CPU s)", "first call, torch-struct")
    return ["program", *heads], rows


def laws() -> Table:
    """Return the laws of semirings, by name."""
    from semirings.laws import LAWS

    return ["law", "statement"], [[f"`{a.name}`", a.statement.replace("*", "\\*")] for a in LAWS]


def faults() -> Table:
    """Faults planted in the packages, and the tests that find them."""

    def code(text: str) -> str:
        return f"`{' '.join(text.split())}`".replace("|", "\\|")

    rows = [
        [f"`{x['path']}`, `{x['function']}`", f"{code(x['before'])} → {code(x['after'])}",
         f"`{x['found by']}`" if x["found by"] else x["verdict"]]
        for x in stored("mutants")["faults"]["rows"]
    ]  # fmt: skip
    return ["place", "fault", "found by"], rows


TABLES: dict[str, Callable[[], Table]] = {
    "faults": faults,
    "competitors": competitors,
    "parsed-text": parsed_text,
    "settings": settings,
    "text-marks-en": lambda: text_marks("en, talks", "en"),
    "text-marks-case": lambda: text_marks(*(f"en, {case}, paragraphs" for case in CASES)),
    "text-marks-14": lambda: text_marks("14 million words, talks", "14 million words"),
    "text-marks-es": lambda: text_marks("es", "es, paragraphs"),
    "text-marks-zh": lambda: text_marks("zh"),
    "text-and-trees": text_and_trees,
    "correction-drawn": lambda: correction("drawn", bare=True),
    "correction-learners": lambda: correction("learners"),
    "correction-text": lambda: correction("learners, text models and rules"),
    "parsers": parsers,
    "crossing-arcs": crossing_arcs,
    "parsing-with-punctuation": parsing_with_punctuation,
    "punctuation-properties": lambda: punctuation_properties("ptb"),
    "punctuation-properties-predicted": lambda: punctuation_properties("ptb, held out"),
    "commas": commas,
    "attachment": attachment,
    "rephrasing": rephrasing,
    "deletions": deletions,
    "commands": commands,
    "five-programs": five_programs,
    "laws": laws,
}


def markdown(name: str) -> str:
    """Return a table in Markdown; columns of figures are aligned to the right."""
    heads, rows = TABLES[name]()
    right = [all(re.match(r"[-<\d.]|$", row[n]) for row in rows) for n in range(len(heads))]
    lines = [heads, ["---:" if r else "---" for r in right], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


if __name__ == "__main__":
    print("\n\n".join(map(markdown, sys.argv[1:])) or "\n".join(TABLES))
