"""Pipelines: from documents to documents, by the models of a folder or an installed package."""
