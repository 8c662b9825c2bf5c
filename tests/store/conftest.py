"""A model folder of its own for each test."""

import shutil

import pytest


@pytest.fixture(scope="session", autouse=True)
def _compiled_once(trained_alike: None) -> None:
    """Share what is compiled between equal models."""


@pytest.fixture
def folder(finished, tmp_path):
    return shutil.copytree(finished.folder, tmp_path / "model")
