"""A toy language of phrases with a comma rule: a comma after every phrase before the subject."""

import random
from pathlib import Path

NOUNS, VERBS = ("dog", "cat", "bird"), ("sees", "hears")


def tree(generator: random.Random) -> str:
    """Draw a bracketed tree, including its commas."""
    noun, object_noun = generator.choice(NOUNS), generator.choice(NOUNS)
    verb = generator.choice(VERBS)
    small = " (ADJP (RB very) (JJ small))" if generator.random() < 0.3 else ""
    subject = f"(NP (DT the){small} (NN {noun}))"
    predicate = f"(VP (VBZ {verb}) (NP (DT a) (NN {object_noun})))"
    before = ""
    for _ in range(generator.choice((0, 0, 1, 2))):
        place = generator.choice(NOUNS)
        before += f"(PP (IN near) (NP (DT a) (NN {place}))) (, ,) "
    return f"( (S {before}{subject} {predicate} (. .)) )"


def drawn(count: int, seed: int) -> str:
    """Draw trees, one per line."""
    generator = random.Random(seed)
    return "".join(tree(generator) + "\n" for _ in range(count))


def files(folder: Path, train: int = 64, dev: int = 16) -> dict[str, Path]:
    """Write files of random trees."""
    paths = {name: folder / f"{name}.mrg" for name in ("train", "dev")}
    for seed, (path, count) in enumerate(zip(paths.values(), (train, dev), strict=True)):
        path.write_text(drawn(count, seed), encoding="utf-8")
    return paths
