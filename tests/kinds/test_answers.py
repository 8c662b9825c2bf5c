"""Each kind has a module with what it can be asked, and nothing else asks for kinds."""

import ast
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from semipunct.errors import ModelError, UsageError
from semipunct.kinds.answers import Answers, answer_of, answers_of, refuse
from semipunct.models.registry import KINDS, kind_names

ROOT = Path(__file__).resolve().parents[2] / "semipunct"

ABLE = {
    "restore": {"punctuation", "commas", "phrase-commas", "text"},
    "restore_sentences": {"punctuation", "commas", "phrase-commas", "text"},
    "restore_texts": {"punctuation", "commas", "phrase-commas", "text"},
    "correct": {"correction", "text"},
    "correct_sentences": {"correction", "text"},
    "parse": {"parser", "beam-parser", "phrase-parser", "ccg-parser"},
    "evaluate": set(kind_names()),
}
"""The kinds that can do each task, as the documentation says."""

CHECKS = {
    ("tasks/base.py", "model_of_kind"),
    ("tasks/correct.py", "correction_model"),
    ("tasks/punctuation_models.py", "explaining_model"),
    ("tasks/punctuation_models.py", "punctuation_model"),
}
"""Functions that do nothing for a model of another kind but raise an error or return None."""


def of_kind(name: str) -> Any:
    return SimpleNamespace(kind=name)


@pytest.mark.parametrize("task", ABLE)
def test_kinds_can_do_what_the_documentation_says(task: str):
    assert {kind for kind in kind_names() if getattr(answers_of(kind), task) is not None} == ABLE[
        task
    ]


def test_each_module_of_a_kind_is_one_of_a_registered_kind():
    answering = {
        path.stem.replace("_", "-")
        for path in (ROOT / "kinds").glob("*.py")
        if "ANSWERS" in {
            name.id if isinstance(name, ast.Name) else name.asname
            for node in ast.parse(path.read_text("utf-8")).body
            for name in (
                node.targets if isinstance(node, ast.Assign)
                else node.names if isinstance(node, ast.ImportFrom) else ()
            )
            if isinstance(name, ast.Name | ast.alias)
        }
    }  # fmt: skip
    assert answering == set(KINDS)


def test_a_model_that_cannot_do_a_task_names_the_kinds_that_can():
    with pytest.raises(
        ModelError,
        match=r"^m: a model of the kind ordering cannot correct; name a model of the kind "
        r"correction or text, or train one",
    ):
        answer_of(of_kind("ordering"), "correct", "m")


def test_a_kind_without_a_module_can_only_be_evaluated(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(KINDS, "toy", "toy:KIND")
    assert answers_of("toy") == Answers()
    with pytest.raises(ModelError, match="a model of the kind toy cannot parse"):
        answer_of(of_kind("toy"), "parse")


def test_another_distribution_registers_the_tasks_of_its_kind(monkeypatch: pytest.MonkeyPatch):
    def parse(*_: object) -> Any:
        return "parsed"

    ours = {("answers", "toy"): Answers(parse=parse)}
    monkeypatch.setattr(
        "semipunct.kinds.answers.find_plugin", lambda group, name, _: ours.get((group, name))
    )
    assert answer_of(of_kind("toy"), "parse") is parse
    with pytest.raises(ModelError, match="cannot restore"):
        answer_of(of_kind("toy"), "restore")


def test_given_options_are_refused_and_others_are_not():
    refuse("a toy", {"--a": False, "--b": None, "--c": 0})
    with pytest.raises(UsageError, match=r"^a toy does not support --b, --c; leave it out$"):
        refuse("a toy", {"--a": False, "--b": "x", "--c": 2})


def test_commands_and_tasks_do_not_distinguish_kinds():
    """No dispatch by the class of a model or by the name of a kind outside of the room."""
    found: list[tuple[str, str]] = []
    for room in ("cli", "tasks", "render"):
        for path in sorted((ROOT / room).rglob("*.py")):
            for function in ast.walk(ast.parse(path.read_text("utf-8"))):
                if isinstance(function, ast.FunctionDef):
                    place = (path.relative_to(ROOT).as_posix(), function.name)
                    found += [place for node in ast.walk(function) if asks_for_a_kind(node)]
    assert set(found) <= CHECKS


def asks_for_a_kind(node: ast.AST) -> bool:
    """Tell whether an expression compares a kind, or the class of a model."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        if node.func.id != "isinstance":
            return False
        first, classes = node.args
        is_model = isinstance(first, ast.Attribute) and first.attr == "model"
        return is_model or any(
            isinstance(name, ast.Name) and name.id == "TextModel" for name in ast.walk(classes)
        )
    if isinstance(node, ast.Compare):
        sides = [node.left, *node.comparators]
        texts = [cast(Any, x).value for side in sides for x in ast.walk(side)
                 if isinstance(x, ast.Constant)]  # fmt: skip
        return any(text in kind_names() for text in texts if isinstance(text, str)) and any(
            isinstance(x, ast.Name | ast.Attribute)
            and (getattr(x, "id", "") or getattr(x, "attr", "")) in ("kind", "name")
            for side in sides
            for x in ast.walk(side)
        )
    return False


@pytest.mark.parametrize(
    "source",
    [
        "isinstance(loaded.model, Parser)",
        "isinstance(model, TextModel)",
        "kind == 'correction'",
        "model.kind in ('commas', 'text')",
    ],
)
def test_a_planted_dispatch_is_seen(source: str):
    assert any(map(asks_for_a_kind, ast.walk(ast.parse(source))))
