"""Orders of nouns and verbs and their dependents (Wang and Eisner 2016)."""
