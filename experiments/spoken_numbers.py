"""Sentences with numbers and abbreviations, made from patterns, in paragraphs of texts.

    python experiments/spoken_numbers.py NAME.train.txt.gz... --output numbers.train.txt.gz

Corpora have few versions, scores, times and heights without marks inside. One paragraph in eight
of each file gets one to three sentences of ``number_patterns.txt``, a pattern a line: ``(a|b)`` is
a choice, ``{1-20}`` a number, ``{05-59}`` one of two digits, ``{y}`` a year. No pattern is among
the probes (``number_probes.txt``).
"""

import argparse
import gzip
import random
import re
from pathlib import Path

PATTERNS = Path(__file__).with_name("number_patterns.txt")
CHOICE = re.compile(r"\(([^()]*)\)")
NUMBER = re.compile(r"\{(y|\d+)(?:-(\d+))?\}")
ORDINAL = re.compile(r"\b(\d*)([123])th\b")
SHARE = 0.12
"""The share of paragraphs that get sentences."""


def sentence(pattern: str, draw: random.Random) -> str:
    """Draw a sentence of a pattern."""
    while choice := CHOICE.search(pattern):
        drawn = draw.choice(choice[1].split("|"))
        pattern = pattern[: choice.start()] + drawn + pattern[choice.end() :]

    def number(match: re.Match[str]) -> str:
        if match[1] == "y":
            return str(draw.choice([draw.randint(1750, 2024), draw.randint(1930, 2024)]))
        low, high = int(match[1]), int(match[2])
        drawn = draw.randint(low, high)
        if high > 90 and draw.random() < 0.4:  # small numbers are frequent
            drawn = draw.randint(low, min(high, low + 60))
        return str(drawn).zfill(len(match[1]) if match[1][0] == "0" else 0)

    def ordinal(match: re.Match[str]) -> str:
        if match[1][-1:] == "1":
            return match[0]
        return match[1] + ("1st", "2nd", "3rd")[int(match[2]) - 1]

    return ORDINAL.sub(ordinal, NUMBER.sub(number, pattern))


def main() -> None:
    """Write the paragraphs that get sentences."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--output", type=Path, required=True)
    arguments = parser.parse_args()
    draw, patterns = random.Random(0), PATTERNS.read_text("utf-8").splitlines()
    with gzip.open(arguments.output, "wt", encoding="utf-8") as output:
        for path in arguments.files:
            with gzip.open(path, "rt", encoding="utf-8") as lines:
                for line in lines:
                    if len(line) < 60 or draw.random() > SHARE:
                        continue
                    parts = re.split(r"(?<=[a-z]{3}[.?!]) (?=[A-Z])", line.rstrip("\n"))
                    for _ in range(draw.randint(1, 3)):
                        place = draw.randint(0, len(parts))
                        parts.insert(place, sentence(draw.choice(patterns), draw))
                    output.write(" ".join(parts) + "\n")


if __name__ == "__main__":
    main()
