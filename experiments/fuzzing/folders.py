"""Mutations of model folders: of single files, of the manifest, and of the folder."""

from __future__ import annotations

import json
import os
import struct
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from fuzzing import json_values

Files = dict[str, bytes]
"""The contents of a folder by file name."""

MANIFEST = "manifest.json"

RESEALED = 0.8
"""Fraction of the damaged folders with an updated manifest, so that the damage is reached."""


def damaged(random: Random, files: Files) -> str:
    """Damage some files of a model folder, in place.

    Args:
        random: random number generator.
        files: files of a valid model.

    Returns:
        What was done.
    """
    notes: list[str] = []
    for _ in range(random.choice((1, 1, 1, 2))):
        name = random.choice([n for n in sorted(files) if n != MANIFEST] or [MANIFEST])
        if random.random() < 0.12 and MANIFEST in files:
            name = MANIFEST
        suffix = name.rpartition(".")[2]
        ways = [*ANY, *(OF_TENSORS * 3 if suffix == "safetensors" else ())]
        if suffix == "json":
            ways += [_json] * 12
        elif suffix == "jsonl":
            ways += [_json_lines] * 3
        if name in files:
            notes.append(f"{name}: {random.choice(ways)(random, files, name)}")
    if random.random() < RESEALED:
        reseal(files)
        notes.append("resealed")
    return "; ".join(notes)


def reseal(files: Files) -> None:
    """Update the digests of the manifest, if it is still a manifest."""
    try:
        manifest = json.loads(files[MANIFEST])
        sums = manifest["sha256"]
        for name in sums:
            if name in files:
                sums[name] = sha256(files[name]).hexdigest()
    except (KeyError, ValueError, TypeError, RecursionError):
        return
    files[MANIFEST] = json.dumps(manifest).encode()


def written(random: Random, files: Files, folder: Path) -> str:
    """Write a folder, with an occasional file replaced by something else.

    Args:
        random: random number generator.
        files: contents by name.
        folder: folder to create.

    Returns:
        A description of the replacement.
    """
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    if not files:
        folder.mkdir()
    if random.random() > 0.06 or not files:
        return ""
    path = folder / random.choice(sorted(files))
    way = random.choice(("folder", "loop", "dangling", "other file", "moved", "device", "twin"))
    moved = folder / "moved"
    path.rename(moved)
    match way:
        case "folder":
            path.mkdir()
        case "loop":
            path.symlink_to(path.name)
        case "dangling":
            path.symlink_to("nothing")
        case "other file":
            path.symlink_to(random.choice([p.name for p in folder.iterdir()]))
        case "device":
            path.symlink_to(os.devnull)
        case "twin":
            os.link(moved, path)
        case _:
            path.symlink_to(moved.name)
    return f"; {path.name} is {way}"


def _cut(random: Random, files: Files, name: str) -> str:
    files[name] = files[name][: random.randrange(len(files[name]) + 1)]
    return "cut off"


def _empty(random: Random, files: Files, name: str) -> str:
    files[name] = b""
    return "empty"


def _flip(random: Random, files: Files, name: str) -> str:
    content = bytearray(files[name] or b"x")
    for _ in range(random.choice((1, 8))):
        content[random.randrange(len(content))] ^= 1 << random.randrange(8)
    files[name] = bytes(content)
    return "bits flipped"


def _remove(random: Random, files: Files, name: str) -> str:
    del files[name]
    return "missing"


def _rename(random: Random, files: Files, name: str) -> str:
    files[random.choice((name.upper(), name + ".bak", "x"))] = files.pop(name)
    return "renamed"


def _swap(random: Random, files: Files, name: str) -> str:
    partner = random.choice(sorted(files))
    files[name], files[partner] = files[partner], files[name]
    return f"swapped with {partner}"


def _extra(random: Random, files: Files, name: str) -> str:
    files[random.choice(("notes.txt", "state.json", "state.safetensors", "y/z"))] = files[name]
    return "copied to another name"


