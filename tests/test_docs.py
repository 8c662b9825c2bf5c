"""What the documentation says of the code, where that can be checked.

Names in backticks are looked up: paths, modules, what modules hold, options of commands, settings.
Links lead somewhere; tables that list all of something do list all of it.
"""

import ast
import dataclasses
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import jax.numpy as jnp
import pytest
import typer

from semipunct.cli.app import app
from semipunct.features.templates import TEMPLATES
from semipunct.models.base import Model
from semipunct.models.registry import KINDS, kind_named
from semirings import Log
from semirings.laws.catalogue import LAWS
from semirings.plugins import available
from tests.test_architecture import ROOMS

ROOT = Path(__file__).resolve().parents[1]
PAGES = tuple(
    path.relative_to(ROOT).as_posix()
    for path in (
        *ROOT.glob("*.md"),
        *sorted((ROOT / "docs").glob("*.md")),
        *sorted((ROOT / "docs" / "decisions").glob("*.md")),
        ROOT / "experiments" / "README.md",
    )
)
BASES = (ROOT, ROOT / "experiments", ROOT / "docs" / "examples" / "semiring-plugin")
"""Folders that paths in the text start from, beside that of the page."""

PACKAGES = ("semipunct", "semirings")
WEIGHTS = "model.safetensors"
"""A file of a model folder, which looks like a setting."""

_FENCE = re.compile(r"^(```|:::).*?^\1", re.S | re.M)
_CODE = re.compile(r"`([^`\n]+)`")


def text_of(page: str) -> str:
    """A page without what it shows of programs; of the changelog, only what is so today."""
    text = (ROOT / page).read_text("utf-8")
    if page == "CHANGELOG.md":
        text = re.sub(r"(?m)^\| .*? \| (.*) \|$", r"\1", text)
    return _FENCE.sub("", text)


def codes(page: str) -> list[str]:
    """What stands in backticks."""
    return _CODE.findall(text_of(page))


def found(page: str, path: str) -> list[Path]:
    """The places where a path of a page may be, if it is there."""
    places = (*BASES, (ROOT / page).parent)
    return [base / path for base in places if (base / path).exists()]


# --- Paths and links


def paths(page: str) -> Iterator[str]:
    for code in codes(page):
        for word in code.split():
            named = re.fullmatch(r"\w[\w.-]*(/[\w.-]*)+", word) or re.fullmatch(r"\w+\.py", word)
            if named and not code.startswith("source "):
                yield word


@pytest.mark.parametrize("page", PAGES)
def test_paths_exist(page: str):
    names = {path.name for package in (*PACKAGES, "experiments") for path in
             (ROOT / package).rglob("*.py")}  # fmt: skip
    gone = [path for path in paths(page) if not found(page, path) and path not in names]
    assert gone == []


def anchors(path: Path) -> set[str]:
    """The anchors of the headings of a page, as the site and GitHub make them."""
    headings = re.findall(r"(?m)^#+ (.*)$", path.read_text("utf-8"))
    return {
        re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings
    }


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str):
    text = (ROOT / page).read_text("utf-8")
    for target in re.findall(r"\]\(([^)\s]+)\)", _FENCE.sub("", text)):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        place = (ROOT / page).parent / path if path else ROOT / page
        assert place.exists(), target
        assert not anchor or anchor in anchors(place), target


# --- Names


@cache
def held(module: Path) -> dict[str, Any]:
    """Names at the top of a module, with what classes and dataclasses hold."""
    names: dict[str, Any] = {}
    for node in ast.parse(module.read_text("utf-8")).body:
        if isinstance(node, ast.ClassDef):
            inside = {n.name for n in node.body if isinstance(n, ast.FunctionDef)}
            inside |= {
                n.target.id
                for n in node.body
                if isinstance(n, ast.AnnAssign) and isinstance(n.target, ast.Name)
            }
            names[node.name] = inside
        elif isinstance(node, ast.FunctionDef):
            names[node.name] = set()
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names[node.target.id] = set()
        elif isinstance(node, ast.Assign):
            names.update({n.id: set() for n in node.targets if isinstance(n, ast.Name)})
    return names


def is_in(module: Path, name: str) -> bool:
    """Whether a module has a name, a class of it has, or a class has a method."""
    known, (first, *rest) = held(module), re.sub(r"\(.*", "", name).split(".")
    if rest:
        return first in known and rest[0] in known[first]
    return first in known or any(first in inside for inside in known.values())


