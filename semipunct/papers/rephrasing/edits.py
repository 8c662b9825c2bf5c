"""Lists of edits to trees: deletions and moves, by sentence and word."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

from semipunct.errors import EditError, suggest
from semipunct.files import FileKind, byte_lines, display_name, from_json
from semipunct.trees import PLACES, Place
from semipunct.wording import quantity

_LIST = FileKind(
    EditError, not_a_folder="name a file with a list of edits", fetch_again="write the file again"
)
_DIGITS = 9  # no sentence has more words
_KEYS = frozenset({"sent_id", "delete", "move", "place", "head"})


@dataclass(frozen=True, slots=True)
class TreeEdit:
    """The deletion or move of a constituent.

    Attributes:
        word: the head of the constituent.
        place: the place to move it to; None to delete it.
        head: the new head, if any.
        where: file and line, for messages.
    """

    word: int
    place: Place | None = None
    head: int | None = None
    where: str = "edit"

    def renumber(self, word_ids: Sequence[int]) -> TreeEdit:
        """Replace word IDs by numbers, given the ID of each word, ``[n]``."""
        number = {word_id: word for word, word_id in enumerate(word_ids, start=1)}
        for word_id in (self.word, self.head):
            if word_id is not None and word_id not in number:
                raise EditError(
                    f"{self.where}: the sentence has no word with the ID {word_id}, or it is "
                    "punctuation; give the ID of a word"
                )
        head = None if self.head is None else number[self.head]
        return replace(self, word=number[self.word], head=head)


def read_tree_edits(path: str | Path) -> dict[str, list[TreeEdit]]:
    """Read the edits of each sentence, with words identified by their IDs.

    A line is JSON, ``{"sent_id": "a", "delete": 5}`` or ``{"sent_id": "a", "move": 5, "place":
    "first", "head": 3}``, or has tab-separated columns. The head is optional.

    Raises:
        EditError: if the file cannot be read, or a line has another form.
    """
    name = display_name(path)
    edits_of: dict[str, list[TreeEdit]] = {}
    for number, line in enumerate(byte_lines(path, _LIST), start=1):
        line = line.strip(b"\r\n ").removeprefix(b"\xef\xbb\xbf")
        if not line:
            continue
        where = f"{name}:{number}"
        sentence_id, edit = _json(line, where) if line.startswith(b"{") else _columns(line, where)
        edits_of.setdefault(sentence_id, []).append(edit)
    return edits_of


def _json(line: bytes, where: str) -> tuple[str, TreeEdit]:
    try:
        value: Any = from_json(line)
    except (ValueError, RecursionError) as error:
        raise EditError(f"{where}: this is not JSON ({error}); {_ADVICE}") from error
    entry = cast(Mapping[str, Any], value)
    if unknown := sorted(entry.keys() - _KEYS):
        raise EditError(f"{where}: the key {unknown[0]!r} is unknown; {_ADVICE}")
    actions = [action for action in ("delete", "move") if action in entry]
    if len(actions) != 1 or not isinstance(entry.get("sent_id"), str):
        raise EditError(f"{where}: a sent_id and either delete or move are needed; {_ADVICE}")
    (action,) = actions
    return entry["sent_id"], _edit(
        action, entry[action], entry.get("place"), entry.get("head"), where
    )


def _columns(line: bytes, where: str) -> tuple[str, TreeEdit]:
    try:
        sentence_id, action, *values = (x.strip() for x in line.decode("utf-8").split("\t"))
    except ValueError as error:  # including decoding errors
        raise EditError(f"{where}: there are no columns separated by tabs; {_ADVICE}") from error
    most = {"delete": 1, "move": 3}
    if action not in most:
        raise EditError(
            f"{where}: {action!r} is neither delete nor move{suggest(action, most)}; {_ADVICE}"
        )
    if not 1 <= len(values) <= most[action]:
        raise EditError(f"{where}: {action} with {quantity(len(values), 'value')}; {_ADVICE}")
    word, place, head = [*values, None, None][:3]
    return sentence_id, _edit(action, _number(word), place, _number(head), where)


def _number(text: str | None) -> object:
    is_number = text is not None and text.isascii() and text.isdecimal()
    return int(text) if is_number and text and len(text) <= _DIGITS else text


def _edit(action: str, word: object, place: object, head: object, where: str) -> TreeEdit:
    for value in (word, *([] if head is None else [head])):
        if not isinstance(value, int) or isinstance(value, bool):
            raise EditError(f"{where}: {value!r} is not the ID of a word; {_ADVICE}")
    if action == "delete":
        if place is not None or head is not None:
            raise EditError(f"{where}: delete has no place; {_ADVICE}")
        return TreeEdit(cast(int, word), where=where)
    if place not in PLACES:
        raise EditError(f"{where}: there is no place {place!r}; choose one of: {', '.join(PLACES)}")
    return TreeEdit(cast(int, word), place, cast("int | None", head), where)


_ADVICE = (
    'write ID<TAB>delete<TAB>5, ID<TAB>move<TAB>5<TAB>first<TAB>3, {"sent_id": ID, "delete": 5} or '
    '{"sent_id": ID, "move": 5, "place": "first", "head": 3}'
)
