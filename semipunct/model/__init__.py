"""The punctuation model: inventory, features, ATTACH, the channel, and the potentials they build."""
