"""Properties of every kind of model in the registry."""

import subprocess
import sys

import pytest

from semipunct.models.base import Model
from semipunct.models.kind import PERPLEXITY, Config, Criterion, SharedTrainOptions
from semipunct.models.registry import find_kind, kind_names


@pytest.mark.parametrize("name", kind_names())
def test_a_kind_is_what_its_line_says(name):
    kind = find_kind(name)
    assert kind.name == name
    assert issubclass(kind.load(), Model)
    assert kind.load().kind == name
    assert issubclass(kind.train_options, SharedTrainOptions)
    assert isinstance(Config.of(kind).model, kind.model_options)
    # A kind without presets starts from the defaults of its classes.
    assert all(kind.preset(preset) for preset in kind.presets)


def test_settings_are_read_without_jax():
    program = (
        "import sys\n"
        "from semipunct.models.registry import kind_names\n"
        "from semipunct.training.config import load_config\n"
        "for kind in kind_names(): load_config(kind=kind)\n"
        "sys.exit('jax' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_a_criterion_ranks_evaluations():
    low, high = {"dev_las": 0.5}, {"dev_las": 0.75}
    accuracy = Criterion("las", "LAS", highest=True)
    assert accuracy.rank(high) < accuracy.rank(low) < accuracy.rank({"dev_las": None})
    assert PERPLEXITY.rank({"dev_perplexity_of_scorable": 1.5, "dev_unscorable": 1}) > (
        PERPLEXITY.rank({"dev_perplexity_of_scorable": 9.5, "dev_unscorable": 0})
    )
