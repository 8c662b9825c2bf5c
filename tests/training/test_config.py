import json
import re
import tomllib
from dataclasses import replace

import pytest

from semipunct.errors import ConfigError
from semipunct.models.kind import Config
from semipunct.models.registry import find_kind, kind_names
from semipunct.models.settings import Setting
from semipunct.training.config import load_config

PRESETS = [(kind, preset) for kind in kind_names() for preset in find_kind(kind).presets]


def complaint(*arguments, **keywords):
    with pytest.raises(ConfigError) as error:
        load_config(*arguments, **keywords)
    return str(error.value)


@pytest.fixture
def written(tmp_path):
    def write(text):
        path = tmp_path / "settings.toml"
        path.write_text(text, "utf-8")
        return path

    return write


@pytest.mark.parametrize("kind, preset", PRESETS)
def test_presets_set_every_key(kind, preset):
    values = load_config(None, [f"preset={preset}"], kind=kind).to_dict()
    values_of_preset = tomllib.loads(find_kind(kind).preset(preset))
    assert values_of_preset == values
    assert [list(section) for section in values_of_preset.values()] == [
        list(v) for v in values.values()
    ]


def test_later_layers_win(written):
    path = written(
        'preset = "paper"\n[model]\nchannel = "l2r"\n'
        "[train]\nvisits = 1\nbatch_size = 2\nseed = 3\n"
    )
    config = load_config(path, ["train.batch_size=20", "train.seed=30"], {"train.seed": 300})
    assert config.model.hard_sets
    assert config.model.channel == "l2r"
    assert (config.train.visits, config.train.batch_size, config.train.seed) == (1, 20, 300)
    # The preset is the lowest layer wherever it is selected.
    config = load_config(path, ["preset=loglinear"], {"model.channel": None})
    assert not config.model.hard_sets
    assert config.train.visits == 1


def test_values_are_read_as_toml_or_as_they_stand():
    config = load_config(
        None,
        [
            "model.channel=l2r",
            "train.learning_rate = 1",
            'train.schedule="constant"',
            "train.squared=false",
            "model.templates=N, W",
            "train.visits=12_000",
        ],
    )
    assert config.model.channel == "l2r"
    assert config.train.learning_rate == 1.0
    assert isinstance(config.train.learning_rate, float)
    assert config.train.schedule == "constant"
    assert config.train.squared is False
    assert config.model.templates == ("N", "W")
    assert load_config(None, ['model.templates=["N"]']).model.templates == ("N",)


def test_dictionaries_round_trip():
    config = load_config(None, ["preset=paper"])
    values = json.loads(json.dumps(config.to_dict()))
    assert Config.from_dict(config.kind, values, "config.json") == config


@pytest.mark.parametrize("kind", kind_names())
def test_the_default_preset_is_the_defaults_of_the_classes(kind):
    # Each default is defined in one place: a preset with other values would be a second one.
    assert Config.of(find_kind(kind)) == load_config(kind=kind)


def test_settings_that_an_older_program_did_not_know_have_defaults():
    config = load_config(None, ["preset=paper"])
    values = config.to_dict()
    del values["train"]["tied_l2"], values["model"]["passes"]
    config_read = Config.from_dict(config.kind, values, "config.json")
    assert config_read == replace(config, train=replace(config.train, tied_l2=1e-3))


def test_an_unknown_kind():
    with pytest.raises(ConfigError, match="no kind of model 'slot-tager'; did you mean 'slot-tag"):
        load_config(kind="slot-tager")


@pytest.mark.parametrize(
    "text, message",
    [
        ("[train]\n\nlerning_rate = 1", ":3: there is no setting 'train.lerning_rate'; did you "
         "mean 'train.learning_rate'?"),
        ("[trian]\nvisits = 1", ":2: there is no setting 'trian.visits'; did you mean "
         "'train.visits'?"),
        ("\nlearning_rate = 1", ":2: there is no setting 'learning_rate'; did you mean "
         "'train.learning_rate'?"),
        ("[model]\nlearning_rate = 1", ":2: there is no setting 'model.learning_rate'; did you "
         "mean 'train.learning_rate'?"),
        ("train.batch_siez = 1", ":1: there is no setting 'train.batch_siez'; did you mean "
         "'train.batch_size'?"),
        ("model = 3", ":1: model is a section: write [model]"),
        ("[train]\nvisits = 1.5", ":2: train.visits is 1.5; give a whole number"),
        ("[train]\nvisits = -1", ":2: train.visits is -1; it must be at least 0"),
        ("[train]\nlearning_rate = 0", ":2: train.learning_rate is 0.0; it must be greater than 0"),
        ("[train]\nseed = 9223372036854775808", ":2: train.seed is 9223372036854775808; it must "
         "be at most"),
        ("[train]\nlearning_rate = '1'", ":2: train.learning_rate is '1'; give a number"),
        ("[train]\nschedule = 'cosin'", ":2: train.schedule is 'cosin'; did you mean 'cosine'?"),
        ("[model]\ntemplates = 3", ":2: model.templates is 3; give a list of names"),
        ("[model]\ntemplates = ['c', 'history']", ":2: model.templates: c looks at"),
        ("[model]\ntemplates = ['X']", ":2: model.templates: there is no feature template 'X'"),
        ("preset = 'papre'", ":1: there is no preset 'papre'; did you mean 'paper'?"),
        ("[train]\nvisits = \n", ":2: is not TOML: Invalid value"),
        ("[train]\nvisits = " + "[" * 5000, "is not TOML: maximum recursion depth"),
        ("[train]\nlearning_rate = 1" + "0" * 400, ":2: train.learning_rate is inf; give a finite"),
    ],
)  # fmt: skip
def test_mistakes_in_a_file(written, text, message):
    path = written(text)
    assert complaint(path).startswith(str(path))
    assert message in complaint(path)


@pytest.mark.parametrize(
    "text, message",
    [
        ("train.batch_size=0", "train.batch_size is 0; it must be at least 1"),
        ("train.batch_size=", "write a key and a value"),
        ("model=3", "there is no setting 'model'"),
        ("train.seed=\udcff", r"train.seed is '\udcff'; give a whole number"),
        ("train.seed=" + "[" * 5000, "give a whole number"),
    ],
)
def test_mistakes_in_an_assignment(text, message):
    complaint_text = complaint(None, [text])
    assert complaint_text.startswith(f"--set {text}: ")
    assert message in complaint_text


def test_mistakes_in_an_option():
    assert complaint(options={"train.seed": -1}) == (
        "option --seed: train.seed is -1; it must be at least 0"
    )


def test_files_that_cannot_be_read(tmp_path):
    assert "there is no such file" in complaint(tmp_path / "none.toml")
    assert "cannot be read" in complaint(tmp_path)
    (tmp_path / "latin.toml").write_bytes(b"# \xe9")
    assert re.search(r"latin\.toml: is not UTF-8", complaint(tmp_path / "latin.toml"))


def test_settings_of_earlier_versions_are_ignored():
    kind = find_kind("punctuation")
    earlier = {"model": {"network": False, "channel": "l2r"}, "train": {"warmup": 100}}
    config = Config.from_dict(kind, earlier, "config.json")
    assert config == Config.of(kind, [Setting("model.channel", "l2r", "here")])
    assert repr(config.model).endswith("network=False, network_width=128, network_layers=2)")
