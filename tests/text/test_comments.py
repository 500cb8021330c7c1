"""Comments and strings told from code."""

from __future__ import annotations

import pytest
from vouch_sidecar.text.comments import is_code


@pytest.mark.parametrize(
    ("language_id", "text"),
    [
        ("python", "relay = Relay()"),
        ("python", "x = 'it' + Relay"),
        ("python", '"""Doc."""\nclass Relay: ...'),
        ("python", "# a comment\nRelay()"),
        ("typescript", "const a = new Relay(); // why"),
        ("typescript", "/* a */ new Relay()"),
        ("go", "x := `raw`; Relay()"),
        ("sql", "SELECT 'a' FROM Relay -- why"),
        ("shellscript", "echo 'a' ; Relay"),
        ("haskell", "total = foldl' step Relay"),
        ("julia", "B = A' * Relay"),
    ],
)
def test_code(language_id: str, text: str) -> None:
    assert is_code(language_id, text, text.index("Relay") + 1)


@pytest.mark.parametrize(
    ("language_id", "text"),
    [
        ("python", "# why does Relay wait"),
        ("python", "x = 'Relay'"),
        ("python", 'x = "it\\" is Relay"'),
        ("python", '"""Doc.\n\nRelay waits.\n"""'),
        ("python", '"""Doc, not closed yet: Relay'),
        ("python", 'x = "not closed yet: Relay'),
        ("typescript", "// Relay"),
        ("typescript", "/* why\n * Relay waits */"),
        ("typescript", "/** not closed yet: Relay"),
        ("typescript", "f(`a\nRelay`)"),
        ("rust", "/// Relay"),
        ("sql", "-- Relay"),
        ("clojure", "; Relay"),
        ("markdown", "Relay"),
        ("yaml", "name: Relay"),
        ("never-heard-of", "Relay"),
    ],
)
def test_prose(language_id: str, text: str) -> None:
    assert not is_code(language_id, text, text.index("Relay") + 1)
