"""Models of the commas of a sentence, given its words and phrases (Shieber and Tao 2003)."""
