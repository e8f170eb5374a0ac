"""Entry point of `python -m index`."""

from index.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
