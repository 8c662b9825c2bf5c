"""The English text model of this distribution; SOURCES.md lists what it was trained on."""
