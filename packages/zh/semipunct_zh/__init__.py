"""The text model of Chinese; the README of the distribution lists what it was trained on."""
