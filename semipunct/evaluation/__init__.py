"""Statistics of sentences, figures of corpora, stored results and their comparison."""
