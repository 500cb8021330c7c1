"""A resident companion for vouch knowledge bases: salience and experts in milliseconds."""

__all__ = ["__version__"]

__version__ = "0.1.0"