def placed(page: str) -> Iterator[tuple[str, str]]:
    """Modules and the names that a page says they have: `path`: `a`, `b`, and `a` in `path`."""
    path, name = r"`([\w/]+\.py)`", r"`[\w.]+(?:\([^`]*\))?`"
    for file, names in re.findall(rf"{path}: ({name}(?:, {name})*)", text_of(page)):
        yield from ((file, each) for each in _CODE.findall(names))
    for names, file in re.findall(rf"({name}(?:(?:, | and ){name})*) in\s+{path}", text_of(page)):
        yield from ((file, each) for each in _CODE.findall(names))


@pytest.mark.parametrize("page", PAGES)
def test_modules_have_what_is_said_to_be_in_them(page: str):
    missing = []
    for file, name in placed(page):
        places = found(page, file) or list((ROOT / "semipunct").rglob(file))
        if not any(is_in(place, name) for place in places):
            missing.append((file, name))
    assert missing == []


def resolved(name: str) -> Any:
    """What a dotted name of our packages stands for; raises if it stands for nothing."""
    parts = name.split(".")
    for cut in range(len(parts), 0, -1):
        module = ".".join(parts[:cut])
        if find_spec(parts[0]) and (cut == 1 or is_module(module)):
            thing = import_module(module)
            for part in parts[cut:]:
                thing = getattr(thing, part)
            return thing
    raise AttributeError(name)


def is_module(name: str) -> bool:
    path = ROOT.joinpath(*name.split("."))
    return path.with_suffix(".py").exists() or (path / "__init__.py").exists()


@pytest.mark.parametrize("page", PAGES)
def test_dotted_names_resolve(page: str):
    for code in codes(page):
        name = re.sub(r"\(.*", "", code)
        if re.fullmatch(r"(semipunct|semirings)(\.\w+)+", name):
            resolved(name)


@cache
def classes() -> dict[str, list[tuple[set[str], list[str]]]]:
    """All classes of the packages by name: what each holds itself, and its bases."""
    known: dict[str, list[tuple[set[str], list[str]]]] = {}
    for package in PACKAGES:
        for path in (ROOT / package).rglob("*.py"):
            for node in ast.parse(path.read_text("utf-8")).body:
                if isinstance(node, ast.ClassDef):
                    bases = [ast.unparse(base).partition("[")[0].split(".")[-1] for base in
                             node.bases]  # fmt: skip
                    known.setdefault(node.name, []).append((held(path)[node.name], bases))
    return known


def has(name: str, attribute: str) -> bool:
    return any(
        attribute in inside or any(has(base, attribute) for base in bases if base != name)
        for inside, bases in classes().get(name, [])
    )


@pytest.mark.parametrize("page", PAGES)
def test_classes_have_their_attributes(page: str):
    for code in codes(page):
        if named := re.fullmatch(r"([A-Z]\w*[a-z]\w*)\.(\w+)(\(.*\))?", code):
            assert has(named[1], named[2]), code


def test_new_names_of_the_changelog_are_there():
    table = (ROOT / "CHANGELOG.md").read_text("utf-8").partition("| Old | New |")[2]
    for _, new in re.findall(r"(?m)^\| (`?\w.*?) \| (.*?) \|$", table):
        room = ""
        for module, names in re.findall(r"`([a-z_.]+)`(?: \(((?:`[^`]+`(?:, )?)+)\))?", new):
            if module.startswith("."):  # of the same package as the one before
                module = room.rpartition(".")[0] + module
            room = module
            full = module if module.startswith("semirings") else f"semipunct.{module}"
            if not names and not is_module(full) and not (ROOT / full.replace(".", "/")).is_dir():
                # A field, such as `feature`, or a class that test_classes_... looks at.
                assert "." not in module, new
                continue
            for name in _CODE.findall(names):
                resolved(f"{full}.{name}")


# --- Options, settings, commands


