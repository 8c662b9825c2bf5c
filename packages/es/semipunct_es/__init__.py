"""The text model of Spanish; the README of the distribution lists what it was trained on."""
