"""Transcripts in JSON, as programs of speech recognition write them, with the times of words."""

from semipunct.formats.transcripts.format import Segment, Transcripts

__all__ = ["Segment", "Transcripts"]
