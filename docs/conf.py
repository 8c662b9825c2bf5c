"""Sphinx configuration; `make docs` builds the site, and any warning fails the build."""

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
exclude_patterns = ["examples", "_build", "_static"]
root_doc = "index"
language = "en"

html_theme = "furo"
html_title = f"semipunct {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]

# The reference has a page for each module that exports public names: with a page for each of the
# 400 modules, the theme would need minutes for the navigation.
autosummary_generate = True
autodoc_default_options = {"members": True, "show-inheritance": True}
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
# Signatures show the aliases of the source.
autodoc_preserve_defaults = True
# Annotations are names without modules, and several packages have, say, a Vocabulary.
suppress_warnings = ["ref.python"]
templates_path = ["_templates"]

napoleon_google_docstring = True
napoleon_numpy_docstring = False
napoleon_use_ivar = True


# The page of each name that several modules export.
page_of: dict[str, str] = {}


def skip(app: Any, what: str, _name: str, member: Any, _skip: bool, _options: Any) -> Any:
    """Leave out fields of named tuples, described under Attributes, and names on other pages."""
    if str(getattr(member, "__doc__", "")).startswith("Alias for field"):
        return True
    page = app.env.current_document.docname if what == "module" else None
    full = f"{getattr(member, '__module__', '')}.{getattr(member, '__qualname__', '')}"
    if page and full.startswith(("semipunct.", "semirings.")):
        return True if page_of.setdefault(full, page) != page else None
    return None


def setup(app: Any) -> None:
    """Connect the handlers to Sphinx."""
    app.connect("autodoc-skip-member", skip)
