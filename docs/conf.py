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
exclude_patterns = ["examples", "_build", "_static"]
root_doc = "index"
language = "en"

html_theme = "furo"
html_title = f"semipunct {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]

# The reference has the public names, on one page for each module that exports them: in a site with
# a page for each of the 400 modules, the theme needs minutes for the navigation of all pages.
autosummary_generate = True
autodoc_default_options = {"members": True, "show-inheritance": True}
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
