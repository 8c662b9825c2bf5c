"""The models of delimiting commas, which are asked like the other comma models."""

from semipunct.kinds.commas import ANSWERS as ANSWERS
