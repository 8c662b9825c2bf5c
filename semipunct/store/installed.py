"""Models that distributions install, by name.

An entry point in the group ``semipunct.models`` names a package whose model folders are its parts.
Distributions may share a name: ``en/text``, ``en/parser``.
"""

from __future__ import annotations

from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from semipunct.errors import ModelError, nearest
from semipunct.store.folder import model_folders

# The entry point group of installed models; not a module.
GROUP = ".".join(("semipunct", "models"))

# The part that a name alone means: the model that needs no other.
FIRST = "text"


# The distributions, in ``packages/``, to suggest for models that are not installed.
LANGUAGE_DISTRIBUTIONS = {"en": "semipunct-en", "es": "semipunct-es", "zh": "semipunct-zh"}


class InstalledModel(NamedTuple):
    """A model that a distribution installs, named as ``en/text``."""

    name: str
    folder: Path
    distribution: str
    version: str


def installed_models() -> list[InstalledModel]:
    """Return the installed models, sorted by name; names must be unique."""
    models: dict[str, InstalledModel] = {}
    for point in entry_points(group=GROUP):
        for model in _models_of(point):
            first_of_name = models.setdefault(model.name, model)
            if first_of_name.folder != model.folder:
                raise ModelError(
                    f"{model.name} is installed by {first_of_name.distribution} and by "
                    f"{model.distribution}; uninstall one of them"
                )
    return [models[name] for name in sorted(models)]


def folder_of(model: str | Path) -> Path:
    """Return the folder of a model, given its path or the name of an installed model.

    Args:
        model: a path or, if nothing is there, a name such as ``en/text``, or ``en`` for its text
            model.

    Raises:
        ModelError: if a part of an installed name is missing, or the name alone is ambiguous.
    """
    path = Path(model)
    if path.exists() or isinstance(model, Path) or not _is_name(model):
        return path
    models = installed_models()
    parts = {m.name: m.folder for m in models}
    if model in parts:
        return parts[model]
    first, _, part = model.partition("/")
    of_package = [name for name in parts if name.startswith(f"{first}/")]
    distribution = LANGUAGE_DISTRIBUTIONS.get(first)
    if part or not of_package:
        hints: list[str] = []
        if of_package:
            hints.append(f"installed are: {', '.join(of_package)}")
        # With their common prefix all names would be similar.
        if meant := nearest(part, [name.partition("/")[2] for name in of_package]):
            hints.append(f"did you mean {first}/{meant}?")
        elif distribution and distribution not in {m.distribution for m in models}:
            hints.append(f"{distribution} has such models: pip install {distribution}")
        if not hints:
            return path
        raise ModelError(f"{model} is not installed; {'; '.join(hints)}")
    if f"{first}/{FIRST}" in parts:
        return parts[f"{first}/{FIRST}"]
    if len(of_package) > 1:
        raise ModelError(f"{model} has several models; give one of: {', '.join(of_package)}")
    return parts[of_package[0]]


def nearest_name(model: str) -> str | None:
    """Return the name of the installed model most similar to a wrong name."""
    names = [m.name for m in installed_models()]
    return nearest(model, [*names, *{name.partition("/")[0] for name in names}])


def _models_of(point: EntryPoint) -> list[InstalledModel]:
    distribution = point.dist.name if point.dist else "?"
    version = point.dist.version if point.dist else "?"
    spec = find_spec(point.value)
    places = list(spec.submodule_search_locations or ()) if spec else []
    if not places:
        raise ModelError(
            f"{distribution} {version} registers the models {point.name} in {point.value}, which "
            "is not a package; install it again"
        )
    return [
        InstalledModel(f"{point.name}/{folder.name}", folder, distribution, version)
        for place in places
        for folder in model_folders(place)
        if folder != Path(place)
    ]


def _is_name(model: str) -> bool:
    parts = model.split("/")
    return len(parts) <= 2 and all(
        part and part[0].isalnum() and "\\" not in part for part in parts
    )
