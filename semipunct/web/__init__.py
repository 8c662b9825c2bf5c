"""The server: LanguageTool's interface for editors, JSON for programs, and a page."""
