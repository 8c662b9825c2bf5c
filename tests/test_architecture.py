"""A table of the permitted imports between packages, and the checks of imports against it.

Nothing is imported here: source is read as text, so that a broken package is still checked.

docs/decisions/architecture.md describes the rooms and the reasons for their order.
"""

import ast
import re
import sys
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[1]
OURS = ("semirings", "semipunct", "experiments", "tests")
LIBRARY = ("semirings", "semipunct")

# Modules shared by all models, independent of concrete models; each may import preceding ones.
BASE = tuple(
    f"semipunct.models.{module}"
    for module in (
        "settings",
        "contents",
        "base",
        "scoring",
        "layers",
        "convolutions",
        "vocabulary",
        "forms",
        "kind",
        "optimisation",
        "network",
    )
)

# The folders of the kinds of models.
KINDS = (
    "punctuation",
    "parsing",
    "segmentation",
    "running_text",
)

# The rooms that a guest may import: all but its own kind, and what re-exports names of the others.
MAIN = tuple(
    f"semipunct.{room}"
    for room in (
        "marks", "trees", "corpus", "files", "formats", "arrays", "structures", "features",
        "models", "training", "store", "evaluation", "pipelines", "cli",
    )
)  # fmt: skip

# The papers, and the guests whose trees and treebanks each reads.
GUESTS: dict[str, tuple[str, ...]] = {
    "analysis": (),
    "ccg": ("commas",),
    "commas": (),
    "rephrasing": (),
    "transitions": (),
}

# Each room (part of the project) and the project modules it may import. A module belongs to the
# room with the longest matching name, and may always import from its own room. `semipunct.errors`
# and `semipunct.wording` are open to all rooms of semipunct, so that errors can be raised anywhere.
ROOMS: dict[str, tuple[str, ...]] = {
    "semirings": (),
    "semipunct.data": (),
    "semipunct.errors": (),
    "semipunct.installation": (),
    "semipunct.lazy": (),
    "semipunct.version": (),
    "semipunct.wording": (),
    "semipunct.plugins": (),
    "semipunct.files": (),
    "semipunct.marks": (),
    "semipunct.trees": ("semipunct.marks",),
    "semipunct.corpus": ("semipunct.trees", "semipunct.marks", "semipunct.data"),
    "semipunct.formats": (
        "semipunct.corpus",
        "semipunct.trees",
        "semipunct.marks",
        "semipunct.files",
        "semipunct.lazy",
        "semipunct.plugins",
    ),
    "semipunct.arrays": (),
    "semipunct.structures": ("semirings", "semipunct.arrays", "semipunct.lazy"),
    "semipunct.features": (
        "semipunct.corpus",
        "semipunct.trees",
        "semipunct.marks",
        "semipunct.arrays",
        "semipunct.plugins",
    ),
    **{
        module: (*BASE[:i], "semipunct.corpus", "semipunct.arrays", "semipunct.evaluation")
        for i, module in enumerate(BASE)
    },
    "semipunct.models.forms": (
        "semipunct.models.layers",
        "semipunct.models.vocabulary",
        "semipunct.arrays",
    ),
    **{
        f"semipunct.models.{kind}": (
            *BASE,
            "semipunct.evaluation",
            "semipunct.features",
            "semipunct.structures",
            "semipunct.arrays",
            "semipunct.corpus",
            "semipunct.trees",
            "semipunct.marks",
            "semirings",
        )
        for kind in KINDS
    },
    # Names the module of each kind of model, which it imports on demand.
    "semipunct.models.registry": (
        *BASE,
        *(f"semipunct.models.{kind}" for kind in KINDS),
        "semipunct.plugins",
    ),
    "semipunct.models": (),
    "semipunct.training": (
        *BASE,
        "semipunct.models.registry",
        "semipunct.store",
        "semipunct.evaluation",
        "semipunct.arrays",
        "semipunct.corpus",
    ),
    "semipunct.store": (*BASE, "semipunct.models.registry", "semipunct.files"),
    "semipunct.evaluation": (
        "semipunct.lazy",
        "semipunct.corpus",
        "semipunct.trees",
        "semipunct.marks",
        "semipunct.files",
        "semipunct.plugins",
    ),
    "semipunct.pages": (
        "semipunct.models.punctuation",
        "semipunct.formats",
        "semipunct.trees",
        "semipunct.marks",
    ),
    # From documents to documents: what the models of a pipeline do for a task.
    "semipunct.pipelines": (
        "semipunct.lazy",
        "semipunct.pages",
        "semipunct.models.punctuation",
        "semipunct.models",
        "semipunct.training",
        "semirings",
        "semipunct.arrays",
        "semipunct.store",
        "semipunct.evaluation",
        "semipunct.formats",
        "semipunct.corpus",
        "semipunct.trees",
        "semipunct.marks",
        "semipunct.files",
        "semipunct.version",
    ),
    "semipunct.web": ("semipunct.pipelines",),
    # Found by spaCy under an entry point; no room imports it.
    "semipunct.spacy_component": (
        "semipunct.pipelines",
        "semipunct.store",
        "semipunct.files",
    ),
    "semipunct.treebanks": (
        "semipunct.lazy",
        "semipunct.pipelines",
        "semipunct.pages",
        "semipunct.models.punctuation",
        "semipunct.models",
        "semipunct.formats",
        "semipunct.corpus",
        "semipunct.trees",
        "semipunct.marks",
        "semipunct.files",
    ),
    "semipunct.cli": ("semipunct", "semirings"),
    # Guests, which plug in by entry points: no room imports them, and few of them each other.
    "semipunct.papers": (),
    **{
        f"semipunct.papers.{guest}": (
            *(f"semipunct.papers.{host}" for host in hosts),
            *MAIN,
            "semirings",
        )
        for guest, hosts in GUESTS.items()
    },
    "semipunct.__main__": ("semipunct.cli",),
    # Re-exports names of all rooms for additions; no room imports it.
    "semipunct.extend": ("semipunct", "semirings"),
    # The package itself re-exports the public names of the rooms below it.
    "semipunct": ("semipunct", "semirings"),
    # Experiments generate the synthetic treebanks of the tests.
    "experiments": ("semipunct", "semirings", "tests.synthetic"),
    "tests.experiments": ("experiments", "tests", "semipunct", "semirings"),
    "tests": ("semipunct", "semirings"),
}