def commands(command: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    yield path, command
    for name, below in getattr(command, "commands", {}).items():
        yield from commands(below, f"{path} {name}".strip())


COMMANDS = dict(commands(typer.main.get_command(app)))


def options(command: str) -> set[str]:
    """The options that the help of a command lists."""
    return {"--help"} | {
        option
        for parameter in COMMANDS[command].params
        if not getattr(parameter, "hidden", False)
        for option in (*parameter.opts, *parameter.secondary_opts)
    }


@cache
def options_of_drivers() -> set[str]:
    text = "".join(path.read_text("utf-8") for path in (ROOT / "experiments").rglob("*.py"))
    return set(re.findall(r'add(?:_argument)?\(\s*"(--[\w-]+)"', text))


def command_lines(page: str) -> Iterator[tuple[str, list[str]]]:
    """Commands that a page shows, in blocks and in the text, and the options of each."""
    text = (ROOT / page).read_text("utf-8").replace("\\\n", " ")
    shown = re.findall(r"(?m)^\$ semipunct (.*)$", text)
    for line in (*shown, *(m for m in re.findall(r"`semipunct ([^`]*)`", text))):
        words = line.split()
        name = words[0] if words else ""
        if " ".join(words[:2]) in COMMANDS:
            name = " ".join(words[:2])
        elif name.startswith("--"):
            name = ""
        if name and not name.isupper():
            yield name, re.findall(r"(?<!\S)--[a-z][\w-]*", line)


@pytest.mark.parametrize("page", PAGES)
def test_commands_have_their_options(page: str):
    for name, given in command_lines(page):
        assert name in COMMANDS, name
        assert set(given) <= options(name), name


@pytest.mark.parametrize("page", PAGES)
def test_options_exist(page: str):
    known = options_of_drivers().union(*map(options, COMMANDS))
    given = {
        word for code in codes(page) for word in re.findall(r"(?<!\S)--[a-z][\w-]*", code)
        if not code.startswith("make ")
    }  # fmt: skip
    assert given - known == set()


SETTINGS = {
    f"{section}.{field.name}"
    for name in KINDS
    for section, kind in kind_named(name).sections.items()
    for field in dataclasses.fields(kind)
}


@pytest.mark.parametrize("page", PAGES)
def test_settings_exist(page: str):
    for code in codes(page):
        named = re.match(r"(?:--set )?'?((?:model|train)\.[a-z]\w*)(?![\w(.])", code)
        if named and named[1] not in SETTINGS and code != WEIGHTS:
            raise AssertionError(f"{code}: there is no such setting")
    text = (ROOT / page).read_text("utf-8")
    for setting in re.findall(r"--set '?([a-z]\w*(?:\.\w+)?)=", text):
        assert setting == "preset" or setting in SETTINGS, setting


def test_presets_exist():
    presets = {preset for name in KINDS for preset in kind_named(name).presets}
    for page in PAGES:
        for preset in re.findall(r"preset=(\w+)", (ROOT / page).read_text("utf-8")):
            assert preset in presets, (page, preset)


def test_the_readme_lists_the_commands():
    text = (ROOT / "README.md").read_text("utf-8")
    listed = {name.rstrip() for name in re.findall(r"(?m)^\| `semipunct ((?:[a-z]+ ?)+)", text)}
    assert listed == {name for name in COMMANDS if name and name != "semirings"}


# --- Tables that list all of something


def rows(page: str, heading: str) -> list[list[str]]:
    """The rows of the first table below a heading, what stands in backticks of the first cell."""
    text = (ROOT / page).read_text("utf-8")
    below = text[re.search(rf"(?m)^#+ {heading}$", text).end() :]  # type: ignore[union-attr]
    table = re.search(r"(?m)^\|.*\n\| ?-.*\n((?:\|.*\n)+)", below)
    assert table
    return [_CODE.findall(line.split(" | ")[0]) for line in table[1].splitlines()]


def test_every_template_is_described():
    described = [name for row in rows("docs/choosing.md", "Templates") for name in row]
    assert sorted(described) == sorted({template.name for template in TEMPLATES})


def test_every_semiring_is_described():
    described = [name for row in rows("docs/structures.md", "The semirings") for name in row]
    ours = [name for name, plugin in available().items() if plugin.distribution == "semipunct"]
    assert sorted(described) == sorted(ours)


def test_every_law_is_described():
    laws = [
        name
        for row in rows_with("docs/extending.md", "plus associative")
        for name in row
    ]  # fmt: skip
    assert sorted(laws) == sorted(law.name for law in LAWS)


def rows_with(page: str, text: str) -> list[list[str]]:
    """The rows of the one table that holds a text; see ``rows``."""
    (table,) = (
        t for t in re.findall(r"(?m)(?:^\|.*\n)+", (ROOT / page).read_text("utf-8")) if text in t
    )
    return [_CODE.findall(line.split(" | ")[0]) for line in table.splitlines()[2:]]


def test_every_driver_is_described():
    folder = ROOT / "experiments"
    drivers = {
        path.relative_to(ROOT).as_posix()
        for path in folder.rglob("*.py")
        if "__main__" in path.read_text("utf-8")
    }
    described = {path for code in codes("experiments/README.md") for path in code.split()
                 if path.startswith("experiments/")}  # fmt: skip
    # `peers.py` is run by another interpreter; the row of `structures.py` names it.
    assert drivers - described == {"experiments/benchmarks/peers.py"}


def test_what_a_model_is_asked_for_is_what_models_have():
    named = {name for row in rows("docs/extending.md", "A model of your own") for name in row}
    assert all(hasattr(Model, name) for name in named)
    assert Model.__abstractmethods__ <= named


def test_structures_and_semirings_begin_with_tables():
    for (name,) in rows("docs/structures.md", "The structures"):
        module = import_module(resolved(f"semipunct.structures.{name}").__module__)
        assert "\n| " in (module.__doc__ or ""), name
    for name, plugin in available().items():
        semiring: Any = plugin.semiring
        # One that is made of others inherits theirs; sampling has the weights of log.
        own = plugin.distribution == "semipunct" and not dataclasses.fields(semiring)
        if own and name != "sampling":
            assert "\n| " in (import_module(type(semiring).__module__).__doc__ or ""), name


def test_in_log_space_the_largest_entry_is_taken_out():
    rest, taken = Log().balance(jnp.array([-700.0, -702.0]), (0,))
    assert (rest.tolist(), float(taken)) == ([0.0, -2.0], -700.0)


# --- Decisions and the glossary


def test_decisions_are_numbered_without_gaps():
    folder = ROOT / "docs" / "decisions"
    pages = sorted(path for path in folder.glob("*.md") if path.name != "index.md")
    assert [int(path.name[:4]) for path in pages] == list(range(1, len(pages) + 1))
    for number, path in enumerate(pages, start=1):
        assert path.read_text("utf-8").startswith(f"# {number}. "), path.name
    # The index takes all pages of its folder.
    assert ":glob:" in (folder / "index.md").read_text("utf-8")
    assert "\n*\n" in (folder / "index.md").read_text("utf-8")


def test_the_rooms_stand_in_the_order_of_their_arrows():
    order = [name for row in rows_with("docs/decisions/0019-rooms.md", "`trees`") for name in row]
    order = [f"semipunct.{name}" for name in order if name != "semipunct/"]
    assert len(set(order)) == len(order)

    def place(module: str) -> int:
        return max(i for i, room in enumerate(order) if f"{module}.".startswith(f"{room}."))

    planned = ("semirings", "semipunct.search")
    for room, allowed in ROOMS.items():
        if room.startswith("semipunct.") and room not in {
            *planned, "semipunct.data", "semipunct.cli", "semipunct.__main__",
        }:  # fmt: skip
            below = [place(other) for other in allowed if other not in planned]
            assert all(number <= place(room) for number in below), room


NEEDED = (
    "lane", "schedule", "store", "window", "pass", "template", "evidence", "batch shape", "draft",
    "entry", "record", "junction", "format", "metric", "kind", "vocabulary",
)  # fmt: skip


def terms() -> list[str]:
    """The terms of the glossary: lines that a definition follows."""
    text = (ROOT / "docs" / "glossary.md").read_text("utf-8")
    lines = re.findall(r"(?m)^(\w[^\n]*)\n: ", text)
    return [term.strip() for line in lines for term in line.split(",")]


def test_the_glossary_has_what_newcomers_meet():
    assert set(NEEDED) <= set(terms())
    assert len(set(terms())) == len(terms())


def test_the_glossary_has_no_dead_terms():
    texts = [(ROOT / page).read_text("utf-8") for page in PAGES if page != "docs/glossary.md"]
    sources = (path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
    used = "\n".join([*texts, *(path.read_text("utf-8") for path in sources)]).lower()
    unused = [t for t in terms() if not re.search(rf"\b{re.escape(t)}", used)]
    assert unused == []


def test_the_version_is_that_of_the_changelog():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    assert project["tool"]["hatch"]["version"]["path"] == "semipunct/version.py"
    version = import_module("semipunct").__version__
    assert f"\n## {version} " in (ROOT / "CHANGELOG.md").read_text("utf-8")
