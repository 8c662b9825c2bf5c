"""Callables that engines for large corpora apply to batches of rows.

A ``Restorer``, ``Corrector`` or ``Parser`` is made of the name of a model and of options. It can be
pickled, loads its models where it is called first, and answers a batch with the same rows and two
more columns. How Ray, Dask, Spark and others call it: docs/corpora.md. Why a row gets the same
bytes in any batch: docs/decisions/0059-corpora.md.
"""

from semipunct.batches.correction import Corrector
from semipunct.batches.parsing import Parser
from semipunct.batches.restoration import Restorer

__all__ = ["Corrector", "Parser", "Restorer"]
