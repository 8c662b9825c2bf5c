"""Reasons for marks, in the terms of a style guide, from words or from trees."""
