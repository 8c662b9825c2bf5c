"""``python -m semipunct`` is the command ``semipunct``."""

from semipunct.cli import main

if __name__ == "__main__":
    main()