# Third-party packages that only the named places may import.
ONLY_IN: dict[str, tuple[str, ...]] = {
    "typer": ("semipunct.cli", "semipunct.papers", "tests"),
    "click": ("semipunct.cli", "tests"),
    "rich": ("semipunct.cli", "semipunct.papers", "tests"),
    "conllu": ("semipunct.formats.conllu", "tests"),
    "rapidfuzz": ("semipunct.marks",),
    "jax._src": (),
    "dask": ("semipunct.pipelines.dask_engine", "tests"),
    "distributed": ("semipunct.pipelines.dask_engine", "tests"),
    "pickle": ("tests.batches",),
    "spacy": ("semipunct.spacy_component", "tests"),
    "starlette": ("semipunct.web", "tests"),
    "udapi": ("experiments",),
    "uvicorn": ("semipunct.cli", "tests"),
}

# The modules of guests that commands import whether they need JAX or not.
LIGHT = (
    "brackets", "categories", "ccgbank", "command", "comparison", "derivations", "figures",
    "normalisation", "nunberg", "options", "predicates", "ptb", "punctuation", "trees", "verbatim",
)  # fmt: skip

# Third-party packages that the named places must never import: data, stored results and settings
# are read without jax, so that commands on them start and report errors quickly.
NEVER_IN: dict[str, tuple[str, ...]] = dict.fromkeys(
    ("jax", "jaxlib", "optax"),
    (
        "semipunct.errors",
        "semipunct.version",
        "semipunct.wording",
        "semipunct.files",
        "semipunct.marks",
        "semipunct.trees",
        "semipunct.corpus",
        "semipunct.formats",
        "semipunct.evaluation",
        "semipunct.models.settings",
        "semipunct.models.kind",
        "semipunct.models.registry",
        *(f"semipunct.papers.{guest}.{module}" for guest in GUESTS for module in LIGHT),
        "semipunct.papers.ccg.conversion",
    ),
)

