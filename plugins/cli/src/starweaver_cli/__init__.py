"""The product sw: search, read and manage agent sessions from a shell."""

__version__ = "0.1.0"

__all__ = ["__version__"]
