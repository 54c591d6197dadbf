"""SessionStore on the SQLite of the standard library."""

__version__ = "0.1.0"

__all__ = ["__version__"]
