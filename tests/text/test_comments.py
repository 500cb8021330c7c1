"""Comments and strings told from code."""

import pytest
from vouch_sidecar.text.comments import is_in_code


@pytest.mark.parametrize(
    ("language_id", "code", "prose"),
    [
        (
            "python",
            ["x = 'it' + Relay", "# a comment\nRelay()", '"""Doc."""\nclass Relay: ...'],
            [
                *("# why does Relay wait", "x = 'Relay'", 'x = "it\\" is Relay"'),
                *('"""Doc.\n\nRelay waits.\n"""', '"""Not closed: Relay', 'x = "not closed: Relay'),
            ],
        ),
        (
            "typescript",
            ["const a = new Relay(); // why", "/* a */ new Relay()"],
            ["// Relay", "/* why\n * Relay waits */", "/** not closed yet: Relay", "f(`a\nRelay`)"],
        ),
        ("go", ["x := `raw`; Relay()"], []),
        ("sql", ["SELECT 'a' FROM Relay -- why"], ["-- Relay"]),
        ("haskell", ["total = foldl' step Relay"], []),
        ("julia", ["B = A' * Relay"], []),
        ("rust", [], ["/// Relay"]),
        ("markdown", [], ["Relay"]),
        ("never-heard-of", [], ["Relay"]),
    ],
)
def test_code_and_prose(language_id: str, code: list[str], prose: list[str]) -> None:
    at_a_name = {text: text.index("Relay") + 1 for text in (*code, *prose)}
    assert [text for text, at in at_a_name.items() if is_in_code(language_id, text, at)] == code
