"""A short session over the example knowledge base, through the real language server.

Run by `make demo`. Works on a copy, and shows what an editor or an agent would see.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from lsprotocol import types as lsp
from pygls.lsp.client import LanguageClient
from rich.console import Console
from rich.padding import Padding
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

COMMAND = Path(sys.executable).with_name("vouch-sidecar")
COURIER = Path(__file__).parent / "courier"
EDITED = "src/dispatch/rate_limiter.py"

PLAIN_HOVER = lsp.ClientCapabilities(
    text_document=lsp.TextDocumentClientCapabilities(
        hover=lsp.HoverClientCapabilities(content_format=[lsp.MarkupKind.PlainText])
    )
)

console = Console(highlight=False)


class Editor:
    """What an editor does: opens, edits, prompts, and shows what it is told."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.client = LanguageClient("demo", "1")
        self.pushes: asyncio.Queue[Any] = asyncio.Queue()
        self.client.feature("vouch/didChangeSalience")(lambda push: self.pushes.put_nowait(push))
        self.client.feature("vouch/didChangeStatus")(lambda _: None)
        self.client.feature("textDocument/publishDiagnostics")(lambda _: None)

    async def start(self) -> float:
        """Start the server; seconds until everything was indexed."""
        started = time.perf_counter()
        await self.client.start_io(str(COMMAND), "lsp")
        await self.client.initialize_async(
            lsp.InitializeParams(
                capabilities=PLAIN_HOVER, root_uri=self.root.as_uri(), process_id=None
            )
        )
        self.client.initialized(lsp.InitializedParams())
        while not (await self.ask("vouch/status")).complete:
            await asyncio.sleep(0.01)
        return time.perf_counter() - started

    async def ask(self, method: str, **params: object) -> Any:
        return await self.client.protocol.send_request_async(method, params)

    def open(self, uri: str, language: str, text: str) -> None:
        item = lsp.TextDocumentItem(uri=uri, language_id=language, version=1, text=text)
        self.client.text_document_did_open(lsp.DidOpenTextDocumentParams(text_document=item))

    def change(self, uri: str, text: str) -> None:
        self.client.text_document_did_change(
            lsp.DidChangeTextDocumentParams(
                text_document=lsp.VersionedTextDocumentIdentifier(version=2, uri=uri),
                content_changes=[lsp.TextDocumentContentChangeWholeDocument(text=text)],
            )
        )

    async def told(self, seconds: float = 2.0) -> Any:
        """The next push, None when none comes."""
        try:
            return await asyncio.wait_for(self.pushes.get(), seconds)
        except TimeoutError:
            return None

    async def stop(self) -> None:
        await self.client.shutdown_async(None)
        self.client.exit(None)
        await self.client.stop()  # type: ignore[no-untyped-call]


async def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve() / "courier"
        shutil.copytree(COURIER, root)
        editor = Editor(root)
        seconds = await editor.start()
        status = await editor.ask("vouch/status")
        counts = status.roots[0].counts
        heading("vouch-sidecar over the knowledge base of an invented parcel service")
        say(
            f"{counts.claims} live claims about {counts.entities} entities, {counts.pages} pages, "
            f"{counts.sources} sources: started and indexed in {seconds:.1f} s."
        )
        await edit_a_file(editor)
        await hover(editor)
        await prompt(editor)
        await small_talk(editor)
        await ask_for_experts(editor)
        await prompt_an_agent(editor)
        await retire_a_claim(editor)
        await editor.stop()
    console.print()
    say("Ask more of the example, or of a project of your own that has a .vouch/:")
    command(".venv/bin/vouch-sidecar experts 'proof of delivery' --root examples/courier")
    command(".venv/bin/vouch-sidecar watch --root ~/your-project")


async def edit_a_file(editor: Editor) -> None:
    heading("1  A developer edits a file: what the changed lines name is in play")
    path = editor.root / EDITED
    text = path.read_text("utf-8")
    editor.open(path.as_uri(), "python", text)
    line = "    # Relay drops what parcel_events can't take: see INC-118 before you raise BURST\n"
    editor.change(path.as_uri(), text.replace("    def allow", line + "    def allow"))
    say(f"{EDITED}, one line added:")
    console.print(Padding(Text(line.strip(), style="green"), (0, 4), expand=False))
    in_play(await editor.told())


