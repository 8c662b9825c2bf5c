"""A separate model folder for each test."""

import shutil

import pytest


@pytest.fixture
def folder(finished, tmp_path):
    return shutil.copytree(finished.folder, tmp_path / "model")
