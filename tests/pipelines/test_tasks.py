"""Each kind names its tasks, and nothing else asks for kinds."""

import ast
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

import semipunct
from semipunct.errors import ModelError, UsageError
from semipunct.models.registry import kind_names
from semipunct.pipelines.task import Tasks, task_of, tasks_of

ROOT = Path(__file__).resolve().parents[2] / "semipunct"

ABLE = {
    "restore": {"punctuation", "commas", "phrase-commas", "text"},
    "correct": {"correction", "text"},
    "parse": {"parser", "beam-parser", "phrase-parser", "ccg-parser"},
    "decode": {"punctuation"},
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


def test_a_model_that_cannot_do_a_task_names_the_kinds_that_can():
    with pytest.raises(
        ModelError,
        match=r"^m: a model of the kind ordering cannot correct; name a model of the kind "
        r"correction or text, or train one",
    ):
        task_of(of_kind("ordering"), "correct", "m")


def test_a_kind_without_tasks_can_only_be_evaluated():
    assert tasks_of("tokeniser") == Tasks()
    with pytest.raises(ModelError, match="a model of the kind tokeniser cannot parse"):
        task_of(of_kind("tokeniser"), "parse")


def test_given_options_are_refused_and_others_are_not(text_model: Path, parser: Path):
    loaded = semipunct.load(text_model, parser=parser)
    with pytest.raises(UsageError, match=r"^a text model does not support --parser; leave it out$"):
        loaded.task("restore")
    assert semipunct.load(text_model).task("restore").name == "restore"


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
