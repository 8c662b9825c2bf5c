"""Blocks for udapi, named by their path from a dot: ``udapy .semipunct.udapi.Normalise``."""
