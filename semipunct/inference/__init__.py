"""Inference with the punctuation model: likelihood, decoding, sampling."""
