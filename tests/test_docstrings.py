"""The docstring convention of the project, checked in the source without imports.

It is Google style in the imperative mood: the first words make a statement, code is in double
backticks, and ``Args:`` names every parameter of a public function with two or more.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[1]
LIBRARY = ("semirings", "semipunct", "experiments")

NO_STATEMENT = {"What", "How", "Whether", "Which", "Where"}
"""First words of relative clauses and questions."""

_CODE = re.compile(r"``.+?``(?!`)", re.DOTALL)
_ROLE = re.compile(r":[a-z:]+:`[^`]+`")  # as in :math:`x`
_LINK = re.compile(r"`[^`]+<[^`]+>`_")
_HELPED = re.compile(r"\btyper\.|^arguments\.[A-Z]")
"""Annotations of parameters with a help text: of typer, or of ``semipunct.cli.arguments``."""

Function = ast.FunctionDef | ast.AsyncFunctionDef
Documented = ast.Module | ast.ClassDef | Function


@dataclass(frozen=True)
class Module:
    """The syntax tree of a module.

    Attributes:
        name: name of the module, such as ``semipunct.files``.
        tree: its syntax tree.
    """

    name: str
    tree: ast.Module


class Method(NamedTuple):
    """A public function.

    Attributes:
        function: its definition.
        owner: the class that it is a method of, if any.
    """

    function: Function
    owner: ast.ClassDef | None


class Fault(NamedTuple):
    """A docstring that violates the convention.

    Attributes:
        module: name of its module.
        line: line of the definition.
        complaint: the name of the object and the rule.
    """

    module: str
    line: int
    complaint: str


def library(root: Path) -> list[Module]:
    """Parse all modules of the library in a folder."""
    return [
        Module(
            ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__"),
            ast.parse(path.read_text(encoding="utf-8")),
        )
        for package in LIBRARY
        for path in sorted((root / package).rglob("*.py"))
    ]


def documented(module: Module) -> Iterator[tuple[str, int, str]]:
    """Yield name, line and docstring of every documented object, including private ones."""
    for node in ast.walk(module.tree):
        if isinstance(node, Documented) and (text := ast.get_docstring(node)):
            name = "the module" if isinstance(node, ast.Module) else node.name
            yield name, getattr(node, "lineno", 1), text


def attribute_docstrings(module: Module) -> Iterator[tuple[int, str]]:
    """Yield line and text of the strings below assignments."""
    for node in ast.walk(module.tree):
        if isinstance(node, Documented):
            for before, after in pairwise(node.body):
                match before, after:
                    case (
                        ast.Assign() | ast.AnnAssign(),
                        ast.Expr(value=ast.Constant(value=str(text))),
                    ):
                        yield after.lineno, text
                    case _:
                        pass


def stray_backticks(text: str) -> bool:
    """Tell whether a docstring has a backtick outside of double ones, roles and links."""
    for pattern in (_CODE, _ROLE, _LINK):
        text = pattern.sub("", text)
    return "`" in text


def public(module: Module) -> Iterator[Method]:
    """Yield the public functions, and the public methods and constructors of public classes."""
    for node in module.tree.body:
        if isinstance(node, Function) and not node.name.startswith("_"):
            yield Method(node, None)
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            for member in node.body:
                if isinstance(member, Function):
                    name = member.name
                    if name == "__init__" or not name.startswith("_"):
                        yield Method(member, node)


def parameters(method: Method) -> list[str]:
    """List the names of the parameters to describe.

    Excluded are the instance or the class, and parameters described by ``--help``: the docstring of
    a command is the text above its options, some of which are the fields of a class of options.
    """
    arguments = method.function.args
    found = [*arguments.posonlyargs, *arguments.args]
    decorators = {ast.unparse(decorator) for decorator in method.function.decorator_list}
    if method.owner is not None and "staticmethod" not in decorators:
        found = found[1:]
    rest = (arguments.vararg, *arguments.kwonlyargs, arguments.kwarg)
    found += [argument for argument in rest if argument is not None]
    if "with_options" in decorators:
        found = [argument for argument in found if argument.arg != "options"]
    return [
        argument.arg
        for argument in found
        if not (argument.annotation and _HELPED.search(ast.unparse(argument.annotation)))
    ]


def described(text: str) -> list[str] | None:
    """List the parameters that the section ``Args:`` names, None without such a section."""
    lines = iter(text.splitlines())
    if not any(line == "Args:" for line in lines):
        return None
    names: list[str] = []
    for line in lines:
        if line and not line.startswith(" "):
            break
        if entry := re.match(r" {4}(\*{0,2}\w+(?:, \*{0,2}\w+)*):", line):
            names += (name.strip(" *") for name in entry[1].split(","))
    return names


def members(owner: ast.ClassDef) -> set[str]:
    """Collect the names of the methods and annotated attributes of a class."""
    return {
        node.name if isinstance(node, Function) else ast.unparse(node.target)
        for node in owner.body
        if isinstance(node, Function | ast.AnnAssign)
    }


def base_names(owner: ast.ClassDef) -> list[str]:
    """List the names of the base classes, without their modules and type arguments."""
    return [ast.unparse(base).partition("[")[0].rpartition(".")[2] for base in owner.bases]


def is_promised(method: Method, classes: dict[str, list[ast.ClassDef]]) -> bool:
    """Tell whether a base class or a protocol describes the method, or a base is third-party."""
    if method.owner is None:
        return False
    name, own = method.function.name, members(method.owner)
    waiting, seen = base_names(method.owner), {"Generic", "Protocol", "ABC", "NamedTuple"}
    while waiting:
        base = waiting.pop()
        if base in seen:
            continue
        seen.add(base)
        if base not in classes or any(name in members(known) for known in classes[base]):
            return True
        waiting += (above for known in classes[base] for above in base_names(known))
    # A named tuple cannot derive from a protocol; it implements it by having all members.
    protocols = (c for known in classes.values() for c in known if "Protocol" in base_names(c))
    return any(
        name in members(protocol) and members(protocol) <= own
        for protocol in protocols
        if protocol is not method.owner
    )


def faults(modules: list[Module]) -> Iterator[Fault]:
    """Yield every violation of the convention."""
    classes: dict[str, list[ast.ClassDef]] = {}
    for module in modules:
        for node in ast.walk(module.tree):
            if isinstance(node, ast.ClassDef):
                classes.setdefault(node.name, []).append(node)
    for module in modules:
        for name, line, text in documented(module):
            first = text.split(maxsplit=1)[0]
            if first in NO_STATEMENT:
                yield Fault(module.name, line, f"{name}: the docstring begins with {first}")
            if stray_backticks(text):
                yield Fault(module.name, line, f"{name}: single backticks; use double ones")
        for line, text in attribute_docstrings(module):
            if stray_backticks(text):
                yield Fault(module.name, line, "single backticks; use double ones")
        for method in public(module):
            for complaint in argument_faults(method, classes):
                yield Fault(module.name, method.function.lineno, complaint)


def argument_faults(method: Method, classes: dict[str, list[ast.ClassDef]]) -> Iterator[str]:
    """Yield complaints about public functions with undescribed parameters."""
    function, names = method.function, parameters(method)
    if any(ast.unparse(d).endswith("overload") for d in function.decorator_list):
        return
    text = ast.get_docstring(function) or ""
    found = described(text)
    if found is None and function.name == "__init__" and method.owner is not None:
        found = described(ast.get_docstring(method.owner) or "")
    if found is not None:
        if sorted(found) != sorted(names):
            yield f"{function.name}({', '.join(names)}): Args: names {', '.join(found)}"
    elif len(names) >= 2 and not is_promised(method, classes):
        yield f"{function.name}({', '.join(names)}): no Args:"


def test_the_library_follows_the_convention():
    assert list(faults(library(ROOT))) == []


def complaints(source: str) -> list[str]:
    module = Module("semipunct.m", ast.parse(source))
    return [fault.complaint for fault in faults([module])]


def function(head: str, *lines: str) -> str:
    """Write a function with a docstring of the given lines."""
    return "\n".join([head, '    """' + "\n    ".join(lines) + '"""'])


@pytest.mark.parametrize("first", sorted(NO_STATEMENT))
def test_a_relative_clause_is_found(first: str):
    text = f'"""{first} it is."""'
    assert complaints(text) == [f"the module: the docstring begins with {first}"]
    assert complaints(f"class C:\n    {text}") == [f"C: the docstring begins with {first}"]
    nested = f"def f():\n    def _g():\n        {text}"
    assert complaints(nested) == [f"_g: the docstring begins with {first}"]
    assert complaints(f"A = 1\n{text}") == []


@pytest.mark.parametrize("text", ["Of `a`.", "Of ``a`` and `b`.", "Of ``a``, `"])
def test_single_backticks_are_found(text: str):
    assert complaints(f'"""{text}"""') == ["the module: single backticks; use double ones"]
    assert complaints(f'A: int = 1\n"""{text}"""') == ["single backticks; use double ones"]


def test_double_backticks_roles_and_links_are_not_reported():
    assert (
        complaints('"""Of ``a``, :math:`x`, `the page <https://x.org>`_ and `````` marks."""') == []
    )


@pytest.mark.parametrize(
    "head, lines, complaint",
    [
        ("def f(a, b):", ("Do.",), "f(a, b): no Args:"),
        ("async def f(a, *, b):", ("Do.",), "f(a, b): no Args:"),
        ("def f(*a, **b):", ("Do.",), "f(a, b): no Args:"),
        ("def f(a, b):", ("Do.", "", "Args:", "    a: one."), "f(a, b): Args: names a"),
        ("def f(a):", ("Do.", "", "Args:", "    a: one.", "    b: two."), "f(a): Args: names a, b"),
        (
            "def f(a, b):",
            ("Do.", "", "Args:", "    a: one.", "", "Returns:", "    b: two."),
            "f(a, b): Args: names a",
        ),
    ],
)
def test_parameters_that_are_not_described_are_found(
    head: str, lines: tuple[str, ...], complaint: str
):
    assert complaints(function(head, *lines)) == [complaint]


@pytest.mark.parametrize(
    "head, lines",
    [
        ("def f(a):", ("Do.",)),
        ("def _f(a, b):", ("Do.",)),
        (
            "def f(a, *b):",
            ("Do.", "", "Args:", "    a: one,", "        c: no name.", "    *b: two."),
        ),
        ("def f(a, b):", ("Do.", "", "Args:", "    a, b: both.", "", "Raises:", "    E: if.")),
        ("@overload\ndef f(a, b):", ("Do.",)),
        ("def f(a: Annotated[str, typer.Option(help='One.')], b):", ("Do.",)),
    ],
)
def test_parameters_that_need_no_description_are_not_reported(head: str, lines: tuple[str, ...]):
    assert complaints(function(head, *lines)) == []


def test_a_method_that_keeps_the_promise_of_its_base_class_needs_no_docstring():
    base = "class B:\n    def f(self, a): ...\n    def g(self, a): ...\n"
    derived = "class C(B):\n    def f(self, a, b): ...\n    def h(self, a, b): ...\n"
    assert complaints(base + derived) == ["h(a, b): no Args:"]
    assert complaints("class C(Foreign):\n    def f(self, a, b): ...\n") == []
    protocol = base.replace("class B", "class B(Protocol)")
    assert complaints(protocol + "class C(NamedTuple):\n    def f(self, a, b): ...") == [
        "f(a, b): no Args:"
    ]
    both = "class C(NamedTuple):\n    def f(self, a, b): ...\n    def g(self, a): ..."
    assert complaints(protocol + both) == []
    assert complaints("class C(Generic[T]):\n    def f(self, a, b): ...\n") == ["f(a, b): no Args:"]


def test_a_constructor_is_described_by_itself_or_by_its_class():
    method = "    def __init__(self, a, b): ..."
    assert complaints(f"class C:\n{method}") == ["__init__(a, b): no Args:"]
    described_by_class = function("class C:", "A.", "", "Args:", "    a: one.", "    b: two.")
    assert complaints(f"{described_by_class}\n{method}") == []
