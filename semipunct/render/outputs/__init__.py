"""The types of the JSON output of commands; ``docs/schema`` contains their JSON Schemas.

The first key of every object is ``schema``, the name and the version of its type; the version
changes with every change of keys or meanings. Logarithms are natural. Special tokens are given by
name (``<abbr>``, ``<open>``, ``<unk>``), not by the symbols of text output (``marks.display``).
"""

from __future__ import annotations

from collections.abc import Mapping
from inspect import cleandoc
from typing import Any, cast

import msgspec

from semipunct.render.outputs.explanations import ExplainedSentence
from semipunct.render.outputs.figures import (
    Compared,
    Comparison,
    CorrectionsCompared,
    Counted,
    CriterionEvaluated,
    Evaluated,
    ParsesCompared,
)
from semipunct.render.outputs.models import ModelList
from semipunct.render.outputs.parts import Part
from semipunct.render.outputs.semirings import SemiringList, SemiringReport
from semipunct.render.outputs.sentences import CorrectedSentence, Decoded, LeftOut, Restored
from semipunct.render.outputs.treebanks import Diffed, Normalised, Suspected

OUTPUTS: Mapping[str, tuple[type[msgspec.Struct], ...]] = {
    "compare": (Comparison,),
    "correct": (CorrectedSentence, LeftOut),
    "correct-gold": (CorrectionsCompared,),
    "decode": (Decoded, LeftOut),
    "diff": (Diffed,),
    "evaluate": (
        Evaluated,
        ParsesCompared,
        CriterionEvaluated,
    ),
    "explain": (ExplainedSentence, LeftOut),
    "models-list": (ModelList,),
    "normalise": (Normalised,),
    "parse-gold": (ParsesCompared,),
    "restore": (Restored, LeftOut),
    "restore-gold": (Compared,),
    "semirings-check": (SemiringReport,),
    "semirings-list": (SemiringList,),
    "stats": (Counted,),
    "suspects": (Suspected,),
}
"""The types of the objects that a command prints, by the name of the schema file."""


def output(kind: type[Part], value: Mapping[str, Any]) -> dict[str, Any]:
    """Return a value as an object of a type, with its schema first and its keys in order.

    Args:
        kind: the type.
        value: by key.

    Raises:
        msgspec.ValidationError: if the value is not of the type.
    """
    return msgspec.to_builtins(msgspec.convert(value, kind))


def json_schema(name: str) -> dict[str, Any]:
    """Return the JSON Schema of what a command prints.

    Args:
        name: one of ``OUTPUTS``.
    """
    kinds = OUTPUTS[name]
    types, parts = msgspec.json.schema_components(kinds, ref_template="#/$defs/{name}")
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"semipunct {name}",
        "anyOf": list(types),
        "$defs": _canonical(parts),
    }


def _canonical(schema: Any) -> Any:
    """Return a schema in the form that it has under all versions of Python and msgspec.

    Docstrings are not indented, as in Python 3.13, null is the last of several types, and a number
    that may be undefined (``evaluation.figures.Real``) has no type beside its alternatives.
    """
    if isinstance(schema, list):
        return [_canonical(part) for part in cast(list[Any], schema)]
    if not isinstance(schema, dict):
        return schema
    found = {name: _canonical(part) for name, part in cast(dict[str, Any], schema).items()}
    if isinstance(found.get("description"), str):
        found["description"] = cleandoc(found["description"])
    if isinstance(found.get("title"), str):
        found["title"] = found["title"].strip()  # without the indent of tables
    if isinstance(found.get("anyOf"), list):
        found["anyOf"].sort(key=lambda part: part == {"type": "null"})
        found.pop("type", None)
    return found
