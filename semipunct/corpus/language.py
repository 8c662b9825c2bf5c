"""The language of a treebank, inferred from the names of its files."""

import re
from collections.abc import Iterable
from pathlib import PurePath

# Language codes of Universal Dependencies.
_CODES = re.compile(
    "af|ar|be|bg|br|ca|cs|cu|cy|da|de|el|en|es|et|eu|fa|fi|fo|fr|ga|gd|gl|got|grc|gsw|gv|he|hi|hr|"
    "hsb|hu|hy|hyw|id|is|it|ja|ka|kk|kmr|ko|la|lt|lv|lzh|mk|ml|mr|mt|nb|nl|nn|no|orv|pcm|pl|pt|ro|"
    "ru|sa|sk|sl|sme|sq|sr|sv|swl|ta|te|th|tl|tr|ug|uk|ur|uz|vi|wo|yo|yue|zh"
)

_FILE = re.compile(r"([a-z]{2,3})(?:_[a-z0-9]+)?-ud-")


def language_of(paths: Iterable[str]) -> str | None:
    """Return the language code shared by all files, None if it is unknown or mixed.

    Names such as ``id_gsd-ud-dev.conllu``, or of the folder, contain it.
    """
    codes = {_language(PurePath(path)) for path in paths}
    return codes.pop() if len(codes) == 1 else None


def _language(path: PurePath) -> str | None:
    match = _FILE.match(path.name)
    code = match[1] if match else path.parent.name
    return code if _CODES.fullmatch(code) else None
