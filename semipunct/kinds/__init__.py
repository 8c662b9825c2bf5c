"""The tasks that each kind of model can do: one module a kind, named like the kind.

A module ``semipunct.kinds.KIND`` defines ``ANSWERS``, an instance of ``answers.Answers``: the tasks
that such models can do, as functions, and the figures by which ``semipunct evaluate`` judges them.
Commands and the functions of ``import semipunct`` find the task of a model here; nothing else
distinguishes kinds (docs/decisions/0050-kinds.md).
"""
