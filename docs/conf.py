"""Settings of the documentation site: `make docs` builds it, and any warning fails the build."""

from importlib.metadata import version as installed_version
from typing import Any

project = "semipunct"
author = "The semipunct authors"
project_copyright = author
release = installed_version("semipunct")
version = release

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
]
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
exclude_patterns = ["examples", "_build"]
root_doc = "index"
language = "en"

html_theme = "furo"
html_title = f"semipunct {release}"

# Every module gets a page of its own, found by walking the packages: a new module needs no entry
# here. A name is documented where it is defined, not again where it is re-exported.
autosummary_generate = True
autosummary_ignore_module_all = True
autosummary_imported_members = False
autodoc_default_options = {
    "ignore-module-all": True,
    "members": True,
    "show-inheritance": True,
}
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
# Signatures show the alias that the source names, not what it stands for.
autodoc_preserve_defaults = True
# Annotations are names without their modules, and several rooms have, say, a vocabulary.
suppress_warnings = ["ref.python"]
templates_path = ["_templates"]

napoleon_google_docstring = True
napoleon_numpy_docstring = False
napoleon_use_ivar = True


def skip_alias(_app: Any, _what: str, _name: str, member: Any, _skip: bool, _options: Any) -> Any:
    """Leave out the entries that Python writes for the fields of a named tuple.

    The class says under Attributes what they mean; "Alias for field number 0" adds nothing.
    """
    return True if str(getattr(member, "__doc__", "")).startswith("Alias for field") else None


def setup(app: Any) -> None:
    """Connect what is defined here to Sphinx."""
    app.connect("autodoc-skip-member", skip_alias)
