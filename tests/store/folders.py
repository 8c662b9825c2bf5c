"""Model folders to be damaged: helpers for tests of the store."""

import hashlib
import json

import pytest

from semipunct.errors import ModelError
from semipunct.store.checkpoint import load


def reseal(folder):
    """Update the manifest to match the files, so that later checks are reached."""
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text())
    sums = manifest["sha256"]
    for name in sums:
        sums[name] = hashlib.sha256((folder / name).read_bytes()).hexdigest()
    path.write_text(json.dumps(manifest))


def edit(path, change):
    data = json.loads(path.read_text())
    change(data)
    path.write_text(json.dumps(data))


def complaint(folder):
    with pytest.raises(ModelError) as error:
        load(folder)
    message = str(error.value)
    assert str(folder) in message
    assert "\n" not in message
    return message