def _garbage(random: Random, files: Files, name: str) -> str:
    files[name] = random.choice((b"\0" * 100, random.randbytes(64), b"\xff\xfe", b"\n\n\n"))
    return "garbage"


ANY: list[Callable[[Random, Files, str], str]] = [
    _cut, _empty, _flip, _remove, _rename, _swap, _extra, _garbage,
]  # fmt: skip
"""Mutations of any file."""


def _json(random: Random, files: Files, name: str) -> str:
    try:
        note, files[name] = json_values.mutated(random, files[name])
    except (ValueError, RecursionError):
        return "no JSON any more"
    return note


def _json_lines(random: Random, files: Files, name: str) -> str:
    odd = (b"null\n", b"[]\n", b"{}\n", b"\n", b"{", b"\xff\n", b'{"a": NaN}\n', b"[" * 9999)
    files[name] += random.choice(odd)
    return "another line"


def _head(content: bytes) -> tuple[dict[str, Any], bytes]:
    (size,) = struct.unpack_from("<Q", content)
    return json.loads(content[8 : 8 + size]), content[8 + size :]


def _packed(head: object, data: bytes) -> bytes:
    text = json.dumps(head).encode()
    return struct.pack("<Q", len(text)) + text + data


def _head_value(random: Random, files: Files, name: str) -> str:
    head, data = _head(files[name])
    note, text = json_values.mutated(random, json.dumps(head).encode())
    files[name] = struct.pack("<Q", len(text)) + text + data
    return f"head: {note}"


def _head_size(random: Random, files: Files, name: str) -> str:
    size = random.choice((0, 1, 7, 2**20, 2**40, 2**63, 2**64 - 1))
    files[name] = struct.pack("<Q", size) + files[name][8:]
    return f"head of {size}"


def _dtype(random: Random, files: Files, name: str) -> str:
    head, data = _head(files[name])
    tensor = random.choice(sorted(k for k, v in head.items() if isinstance(v, dict)))
    head[tensor]["dtype"] = random.choice(("I32", "F16", "BF16", "F64", "BOOL", "U8", "F8_E4M3"))
    files[name] = _packed(head, data)
    return "dtype"


def _shape(random: Random, files: Files, name: str) -> str:
    head, data = _head(files[name])
    tensor = random.choice(sorted(k for k, v in head.items() if isinstance(v, dict)))
    shape = head[tensor]["shape"]
    head[tensor]["shape"] = random.choice(
        (shape[::-1], [int(np.prod(shape))], [1, *shape], [*shape, 1], [], [-1], [2**63, 0])
    )
    files[name] = _packed(head, data)
    return "shape"


def _number(random: Random, files: Files, name: str) -> str:
    head, data = _head(files[name])
    place = 4 * random.randrange(max(1, len(data) // 4))
    value = random.choice((np.nan, np.inf, -np.inf, 3e38, 1e-45, -0.0))
    files[name] = _packed(head, data[:place] + np.float32(value).tobytes() + data[place + 4 :])
    return f"a weight is {value}"


def _tensor_name(random: Random, files: Files, name: str) -> str:
    head, data = _head(files[name])
    tensor = random.choice(sorted(head))
    head[random.choice(("", "x", tensor + ".0"))] = head.pop(tensor)
    files[name] = _packed(head, data)
    return "tensor renamed"


def _still(way: Callable[[Random, Files, str], str]) -> Callable[[Random, Files, str], str]:
    def mutate(random: Random, files: Files, name: str) -> str:
        try:
            return way(random, files, name)
        except (ValueError, TypeError, struct.error, LookupError, AttributeError, RecursionError):
            return "no tensors any more"

    return mutate


OF_TENSORS = [
    _still(way) for way in (_head_value, _head_value, _head_size, _dtype, _shape, _number,
                            _tensor_name)
]  # fmt: skip
"""Mutations of a file of tensors."""
