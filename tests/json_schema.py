"""A validator of JSON Schema for the keywords in the published schemas; others raise errors."""

import json
from pathlib import Path
from typing import Any

SCHEMAS = Path(__file__).resolve().parents[1] / "docs" / "schema"

TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,), "array": (list,), "string": (str,), "integer": (int,),
    "number": (int, float), "boolean": (bool,), "null": (type(None),),
}  # fmt: skip
ASIDE = {"$schema", "$defs", "title", "description", "required", "additionalProperties"}


def published(name: str) -> dict[str, Any]:
    """Return the published schema of a command's output."""
    return json.loads((SCHEMAS / f"{name}.json").read_text("utf-8"))


def faults(value: Any, schema: dict[str, Any], root: dict[str, Any], where: str = "") -> list[str]:
    """Return the errors in a value, each with its location.

    Args:
        value: the JSON value.
        schema: the schema for the value.
        root: the whole schema, for resolving references.
        where: location of the value.
    """
    found: list[str] = []
    for keyword, demand in schema.items():
        match keyword:
            case "$ref":
                found += faults(value, root["$defs"][demand.removeprefix("#/$defs/")], root, where)
            case "anyOf":
                tried = [faults(value, one, root, where) for one in demand]
                found += min(tried, key=len)
            case "type":
                kinds = [demand] if isinstance(demand, str) else demand
                right = any(isinstance(value, TYPES[kind]) for kind in kinds)
                if not right or (isinstance(value, bool) and "boolean" not in kinds):
                    return [f"{where}: {value!r} is not of type {demand}"]
            case "enum":
                found += [f"{where}: {value!r} is none of {demand}"] * (value not in demand)
            case "minimum":
                found += [f"{where}: {value} < {demand}"] * (value < demand)
            case "items":
                for number, item in enumerate(value):
                    found += faults(item, demand, root, f"{where}[{number}]")
            case "properties":
                found += _faults_of_keys(value, schema, root, where)
            case "propertyNames":
                for key in value:
                    found += faults(key, demand, root, f"{where}.{key}")
            case "additionalProperties" if isinstance(demand, dict):
                for key, item in value.items():
                    found += faults(item, demand, root, f"{where}.{key}")
            case _:
                assert keyword in ASIDE, keyword
    return found


def _faults_of_keys(
    value: Any, schema: dict[str, Any], root: dict[str, Any], where: str
) -> list[str]:
    known = schema["properties"]
    found = [f"{where}: {key} is missing" for key in schema["required"] if key not in value]
    for key, item in value.items():
        if key in known:
            found += faults(item, known[key], root, f"{where}.{key}")
        else:
            found += [f"{where}: {key} is unknown"] * (schema["additionalProperties"] is False)
    return found
