"""Why an integration can't be installed or removed."""

from __future__ import annotations


class InstallError(Exception):
    """Base of these errors. Nothing was written. The text is for the user."""


class ConflictError(InstallError):
    """A file has something else where the integration would go, or one that was changed."""


class MalformedError(InstallError):
    """A file can't be read as what it should be."""
