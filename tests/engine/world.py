"""Any file of a knowledge base, whole knowledge bases of them, and what is asked of these."""

import json
import random
from collections.abc import Callable, Iterator, Set
from pathlib import Path
from typing import Any

from vouch_sidecar.engine import Engine
from vouch_sidecar.kb.artifact_files import slug_of
from vouch_sidecar.operations.wire import InvalidParamsError

from tests.engine.bases import ask, write
from tests.kb.samples import claim, dump, entity, make_kb, page, source_of

Files = dict[str, bytes]
"""Path below `.vouch/`, and bytes."""
Ask = Callable[..., dict[str, Any]]
"""Operation and params to result."""

SENTENCES = (
    "The vault key lies under the mat.",
    "Doors open at nine in the morning, and the vault key lies under the mat.",
    "Couriers sign a_b.md twice.",
    "mail the red team.",
    "Couriers sign the ledger in Köln.",
)
CONTENT = """\
# Where the key is

{0} {1}

{2} The first is alone. {0}

## Gate

At night the gate does *not*:

- {3}
- {4} {2}
""".format(*SENTENCES)
CONTENTS = (CONTENT, CONTENT.replace("nine", "ten") + "\nA line more.\n", "Nothing is here.\n")
SOURCES = [source_of(content.encode()) for content in CONTENTS]
SCOPES: list[object] = [
    *[{"visibility": "project"}] * 6,
    {"visibility": "private", "agent": "ada"},
    {"visibility": "project", "project": "courier"},
    {"visibility": "private"},
]
STATUSES = [*["stable"] * 6, "contested", "redacted", "redacted", "superseded", "archived"]
TEXTS = (
    *(*SENTENCES, "vault key lies under the mat", "Gate is red", "gate 7"),
    "Couriers c**arr**y 1000 parcels.",
    "Couriers\u200bcarry [claim: c1] 1 000 parcels.",
    "金庫の鍵はマットの下",
    ' \n\r\\"\x85é\u2028',
)
WORDS = "Vault Gate Couriers key keys rotate every week parcels sign the mat at night red".split()
NAMES = {"Key Vault": "system", "Gate": "place", "Couriers": "team", "Ada Lovelace": "person"}
EVIDENCE = [f"ev{number}" for number in range(8)]
KINDS = ["claim"] * 3 + ["evidence"] * 2 + ["page"] * 2 + "source content entity relation".split()
TOPICS = ("key vault", "vault keys rotate", "couriers sign parcels", "Lovelace")
ASKED = (
    "Where does the vault key lie, under the mat?",
    "What do Couriers sign twice at the Gate?",
    "Does the Key Vault rotate keys every week?",
)
VIEWERS: tuple[dict[str, str], ...] = ({}, {"agent": "ada", "project": "courier"})
PASSING = frozenset({"generation", "probe_time_ms", "from_cache", "session_id", "indexed_at"})


def any_file(rng: random.Random, claims: int) -> tuple[str, bytes]:
    """The path of a file, and what it holds: of claims some are `c0`, `c1`, … below a number."""
    pick, source = rng.choice, rng.randrange(2)
    text = pick((pick(TEXTS), f"{' '.join(rng.choices(WORDS, k=7))}.".capitalize()))
    ids = [f"c{rng.randrange(claims)}" for _ in range(2)]
    entities: tuple[list[str], ...] = ([], ["e0"], ["e1", "e9"], ["e2", "e3"])
    match pick(KINDS):
        case "claim":
            name = pick((slug_of(text), ids[0]))
            fields: dict[str, Any] = {
                "text": text,
                "status": pick(STATUSES),
                "confidence": pick((0.3, 0.9)),
                "scope": pick(SCOPES),
                "evidence": rng.sample([*EVIDENCE, *EVIDENCE, *SOURCES, "gone"], pick((1, 1, 2))),
                "entities": pick(entities),
                "tags": pick(([], ["mat"], ["vault key lies under the mat"])),
                "auto_approved": pick((False, False, True)),
                "contradicts": pick(([], [], [], ids[1:])),
                "superseded_by": pick((None, None, None, ids[1])),
            }
            return f"claims/{name}.yaml", claim(name, **fields)
        case "evidence":
            name, quote = pick(EVIDENCE), pick(SENTENCES)
            start = CONTENTS[source].encode().find(quote.encode())
            fields = {"id": name, "source_id": SOURCES[source], "locator": pick(("b12", text))}
            fields |= {"quote": pick((*[quote] * 9, "forged", None))}
            if start >= 0 and rng.random() < 0.8:
                fields |= {"byte_start": start, "byte_end": start + len(quote.encode())}
            return f"evidence/{name}.yaml", dump(fields)
        case "source":
            fields = {"id": pick(SOURCES), "locator": pick(("a.md", "a.md", "b.md", text))}
            fields |= {"title": pick((None, "Doors", text)), "type": pick(("file", "message"))}
            fields |= {"scope": pick(SCOPES), "metadata": pick(({}, {"question": text}))}
            return f"sources/{fields['id']}/meta.yaml", dump(fields)
        case "content":
            source = rng.randrange(len(SOURCES))
            data = pick((*[CONTENTS[source].encode()] * 6, b"damaged"))
            return f"sources/{SOURCES[source]}/content", data
        case "page":
            parts = (*TEXTS, f"- One. [claim: {ids[0]}]\n- Two.", "# Gate")
            name = pick(("p0", "p1", slug_of(SENTENCES[0])))
            statuses = ("active", "active", "archived")
            fields = {"title": pick(("Where", text)), "status": pick(statuses), "claims": ids}
            fields |= {"entities": pick(entities)}
            fields |= {"tags": pick(([], ["vault key lies under the mat"])), "scope": pick(SCOPES)}
            return f"pages/{name}.md", page("\n\n".join(rng.choices(parts, k=4)), id=name, **fields)
        case "entity":
            number = rng.randrange(len(NAMES))
            name, kind = [*NAMES.items()][number]
            fields = {"name": pick((name, name, text)), "aliases": pick(([], ["key", text]))}
            fields |= {"type": kind, "description": pick((None, text)), "page": pick((None, "p0"))}
            return f"entities/e{number}.yaml", entity(f"e{number}", **fields)
        case _:
            source_id, target = rng.choices((*ids, "e0", "e1", "p0", *SOURCES), k=2)
            ends = {"source": source_id, "relation": "supports", "target": target}
            return "relations/r0.yaml", dump({"id": "r0", **ends})