ORACLE = "tests.oracle"
PAPERS = ("semipunct.papers", "experiments", "tests")
"""The guests, and who may import them: no room of the library."""

EXPERIMENTS = ("experiments", "tests.experiments")
"""The experiments, and their tests: no others may import them."""


PLACE = re.compile(rf"({'|'.join(OURS)})(\.\w+)*([.:]\w+|[.:])")
"""A string that names a module or something in it: ``a.b``, ``a.b:c``, ``a.`` and so on."""


class Import(NamedTuple):
    """One imported name: `module`, and the line of the import."""

    module: str
    line: int


def within(module: str, prefixes: tuple[str, ...]) -> bool:
    """Tell whether the module is one of the packages or inside one."""
    return any(module == prefix or module.startswith(prefix + ".") for prefix in prefixes)


def sources(root: Path, packages: tuple[str, ...] = OURS) -> Iterator[Path]:
    """Return all Python files of the given packages."""
    for package in packages:
        yield from sorted((root / package).rglob("*.py"))


def module_name(root: Path, path: Path) -> str:
    """Return the name of a module: `semipunct/model/__init__.py` is `semipunct.model`."""
    parts = path.relative_to(root).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def parsed(path: Path) -> ast.Module:
    """Return the syntax tree of a file."""
    return ast.parse(path.read_text(encoding="utf-8"))


def imports(root: Path, path: Path, *, by_name: bool = True) -> Iterator[Import]:
    """Return every import of a file, at any depth, with relative ones resolved.

    `from a import b` counts as `a.b`, which is correct if b is a module and harmless otherwise. A
    string that names a place in the project counts as an import of it, unless ``by_name`` is
    false, since it can only serve to import it later; so does the beginning of an f-string.
    """
    package = path.parent.relative_to(root).parts
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(alias.name, node.lineno)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and by_name:
            if PLACE.fullmatch(node.value):
                yield Import(node.value.rstrip(".:").replace(":", "."), node.lineno)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            stem = ".".join([*base, *([node.module] if node.module else [])])
            for alias in node.names:
                yield Import(stem if alias.name == "*" else f"{stem}.{alias.name}", node.lineno)


def room_of(module: str) -> str | None:
    """Return the room with the longest matching name; each module of semipunct needs one."""
    room = max((name for name in ROOMS if within(module, (name,))), key=len, default=None)
    return None if room == "semipunct" and module != "semipunct" else room


def arrow(module: str, target: str) -> str | None:
    """Return the violation if `module` must not import `target`."""
    for package, places in ONLY_IN.items():
        if within(target, (package,)) and not within(module, places):
            return f"{package} may be imported only in: {', '.join(places) or 'nowhere'}"
    for package, places in NEVER_IN.items():
        if within(target, (package,)) and within(module, places):
            return f"{package} may not be imported here"
    if module == ORACLE and target.split(".")[0] not in {*sys.stdlib_module_names, "numpy"}:
        return "the oracle may import the standard library and numpy only"
    if not within(target, OURS):
        return None
    if within(target, ("experiments",)) and not within(module, EXPERIMENTS):
        return "nothing imports the experiments"
    private = any(part.startswith("_") and part != "__version__" for part in target.split("."))
    if private and within(module, ("experiments",)) and within(target, LIBRARY):
        return "experiments import public names only"
    if within(target, ("semipunct.papers",)) and not within(module, PAPERS):
        return "nothing imports the papers; they plug in by entry points"
    room = room_of(module)
    if room is None:  # reported once for the module, not for each of its imports
        return None
    allowed = (room, *ROOMS[room])
    if room == "semipunct" and within(target, ("semipunct.cli", "semipunct.__main__")):
        return "the package may not import its own command line"
    if within(module, ("semipunct",)):
        # Every room may raise the library's errors, use its wording, and record its version.
        allowed = (*allowed, "semipunct.errors", "semipunct.version", "semipunct.wording")
    return None if within(target, allowed) else f"{room} may not import {target}"


