"""The version, where every room may read it."""

__all__ = ["__version__"]

__version__ = "0.1.0"
