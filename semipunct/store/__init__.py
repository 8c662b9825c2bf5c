"""Model folders: manifest, arrays, model card."""
