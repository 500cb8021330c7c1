"""`vouch-sidecar demo`: a short session over the example knowledge base, through the real language
server. Shows what an editor or an agent would see.

Works on a copy, with a cache and sockets of its own, which go when it ends.
"""

from __future__ import annotations

import asyncio
import json
import os
import shlex
import shutil
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from lsprotocol import types as lsp
from pygls.lsp.client import LanguageClient
from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

import vouch_sidecar
from vouch_sidecar.kb.discovery import RESIDENT

PROGRAM = (sys.executable, "-m", "vouch_sidecar.surfaces.entry")
EXAMPLE_FILE = "src/dispatch/rate_limiter.py"
EXAMPLE_ENTITY = "Relay"
"""What is hovered on."""

PLAIN_HOVER = lsp.ClientCapabilities(
    text_document=lsp.TextDocumentClientCapabilities(
        hover=lsp.HoverClientCapabilities(content_format=[lsp.MarkupKind.PlainText])
    )
)

console = Console(highlight=False)


class Editor:
    """What an editor does: opens, edits, prompts, and shows what it is told."""

    def __init__(self, root: Path, env: Mapping[str, str]) -> None:
        self.root = root
        self.env = env
        self.client = LanguageClient("demo", "1")
        self.pushes: asyncio.Queue[Any] = asyncio.Queue()
        self.client.feature("vouch/didChangeSalience")(lambda push: self.pushes.put_nowait(push))
        self.client.feature("vouch/didChangeStatus")(lambda _: None)
        self.client.feature("textDocument/publishDiagnostics")(lambda _: None)

    async def start(self) -> float:
        """Start the server; seconds until everything was indexed."""
        started = time.perf_counter()
        await self.client.start_io(*PROGRAM, "lsp", env=dict(self.env))
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


def courier() -> Path:
    """The example: in the package, else in the checkout."""
    package = Path(vouch_sidecar.__file__).parent
    places = package / "courier", package.parents[1] / "examples" / "courier"
    return next(place for place in places if place.is_dir())


def run_demo(env: Mapping[str, str]) -> None:
    """Play the session in a temporary folder."""
    with tempfile.TemporaryDirectory(prefix="v") as folder:  # short: a socket's path has a limit
        base = Path(folder).resolve()
        root = base / "courier"
        shutil.copytree(courier(), root)
        kept = {name: value for name, value in env.items() if not name.startswith("VOUCH_")}
        for name in ("XDG_RUNTIME_DIR", "XDG_CACHE_HOME"):
            kept[name] = str(base / name)
            (base / name).mkdir(mode=0o700)
        asyncio.run(play(Editor(root, {**kept, RESIDENT: "false"})))
    console.print()
    say("Ask more of the example, then of a project of your own that has a .vouch/:")
    command(f"{shown_command()} experts 'proof of delivery' --root {shown(courier())}")
    command(f"{shown_command()} watch --root ~/your-project")


def shown_command() -> str:
    """What a user types to run this program again."""
    program = shutil.which("vouch-sidecar")
    return "vouch-sidecar" if program is not None else shown(Path(sys.argv[0]))


def shown(path: Path) -> str:
    """A path for a shell, from the working folder where it is below that."""
    path, here = Path(os.path.normpath(path.absolute())), Path.cwd()
    return shlex.quote(str(path.relative_to(here) if path.is_relative_to(here) else path))


async def play(editor: Editor) -> None:
    """Each step of the session, then the end of the server."""
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


async def edit_a_file(editor: Editor) -> None:
    heading("1  You edit a file: what the changed lines name is in play")
    say("An editor's side panel lists it while you type, with the claims about each.")
    path = editor.root / EXAMPLE_FILE
    text = path.read_text("utf-8")
    editor.open(path.as_uri(), "python", text)
    line = "    # Relay drops what parcel_events can't take: see INC-118 before you raise BURST\n"
    editor.change(path.as_uri(), text.replace("    def allow", line + "    def allow"))
    say(f"{EXAMPLE_FILE}, one line added:")
    indented(Text(line.strip(), style="green"))
    in_play(await editor.told())


