"""Entry point of `python -m app`. Settings that libraries read when they load are made first."""

import os

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
os.environ.setdefault("GRADIO_ANALYTICS_ENABLED", "False")

from app.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
