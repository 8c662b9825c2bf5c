"""Names that the shell completes, if ``semipunct --install-completion`` was run.

Where no name fits, the shell completes names of files, so folders of models are found, too.
"""


def complete_models(incomplete: str) -> list[str]:
    """Return the names of installed models, and of their packages, that begin so.

    Args:
        incomplete: the beginning of the name.
    """
    from semipunct.store.installed import installed_models

    parts = [model.name for model in installed_models()]
    return _beginning(incomplete, [*(name.partition("/")[0] for name in parts), *parts])


def complete_kinds(incomplete: str) -> list[str]:
    """Return the kinds of models whose names begin so.

    Args:
        incomplete: the beginning of the name.
    """
    from semipunct.models.registry import kind_names

    return _beginning(incomplete, kind_names())


def complete_semirings(incomplete: str) -> list[str]:
    """Return the registered semirings whose names begin so, without loading them.

    Args:
        incomplete: the beginning of the name.
    """
    from importlib.metadata import entry_points

    from semirings.plugins import GROUP

    return _beginning(incomplete, sorted({point.name for point in entry_points(group=GROUP)}))


def _beginning(incomplete: str, names: list[str]) -> list[str]:
    return [name for name in dict.fromkeys(names) if name.startswith(incomplete)]
