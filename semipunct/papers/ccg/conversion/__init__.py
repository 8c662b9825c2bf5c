"""Conversion of phrase-structure trees with empty elements to CCG derivations.

Source: Hockenmaier and Steedman (2007), section 4, and the summary of Tse and Curran (2008).
"""

from semipunct.papers.ccg.conversion.conversion import Conversion, Unconverted, convert_phrases

__all__ = ["Conversion", "Unconverted", "convert_phrases"]
