"""A resident companion for vouch knowledge bases: salience and experts in milliseconds.

For programs: `with open_kb(path) as kb: kb.experts("jwt")`. See docs/using.md.
"""

from __future__ import annotations

from vouch_sidecar.version import __version__

TYPE_CHECKING = False  # a hook has no time to import `typing`, either
if TYPE_CHECKING:
    from typing import Any

    from vouch_sidecar.api import (
        InvalidParamsError,
        KnowledgeBase,
        NoKnowledgeBaseError,
        NotFoundError,
        open_kb,
    )

__all__ = [
    "InvalidParamsError",
    "KnowledgeBase",
    "NoKnowledgeBaseError",
    "NotFoundError",
    "__version__",
    "open_kb",
]


def __getattr__(name: str) -> Any:
    """The API brings the index along, which a hook has no time to import."""
    if name in __all__:
        from vouch_sidecar import api

        return getattr(api, name)
    raise AttributeError(name)