def violations(root: Path) -> list[str]:
    """Return every forbidden import, as `path:line: violation`."""
    found: list[str] = []
    for path in sources(root):
        module, place = module_name(root, path), path.relative_to(root).as_posix()
        if within(module, LIBRARY) and room_of(module) is None:
            found.append(f"{place}:1: the module is in no room of the table ROOMS")
        for target, line in imports(root, path):
            wrong = arrow(module, target)
            if wrong is not None:
                found.append(f"{place}:{line}: {wrong} (imports {target})")
    return found


def undocumented(root: Path) -> list[str]:
    """Return every public module, class and function of the library without a docstring."""
    found: list[str] = []
    for path in sources(root, LIBRARY):
        tree = parsed(path)
        nodes = [
            tree,
            *(
                node
                for node in tree.body
                if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
            ),
        ]
        for node in nodes:
            name = path.stem if isinstance(node, ast.Module) else node.name
            public = name == "__init__" or not name.startswith("_")
            if any(ast.unparse(of) == "overload" for of in getattr(node, "decorator_list", ())):
                continue
            if public and not ast.get_docstring(node):
                line = getattr(node, "lineno", 1)
                found.append(f"{path.relative_to(root).as_posix()}:{line}: {name}")
    return found


def test_imports_follow_the_table():
    assert violations(ROOT) == []


def test_public_names_have_docstrings():
    assert undocumented(ROOT) == []


def test_the_table_has_no_cycle():
    graph = {
        room: {found for target in targets if (found := room_of(target)) not in (None, "semipunct")}
        for room, targets in ROOMS.items()
    }
    TopologicalSorter(graph).prepare()  # raises CycleError if there is one


def test_one_module_touches_the_configuration_of_jax():
    places = [p for p in sources(ROOT, LIBRARY) if "jax.config" in p.read_text("utf-8")]
    assert [module_name(ROOT, p) for p in places] == ["semipunct.arrays.compilation"]


def circle(root: Path) -> list[str]:
    """Return modules of the library that import each other in a cycle; none if there is no cycle.

    Imports for type checkers and those within functions count, too; names in strings do not, since
    a kind of model names its class, whose module imports the settings beside it. A package stands
    for its `__init__` only: importing a module of a package does not count as importing it.
    """
    modules = {module_name(root, path): path for path in sources(root, LIBRARY)}
    graph: dict[str, set[str]] = {}
    for module, path in modules.items():
        targets = (target for target, _ in imports(root, path, by_name=False))
        # ``from a.b import c`` is the module a.b.c or a name of a.b.
        found = (t if t in modules else t.rpartition(".")[0] for t in targets)
        graph[module] = {t for t in found if t in modules and t != module}
    try:
        list(TopologicalSorter(graph).static_order())
    except CycleError as error:
        return error.args[1]
    return []


def test_no_modules_import_each_other_in_a_circle():
    assert circle(ROOT) == []


def plant(root: Path, path: str, text: str) -> None:
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


@pytest.mark.parametrize(
    "path, text, complaint",
    [
        ("semirings/log.py", "from semipunct import errors", "semirings may not import"),
        ("semirings/log.py", "from jax import _src", "jax._src"),
        ("semipunct/corpus/slots.py", "def f():\n    import jax", "slots.py:2: jax may not"),
        ("semipunct/corpus/slots.py", "from .. import arrays", "semipunct.arrays"),
        ("semipunct/features/index.py", "import rapidfuzz", "rapidfuzz may be imported only in"),
        ("semipunct/__init__.py", "from semipunct.cli import main", "its own command line"),
        ("semipunct/helpers.py", "", "no room"),
        ("semipunct/cli/app.py", "from semipunct.papers import ccg", "nothing imports the papers"),
        ("semipunct/papers/commas/a.py", "import semipunct.papers.ccg", "may not import"),
        ("semipunct/models/kind.py", "f'semipunct.training.{x}'", "may not import"),
        ("experiments/run.py", "from semirings._table import x", "public names only"),
        ("tests/test_x.py", "import_module('experiments.run')", "nothing imports the experiments"),
        ("tests/oracle.py", "from semipunct.marks import OPEN", "standard library and numpy"),
    ],
)
def test_a_forbidden_arrow_is_found(tmp_path: Path, path: str, text: str, complaint: str):
    plant(tmp_path, path, text)
    (found,) = violations(tmp_path)
    assert found.startswith(path)
    assert complaint in found
