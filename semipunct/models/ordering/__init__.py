"""Orders of the dependents of nouns and verbs, the head among them (Wang and Eisner 2016)."""