async def hover(editor: Editor) -> None:
    heading("2  Hover on a name, in any document")
    path = editor.root / "notes.txt"
    text = path.read_text("utf-8")
    editor.open(path.as_uri(), "plaintext", text)
    at = text.index("DLQ")
    position = lsp.Position(text.count("\n", 0, at), at - text.rfind("\n", 0, at) - 1)
    shown = await editor.client.text_document_hover_async(
        lsp.HoverParams(lsp.TextDocumentIdentifier(path.as_uri()), position)
    )
    if shown is not None and isinstance(shown.contents, lsp.MarkupContent):
        console.print(
            Padding(
                Panel(Text(shown.contents.value), title="DLQ", title_align="left"),
                (0, 4),
                expand=False,
            )
        )


async def prompt(editor: Editor) -> None:
    heading("3  A prompt is typed: the knowledge is there before anybody asks")
    text = "Drivers say the handheld app loses scans at the locker gateway. Where do I look first?"
    say(f"> {text}")
    editor.open("vouch-prompt:/demo/1", "vouch-prompt", text)
    in_play(await editor.told())
    context = await editor.ask("vouch/context", task=text, session_id="demo")
    say("What an agent is handed (vouch/context):")
    console.print(Padding(Text(context.text, style="dim"), (0, 4), expand=False))


async def small_talk(editor: Editor) -> None:
    heading("4  And when a prompt is about nothing that is known: silence")
    text = "Thanks! Now order cake for everybody and make the button blue."
    say(f"> {text}")
    context = await editor.ask("vouch/context", task=text)
    say(f"vouch/context answers {context.text!r}.")


async def ask_for_experts(editor: Editor) -> None:
    heading("5  Who or what carries the evidence on a topic")
    topic = "locker"
    answer = await editor.ask("vouch/experts", topic=topic, limit=5, weight="citation")
    table = Table(title=f"experts on “{topic}”, by citations", title_justify="left")
    for column in ("entity", "type", "claims", "citations", "score"):
        table.add_column(column)
    for row in answer.experts:
        table.add_row(
            row.name, row.type, str(row.claim_count), str(row.citation_count), f"{row.score:.2f}"
        )
    console.print(Padding(table, (0, 4), expand=False))


async def prompt_an_agent(editor: Editor) -> None:
    heading("6  A prompt to an agent in a terminal: its hook is answered, and the editor follows")
    event = {
        "session_id": "agent-in-a-terminal",
        "prompt": "Tomasz asks whether consumer lag on Kafka still pages the Dispatch team.",
        "cwd": str(editor.root),
    }
    say(f'echo \'{{"prompt": "{event["prompt"]}", …}}\' | vouch-sidecar hook user-prompt-submit')
    hook = await asyncio.create_subprocess_exec(
        str(COMMAND),
        "hook",
        "user-prompt-submit",
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    answer, _ = await hook.communicate(json.dumps(event).encode())
    if answer:
        given = json.loads(answer)["hookSpecificOutput"]["additionalContext"]
        console.print(Padding(Text(given, style="dim"), (0, 4), expand=False))
    push = await editor.told()
    if push is not None:
        say(f"And in the editor's panel, under {push.session_id}:")
        in_play(push)


async def retire_a_claim(editor: Editor) -> None:
    heading("7  A claim is archived on disk: it is gone from every answer")
    before = await editor.ask("vouch/entity", id="rate-limiter")
    claim = before.claims[0]
    path = editor.root / ".vouch" / "claims" / f"{claim.id}.yaml"
    text = path.read_text("utf-8")
    started = time.perf_counter()
    path.write_text(text.replace(f"status: {claim.status}", "status: archived"), "utf-8")
    while True:
        after = await editor.ask("vouch/entity", id="rate-limiter")
        if after.claim_count < before.claim_count:
            break
        await asyncio.sleep(0.005)
    took = (time.perf_counter() - started) * 1000
    say(f"{claim.id}: archived. {before.claim_count} claims before, {after.claim_count} after,")
    say(f"{took:.0f} ms from the write to the answer that knows it.")


def in_play(push: Any) -> None:
    """What the side panel would show."""
    if push is None:
        say("(nothing in play)")
        return
    table = Table(title="In play", title_justify="left")
    for column in ("entity", "type", "claims", "named by", "score"):
        table.add_column(column)
    for row in push.salience:
        table.add_row(
            row.name, row.type, str(row.claim_count), ", ".join(row.matched), f"{row.score:.2f}"
        )
    console.print(Padding(table, (0, 4), expand=False))


def command(text: str) -> None:
    """A line to copy: as long as it is."""
    console.print(Text(f"    $ {text}"), soft_wrap=True)


def heading(text: str) -> None:
    console.print()
    console.print(Text(text, style="bold"))


def say(text: str) -> None:
    console.print(Padding(Text(text), (0, 4), expand=False))


if __name__ == "__main__":
    asyncio.run(main())
