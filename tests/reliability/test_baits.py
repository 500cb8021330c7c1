"""Texts that expressions once took seconds or for ever to read: who reads them still answers."""

from pathlib import Path

import pytest
from vouch_sidecar.engine import Caller
from vouch_sidecar.kb.records import Claim
from vouch_sidecar.kb.references import marks, reference_at
from vouch_sidecar.kb.sanitize import clip, escaped, one_line
from vouch_sidecar.retrieval.blocks.block import frame, without_blocks
from vouch_sidecar.retrieval.blocks.touched_files import met_by
from vouch_sidecar.retrieval.evidence.asked import exact_places
from vouch_sidecar.retrieval.lookup import short_id
from vouch_sidecar.retrieval.statements.section_passages import excerpt
from vouch_sidecar.text.analysis import units
from vouch_sidecar.text.around import around, parts_of
from vouch_sidecar.text.comments import is_in_code
from vouch_sidecar.text.prompt_text import asked_sentences, asks, without_asking, without_printed
from vouch_sidecar.text.sentences import is_statement, is_talk
from vouch_sidecar.workspace.definitions import names_in_file
from vouch_sidecar.workspace.file_kinds import LANGUAGES
from vouch_sidecar.workspace.names_in_text import names_in
from vouch_sidecar.workspace.topic_names import headings_in, names_in_claim

from tests.engine.bases import ask, base
from tests.kb.samples import claim, receipt, source
from tests.workspace.places import settled

BAITS = {
    "a sparse table": "-" + "|  " * 20 + "x",
    "rows of a table": ("-" + "|  " * 20 + "x\n") * 1_000,
    "blanks": "-" + " " * 60_000 + "x",
    "tabs": "a" + "\t" * 60_000 + "\0x",
    "pipes": "|" * 60_000 + "x",
    "dots": "." * 19_000 + "x",
    "brackets": "[](" * 30_000,
    "angles": "`<" * 30_000,
    "an address": "a" * 100_000 + " /",
    "a path": "(" * 100_000 + "x",
    "a scheme": "a" * 100_000 + "x",
    "capitals": "A" * 100_000,
    "capitals in phrases": "A " * 20_000,
    "a heading": "# " + " #" * 40_000 + "x",
    "comments": "<!--" * 20_000 + "x",
    "abbreviations": "e.g. " * 20_000,
    "folders": "a/" * 30_000,
    "a mark that does not end": "[claim:" + " " * 400_000,
    "blanks before an end": "x" + " " * 400_000 + "y",
    "marks with blanks": ("[claim:" + " " * 300) * 2_000,
    "versions": "1.2" * 30_000,
    "digits": "1" * 60_000 + " 1.x",
    "comments of code": "#" * 60_000 + "x\n/" + "*" * 60_000 + "x",
    "marks": "x" + "_-" * 30_000,
    "beginnings of blocks": (frame([""]).partition("\n")[0] + "\n" + "x\n" * 90) * 400,
}
LOCATOR = "notes.md" + ".md#" * 1_000 + "\n"


@pytest.mark.parametrize("bait", BAITS)
def test_a_text_is_read_to_its_end(bait: str) -> None:
    text = BAITS[bait]
    around(text, parts_of(text)[0], 0, len(text))
    assert without_blocks(text) == text
    is_statement(text)
    is_talk(text)
    names_in(text)
    asked_sentences(text)
    asks(text)
    without_asking(without_printed(text))
    list(exact_places(text))
    short_id(text)
    assert not list(marks(text))
    assert reference_at("pages/x.md", f"---\nid: x{text}", 9) is not None
    excerpt(text, ["x", "A", "notes"])
    units(text)
    assert len(headings_in(text.encode())) <= 1
    assert not list(names_in_claim(Claim("a", "claims/a.yaml", text))) or " " in text


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_code_is_read_to_its_end(language: str) -> None:
    for text in BAITS.values():
        is_in_code(language, text, len(text))
        found = names_in_file(text.encode(), language)
        assert len(found.names) == len(found.lines) == len(found.ends)


@pytest.mark.parametrize(
    "bait",
    ["\u200c", "a\u0301", "👍\ufe0f\u200d", "क\u094d\u200d", "\x1b[", "\x1b]", "\x9b0", "\u0600"],
    ids=ascii,
)
def test_what_makes_a_text_harmless_ends(bait: str) -> None:
    text = bait * 30_000
    assert "\x1b" not in one_line(text)
    assert "\x1b" not in escaped(text)
    assert clip(text, 1_000)[-1] == "…"


def test_a_knowledge_base_of_baits_is_read_and_asked(tmp_path: Path) -> None:
    files: dict[str, bytes] = {}
    for number, text in enumerate(BAITS.values()):
        name, data = f"bait-{number}", text.encode()
        files |= source(data, locator=LOCATOR, title="Notes") | receipt(name, data, data[:40])
        files[f"claims/{name}.yaml"] = claim(name, text=text[:20_000], evidence=[name])
    engine = settled(base(tmp_path / "kb", files), tmp_path)
    assert ask(engine, "status")["roots"][0]["counts"]["claims"] == len(BAITS) + 1
    assert ask(engine, "claim", id="bait-0")["claim"]["id"] == "bait-0"
    (served,) = engine.registry.serving(Caller())
    for text in BAITS.values():
        ask(engine, "context", task=text)
        met_by(served.view, "src/relay.py", text)
