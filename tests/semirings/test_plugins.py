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
    plugin_of = plugins.available()
    assert list(plugin_of) == ["good", "missing", "other"]
    assert plugin_of["good"].semiring == Real()
    assert not plugin_of["good"].fault
    assert plugin_of["missing"].semiring is None
    assert "no_such_module" in plugin_of["missing"].fault
    assert plugin_of["other"].semiring is None
    assert "no subclass of semirings.Semiring" in plugin_of["other"].fault
