"""`python -m starweaver_cli` is `sw`."""

from .main import console

console()
