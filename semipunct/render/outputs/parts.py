"""Types of values that are common to several commands."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

Count = Annotated[int, Meta(ge=0)]
Ordinal = Annotated[int, Meta(ge=1)]
# No bounds on real numbers: sums in single precision may exceed them by rounding.
Probability = Annotated[float, Meta(description="from 0 to 1")]
Nats = Annotated[float, Meta(description="in nats (natural logarithms)")]
Tokens = Annotated[list[str], Meta(description="punctuation tokens in text order")]
EditName = Literal["keep", "absorb_left", "absorb_right", "transpose"]
Signature = Annotated[str, Meta(description="comparable if task, treebank and tokens agree")]
SentenceId = Annotated[
    str, Meta(description="as in the file; #k for its k-th sentence if it has none")
]
Words = Annotated[list[str], Meta(description="without punctuation and abbreviations' dots")]
WordIds = Annotated[list[Ordinal], Meta(description="the ID of each word in the input file")]
Slot = Annotated[int, Meta(ge=0, description="slot i is right of word i; 0 before the first")]


class Part(msgspec.Struct, forbid_unknown_fields=True):
    """An object within another one."""
