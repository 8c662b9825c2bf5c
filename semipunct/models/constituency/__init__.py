"""A constituency parser: labelled spans over words."""
