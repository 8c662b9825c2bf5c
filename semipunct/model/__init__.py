"""The punctuation model: inventory, features, ATTACH, the channel, and their potentials."""