async def hover(editor: Editor) -> None:
    heading("2  You hover on a name, in any document")
    say("Whom to ask, what it is, and its best claims with their sources.")
    path = editor.root / "notes.txt"
    text = path.read_text("utf-8")
    editor.open(path.as_uri(), "plaintext", text)
    at = text.index(EXAMPLE_ENTITY)
    position = lsp.Position(text.count("\n", 0, at), at - text.rfind("\n", 0, at) - 1)
    shown = await editor.client.text_document_hover_async(
        lsp.HoverParams(lsp.TextDocumentIdentifier(path.as_uri()), position)
    )
    if shown is not None and isinstance(shown.contents, lsp.MarkupContent):
        indented(Panel(Text(shown.contents.value), title=EXAMPLE_ENTITY, title_align="left"))


async def prompt(editor: Editor) -> None:
    heading("3  You type a prompt: the claim that answers it is there before the agent asks")
    say("What the prompt names is in play; an agent is given the claims beside the prompt.")
    text = "Can we restart Relay tonight?"
    say(f"> {text}")
    editor.open("vouch-prompt:/demo/1", "vouch-prompt", text)
    in_play(await editor.told())
    context = await editor.ask("vouch/context", task=text, session_id="demo")
    say("What an agent is given:")
    indented(Text(context.text, style="dim"))


async def small_talk(editor: Editor) -> None:
    heading("4  A prompt about nothing that is known: silence")
    say("An agent is given nothing, rather than something near it.")
    text = "Thanks! Now order cake for everybody and make the button blue."
    say(f"> {text}")
    context = await editor.ask("vouch/context", task=text)
    say(f"What an agent is given: {context.text!r}")


async def ask_for_experts(editor: Editor) -> None:
    heading("5  You ask who or what carries the evidence on a topic")
    say("Ranked by the sources behind the claims that match.")
    topic = "locker"
    answer = await editor.ask("vouch/experts", topic=topic, limit=5, weight="citation")
    table(
        f"experts on “{topic}”, by citations",
        ("entity", "type", "claims", "citations", "score"),
        (
            (row.name, row.type, row.claim_count, row.citation_count, f"{row.score:.2f}")
            for row in answer.experts
        ),
    )


async def prompt_an_agent(editor: Editor) -> None:
    heading("6  You prompt an agent in a terminal: its hook is answered, and the editor follows")
    say("The hook prints what the agent reads; the editor's panel shows that session as well.")
    event = {
        "session_id": "agent-in-a-terminal",
        "prompt": "What must I check before I replay the DLQ?",
        "cwd": str(editor.root),
    }
    say(f'echo \'{{"prompt": "{event["prompt"]}", …}}\' | vouch-sidecar hook user-prompt-submit')
    hook = await asyncio.create_subprocess_exec(
        *PROGRAM,
        "hook",
        "user-prompt-submit",
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        env=dict(editor.env),
    )
    answer, _ = await hook.communicate(json.dumps(event).encode())
    if answer:
        given = json.loads(answer)["hookSpecificOutput"]["additionalContext"]
        indented(Text(given, style="dim"))
    push = await editor.told()
    if push is not None:
        say(f"And in the editor's panel, under {push.session_id}:")
        in_play(push)


async def retire_a_claim(editor: Editor) -> None:
    heading("7  Somebody archives a claim: it is gone from every answer")
    say("What is retired is never shown again, whoever asks.")
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
    table(
        "In play",
        ("entity", "type", "claims", "named by", "score"),
        (
            (row.name, row.type, row.claim_count, ", ".join(row.matched), f"{row.score:.2f}")
            for row in push.salience
        ),
    )


def table(title: str, columns: Iterable[str], rows: Iterable[Iterable[object]]) -> None:
    drawn = Table(*columns, title=title, title_justify="left")
    for row in rows:
        drawn.add_row(*map(str, row))
    indented(drawn)


def indented(what: RenderableType) -> None:
    """Print something indented."""
    console.print(Padding(what, (0, 4), expand=False))


def command(text: str) -> None:
    """A line to copy: as long as it is."""
    console.print(Text(f"    $ {text}"), soft_wrap=True)


def heading(text: str) -> None:
    console.print()
    console.print(Text(text, style="bold"))


def say(text: str) -> None:
    indented(Text(text))
