"""The fixtures of commands, for the commands and kinds of guests."""

from tests.cli.conftest import _compiled_once as _compiled_once
from tests.cli.conftest import cli as cli
