"""Pictures of the documentation as SVG, one module for each group of pictures."""
