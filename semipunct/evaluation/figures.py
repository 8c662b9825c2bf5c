"""Figures of a corpus: one struct per metric, from which JSON and tables are generated.

Undefined figures are NaN; NaN and infinity are null in JSON (``docs/decisions/architecture.md``).
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, TypeAlias, cast, get_type_hints

import msgspec
from msgspec import Meta

from semipunct.files import finite
from semipunct.wording import figure

Number = Annotated[int, Meta(ge=0)]
Real: TypeAlias = float
"""A float in Python, NaN if undefined; a number or null in JSON."""
Ratio = Annotated[Real, Meta(description="from 0 to 1")]


class Figures(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The figures of a corpus.

    Fields with a title in ``msgspec.Meta`` are rows of the table; ``extra={"format": ...}``
    overrides the format of the value.

    Attributes:
        schema: name and version of the object that commands print; empty for the default.
    """

    schema: ClassVar[str] = ""

    def as_dict(self) -> dict[str, Any]:
        """Return all figures for JSON."""
        return finite_values(msgspec.to_builtins(self))

    def rows(self) -> list[tuple[str, str]]:
        """Return titles and formatted values for a table."""
        rows: list[tuple[str, str]] = []
        for name, annotation in get_type_hints(type(self), include_extras=True).items():
            notes = [note for note in getattr(annotation, "__metadata__", ()) if note.title]
            if not notes:
                continue
            title, value = cast(str, notes[-1].title), getattr(self, name)
            if isinstance(value, Figures):
                (_, first), *further = value.rows()
                rows += [(title, first), *further]
            else:
                rows.append((title, _shown(value, notes[-1])))
        return rows


def _shown(value: float, note: Meta) -> str:
    default = "," if isinstance(value, int) else ".4f"
    return figure(value, (note.extra or {}).get("format", default))


def finite_values(value: Any) -> Any:
    """Return a value for JSON with null in place of NaN and infinities, at any depth."""
    if isinstance(value, dict):
        return {name: finite_values(part) for name, part in cast(dict[str, Any], value).items()}
    if isinstance(value, list):
        return [finite_values(part) for part in cast(list[Any], value)]
    return finite(value) if isinstance(value, float) else value


CRITERION = "criterion"


class CriterionFigures(Figures, frozen=True):
    """The figures by which training selects the best weights."""

    schema = "semipunct.evaluate-criterion/1"
    kind: Annotated[str, Meta(description="of model")]
    unit: Annotated[str, Meta(description="one example")]
    examples: Number
    figures: Annotated[dict[str, Real], Meta(description="null is infinite or undefined")]

    def rows(self) -> list[tuple[str, str]]:
        return [
            *((name.replace("_", " "), figure(value)) for name, value in self.figures.items()),
            (f"{self.unit}s", f"{self.examples:,}"),
        ]
