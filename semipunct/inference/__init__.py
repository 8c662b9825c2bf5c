"""Questions asked of the punctuation model: likelihood, decoding, sampling."""
