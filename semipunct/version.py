"""The version of the library, which models and results record."""

__version__ = "0.1.0"
