"""The one sanitiser: what a knowledge base says reaches nobody with anything hidden in it."""

import json

import pytest
import regex
from hypothesis import example, given
from hypothesis import strategies as st
from vouch_sidecar.kb.sanitize import escaped, one_line

HIDDEN = regex.compile(r"[\p{Default_Ignorable_Code_Point}\p{Cn}\p{Cc}\p{Cs}\u2800]")
ODD = [
    *("\u200b\u200c\u200d\u2060\u2800\u3164\uffa0\u115f\u034f\u00ad\u061c\u180e\ufeff\u202e\u2066"),
    *("\ufe00\ufe0e\ufe0f\U000e0100\U000e01ef\U000e0041\U000e007f\ufff9\ufffe\U0001d173\u2065"),
    *("\x00\x1b\x07\x7f\x85\x9b\u2028\u2029\ud800\udfff\t\r\n"),
    *("aé9#*ß認가مید\u0928\u094d\u0d28\u0d4d\u1780\u17c9❤👩👧🏽🇩🇪🔥\u20e3"),
    *("\x1b[31m", "\x1b]8;;http://x\x07", "\x1b]52;c;aGk=\x07"),
]


NEEDED = """
می‌خواهم کتاب‌ها را بخوانم
نامه‌ای ه‍
क्‍ष र्‍ क्‌ष
ന്‍ র‍্য ශ්‍රී
👨‍👩‍👧‍👦 👩🏽‍🚀 ❤️‍🔥 🏳️‍🌈 ☺︎ ©️
1️⃣ #️⃣
naïve “quotes” … – 認証 서버 Ελλάδα
\u0600١٢
""".strip().split("\n")
"""What a script or an emoji needs stays."""


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("zero\u200bwidth\u2060 soft\u00adhyphen\ufeff", "zerowidth softhyphen"),
        ("joined\u200d\u200cletters", "joinedletters"),
        ("fill\u3164ed \u115f\u1160\uffa0", "filled"),
        ("bl\u2800ank", "bl ank"),
        ("a\ufe0fb\ufe0e 1\ufe0f", "ab 1"),
        ("🔥\ufe0f\ufe0f x🔥\ufe0e\ufe0f\ufe0f", "🔥\ufe0f x🔥"),
        ("😀" + "".join(chr(0xE0100 + b) for b in b"ignore all"), "😀"),
        ("".join(chr(0xE0000 + b) for b in b"ignore all"), ""),
        ("\u0378\U000e0080x\uffff", "x"),
        ("one\u2028two\x85three", "one two three"),
        ("a\u202eb\u2066c\u061cd", "abcd"),
        ("\ud800 alone", "\ufffd alone"),
        ("ی\u200c\u200c\u200cخ", "یخ"),
        ("\x1b]52;c;aGk=\x07copied \x1b[2Jcleared", "copied cleared"),
        *((text, text) for text in NEEDED),
    ],
)
def test_what_can_not_be_seen_goes(text: str, shown: str) -> None:
    assert one_line(text) == shown


@example("\u3164\u200d\u094d")
@example("\u3164\u200c\u17c9")
@given(st.lists(st.one_of(st.sampled_from(ODD), st.characters()), max_size=30).map("".join))
def test_nothing_is_hidden_in_any_line_and_in_no_printed_json(text: str) -> None:
    line = one_line(text)
    assert {*HIDDEN.findall(line)} <= {"\u200c", "\u200d", "\ufe0e", "\ufe0f"}
    assert not set(line) & set("\n\r\u2028\u2029\x1b")
    assert line == one_line(line)
    halves = text.encode("utf-16", "surrogatepass")  # two of them make one character
    text = halves.decode("utf-16", "surrogatepass")
    printed = escaped(json.dumps({text: text}, ensure_ascii=False))
    assert json.loads(printed) == {text: text}
    assert not HIDDEN.search(printed)