def files(number: int = 200, seed: int = 7) -> Files:
    """A knowledge base into which so many files were written, some of them over others."""
    rng = random.Random(seed)
    made = dict(any_file(rng, number // 4) for _ in range(number))
    return made | {"config.yaml": dump({"kb": {"name": "ops"}})}


def changed(before: Files, seed: int) -> Files:
    """The same after some have been removed, and some written."""
    rng, claims = random.Random(seed), [path for path in before if path.startswith("claims/")]
    removed = {*rng.sample(claims, min(3, len(claims))), rng.choice([*before])}
    after = {path: data for path, data in before.items() if path not in removed}
    return after | dict(any_file(rng, len(claims)) for _ in range(12))


def lay(root: Path, state: Files) -> Path:
    """Have a knowledge base hold these files alone."""
    kb_dir = root / ".vouch"
    there = {path.relative_to(kb_dir).as_posix() for path in kb_dir.rglob("*") if path.is_file()}
    if not kb_dir.exists():
        make_kb(root)
    for path in there - state.keys():
        (kb_dir / path).unlink()
    for path, data in state.items():
        if path not in there or (kb_dir / path).read_bytes() != data:
            write(root, path, data)
    return root


def questions() -> Iterator[tuple[str, dict[str, Any]]]:
    """Operations and params; each session is new."""
    for who, viewer in enumerate(VIEWERS):
        for topic in TOPICS:
            for weight in ("count", "citation"):  # whose scores depend on no time
                yield "experts", {"topic": topic, "weight": weight, "limit": 50, "viewer": viewer}
            yield "search", {"query": topic, "limit": 50, "viewer": viewer}
        for number, text in enumerate(ASKED):
            session = f"{who}.{number}"
            yield "probe", {"text": text, "viewer": viewer}
            yield "context", {"task": text, "viewer": viewer, "session_id": session}
            yield "salience", {"session_id": session, "top_k": 20, "viewer": viewer}
            yield "session_end", {"session_id": session}
        for number in range(len(NAMES)):
            yield "entity", {"id": f"e{number}", "viewer": viewer}
        yield "claim", {"id": "c0", "viewer": viewer}


def answers(asking: Ask, root: Path) -> dict[str, str]:
    """By question what is said: all that has to be the same after a restart."""
    found = {}
    for operation, params in questions():
        said = json.dumps(lasting(asking(operation, **params)), sort_keys=True)
        found[f"{operation} {params}"] = said.replace(str(root), "ROOT")
    return found


def said_by(engine: Engine) -> dict[str, str]:
    """The same of an engine with one knowledge base."""

    def asking(operation: str, **params: Any) -> dict[str, Any]:
        try:
            return ask(engine, operation, **params)
        except InvalidParamsError as error:
            return {"error": str(error)}

    (root,) = engine.registry.roots
    return answers(asking, root)


def lasting(value: Any, without: Set[str] = PASSING) -> Any:
    """A result without what differs from run to run, and from process to process."""
    if isinstance(value, dict):
        return {k: lasting(v, without) for k, v in value.items() if k not in without}
    if isinstance(value, list):  # what is pending comes when it comes
        return [lasting(item, without) for item in value if item != "workspace_pending"]
    return value
