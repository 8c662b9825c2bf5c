"""Discovery of semirings: a broken plugin is reported, and does not affect others."""

from __future__ import annotations

from importlib.metadata import EntryPoint

from semirings import Real, plugins


def test_broken_plugins_are_named_and_isolated(monkeypatch):
    points = [
        EntryPoint("good", "semirings.real:Real", plugins.GROUP),
        EntryPoint("missing", "no_such_module:Semiring", plugins.GROUP),
        EntryPoint("other", "fractions:Fraction", plugins.GROUP),
    ]
    monkeypatch.setattr(plugins, "entry_points", lambda group: points)
    found = plugins.available()
    assert list(found) == ["good", "missing", "other"]
    assert found["good"].semiring == Real()
    assert not found["good"].fault
    assert found["missing"].semiring is None
    assert "no_such_module" in found["missing"].fault
    assert found["other"].semiring is None
    assert "no subclass of semirings.Semiring" in found["other"].fault


def test_our_own_are_registered():
    found = plugins.available()
    ours = {"real", "log", "viterbi", "derivation", "sampling", "expectation"}
    assert ours <= set(found)
    assert all(found[name].semiring is not None for name in ours)
