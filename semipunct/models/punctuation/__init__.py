"""The generative model of punctuation: ATTACH, the noisy channel and their potentials."""
