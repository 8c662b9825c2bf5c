"""Settings of the documentation site: `make docs` builds it, and any warning fails the build."""

import sys
from importlib.metadata import version as installed_version
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1] / "experiments"))
import documentation
import option_lists

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
exclude_patterns = ["examples", "_build", "_static", "generated/options.md"]
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


# The page that describes each name which several modules export.
page_of: dict[str, str] = {}


def skip(app: Any, what: str, _name: str, member: Any, _skip: bool, _options: Any) -> Any:
    """Leave out the fields of named tuples, and names that another page describes.

    The class says under Attributes what its fields mean; "Alias for field number 0" adds nothing.
    """
    if str(getattr(member, "__doc__", "")).startswith("Alias for field"):
        return True
    page = app.env.current_document.docname if what == "module" else None
    full = f"{getattr(member, '__module__', '')}.{getattr(member, '__qualname__', '')}"
    if page and full.startswith(("semipunct.", "semirings.")):
        return True if page_of.setdefault(full, page) != page else None
    return None


class Results(SphinxDirective):
    """A table of ``experiments/documentation.py``, by name; the content is its caption."""

    required_arguments = 1
    has_content = True

    def run(self) -> list[nodes.Node]:
        self.assert_has_content()
        lines = documentation.markdown(self.arguments[0]).splitlines()
        box = nodes.container()
        self.state.nested_parse(StringList(lines, self.arguments[0]), self.content_offset, box)
        (table,) = box.findall(nodes.table)
        caption = nodes.container()
        self.state.nested_parse(self.content, self.content_offset, caption)
        table.insert(0, nodes.title("", "", *caption[0].children))
        return [table]


HERE = Path(__file__).parent


def write_options(_app: Any) -> None:
    """Write the lists that ``options.md`` includes."""
    (HERE / "generated").mkdir(exist_ok=True)
    (HERE / "generated" / "options.md").write_text(option_lists.markdown(), "utf-8")


def setup(app: Any) -> None:
    """Register the directive, the lists of options and the filter of the reference."""
    app.connect("builder-inited", write_options)
    app.add_directive("results", Results)
    app.connect("autodoc-skip-member", skip)
