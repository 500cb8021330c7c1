"""Runs vouch's own functions on one knowledge base.

Reads requests `{"root": folder, "now": ISO time or null, "steps": [{"op": name, …}, …]}` on stdin,
one a line, and prints `{"results": …}`, one a step, or `{"error": …}`. A process that has imported
everything forks for each, so that none sees another's clock or memory. `as` on a step names its
result; "@name" in a later step stands for it. `at` on a step sets vouch's clock from there on. The
operations are the public functions below `OPS`; what each takes stands in its docstring.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from importlib import import_module
from pathlib import Path
from typing import Any

from tests.oracle_clock import Clock, freeze_clock, make_fast, vouch

AGENT = "agent"
REVIEWER = "reviewer"

Json = dict[str, Any]


def store_at(root: Path) -> Any:
    return vouch("storage").KBStore(root)


def approve(root: Path, proposal: Any) -> str:
    """`proposals.approve` of a proposal; gives the artifact's id."""
    result = vouch("proposals").approve(store_at(root), proposal.id, approved_by=REVIEWER)
    return str(result.id)


def init(root: Path) -> str:
    """`vouch-kb init`, without its starter claim and page; gives the kb's id."""
    root.mkdir(parents=True, exist_ok=True)
    return str(vouch("storage").KBStore.init(root).identity()[0])


def config(root: Path, **changes: Any) -> None:
    """Merges the keys given into `config.yaml`, one level deep."""
    yaml: Any = import_module("yaml")
    path = root / ".vouch" / "config.yaml"
    loaded = yaml.safe_load(path.read_text(encoding="utf-8"))
    for key, value in changes.items():
        old = loaded.get(key)
        both = isinstance(old, dict) and isinstance(value, dict)
        loaded[key] = {**old, **value} if both else value
    path.write_text(yaml.safe_dump(loaded, sort_keys=False, allow_unicode=True), encoding="utf-8")


def source(root: Path, content: str, **fields: Any) -> str:
    """`put_source`; fields: title, url, locator, source_type, tags, scope. Gives the sha256."""
    return str(store_at(root).put_source(content.encode(), **fields).id)


def evidence(root: Path, source: str, quote: str, locator: str | None = None) -> str:
    """A receipt for a verbatim quote of a source; `locator` replaces the byte span's."""
    store = store_at(root)
    made = vouch("receipts").receipt_for_quote(
        source_id=source, source_bytes=store.read_source_content(source), quote=quote
    )
    if made is None:
        raise ValueError(f"the source does not hold the quote {quote!r}")
    if locator is not None:
        made = made.model_copy(update={"locator": locator})
    return str(store.put_evidence(made).id)


def capture(root: Path, question: str, answer: str, session: str = "s1") -> str | None:
    """What vouch's Stop hook does with the last exchange of a session; gives the source's id."""
    turns = [
        {"type": "user", "message": {"content": question}},
        {"type": "assistant", "message": {"content": [{"type": "text", "text": answer}]}},
    ]
    transcript = root / "transcript.jsonl"
    transcript.write_text("\n".join(map(json.dumps, turns)), encoding="utf-8")
    made = vouch("capture").capture_answer(store_at(root), session, transcript)
    transcript.unlink()
    return None if made["source"] is None else str(made["source"])


def ingest(root: Path, content: str, title: str) -> str:
    """`vouch-kb ingest`, with its default config; gives the source's id."""
    made, _ = vouch("extract").ingest_source(
        store_at(root), content.encode(), proposed_by=AGENT, title=title
    )
    return str(made.id)


def claim(
    root: Path,
    text: str,
    evidence: list[str],
    then: Json | None = None,
    proposed_by: str = AGENT,
    **fields: Any,
) -> str:
    """Proposes and approves a claim; `then` sets fields that review does not (status, times).

    Fields: slug_hint, claim_type, confidence, entities, tags, scope, session_id. Gives its id.
    """
    result = vouch("proposals").propose_claim(
        store_at(root), text=text, evidence=evidence, proposed_by=proposed_by, **fields
    )
    made = approve(root, result.proposal)
    if then:
        store = store_at(root)
        data = store.get_claim(made).model_dump(mode="json") | then
        store.update_claim(vouch("models").Claim.model_validate(data))
    return made


def entity(root: Path, name: str, entity_type: str, **fields: Any) -> str:
    """Proposes and approves an entity; fields: slug_hint, aliases, description. Gives its id."""
    proposal = vouch("proposals").propose_entity(
        store_at(root), name=name, entity_type=entity_type, proposed_by=AGENT, **fields
    )
    return approve(root, proposal)


def page(root: Path, title: str, body: str, status: str | None = None, **fields: Any) -> str:
    """Proposes and approves a page, then sets its status when given. Gives its id.

    Fields: slug_hint, page_type, claim_ids, entity_ids, source_ids, tags, scope.
    """
    proposal = vouch("proposals").propose_page(
        store_at(root), title=title, body=body, proposed_by=AGENT, **fields
    )
    made = approve(root, proposal)
    if status is not None:
        store = store_at(root)
        store.update_page(
            store.get_page(made).model_copy(update={"status": vouch("models").PageStatus(status)})
        )
    return made


def relation(root: Path, source: str, relation: str, target: str, **fields: Any) -> str:
    """Proposes and approves a relation; fields: confidence, evidence. Gives its id."""
    proposal = vouch("proposals").propose_relation(
        store_at(root), src=source, relation=relation, target=target, proposed_by=AGENT, **fields
    )
    return approve(root, proposal)


def lifecycle(name: str, **called: str) -> Callable[..., None]:
    """A function of `lifecycle`; `called` has its parameters by what a step calls them."""

    def run(root: Path, **claims: str) -> None:
        given = {called[name]: claim for name, claim in claims.items()}
        getattr(vouch("lifecycle"), name)(store_at(root), actor=REVIEWER, **given)

    return run


LIFECYCLE = {
    "supersede": lifecycle("supersede", old="old_claim_id", new="new_claim_id"),
    "contradict": lifecycle("contradict", a="claim_a", b="claim_b"),
    **{name: lifecycle(name, claim="claim_id") for name in ("archive", "redact", "confirm")},
}


def session_start(root: Path, agent: str = AGENT, task: str | None = None) -> str:
    """`sessions.session_start`; gives the session's id."""
    return str(vouch("sessions").session_start(store_at(root), agent=agent, task=task).id)


def session_end(root: Path, session: str, note: str | None = None) -> None:
    """`sessions.session_end`."""
    vouch("sessions").session_end(store_at(root), session, note=note)


def index(root: Path) -> Json:
    """What `vouch-kb index` calls; gives its counts."""
    return dict(vouch("health").rebuild_index(store_at(root)))


def search(root: Path, queries: list[str], limit: int = 10) -> list[list[list[Any]]]:
    """`index_db.search` a query: `[kind, id, snippet, score]` a hit."""
    kb_dir = store_at(root).kb_dir
    return [
        [list(hit) for hit in vouch("index_db").search(kb_dir, query, limit=limit)]
        for query in queries
    ]


def experts(
    root: Path, topics: list[str], weights: list[str], limit: int = 10, min_claims: int = 1
) -> list[Json]:
    """`experts.rank_experts` for every topic: `{weight: rows}` each. Files are read once."""
    rank = vouch("experts").rank_experts
    store = _read_once(store_at(root))
    return [
        {
            weight: rank(store, topic, limit=limit, min_claims=min_claims, weight=weight)
            for weight in weights
        }
        for topic in topics
    ]


def experts_given(
    root: Path, matched: list[list[str]], weights: list[str], limit: int = 100
) -> list[Json]:
    """vouch's aggregation alone: `{weight: rows}` for each list of matched claim ids."""
    rank = vouch("experts").rank_experts
    store = _read_once(store_at(root))
    answers: list[Json] = []
    for claim_ids in matched:
        with _matching(claim_ids):
            answers.append({w: rank(store, "-", limit=limit, weight=w) for w in weights})
    return answers


@contextmanager
def _matching(claim_ids: list[str]) -> Iterator[None]:
    """Within, vouch's full text finds just these claims and no entity is named."""
    ranker = vouch("experts")
    index_db, named_ids = ranker.index_db, ranker._substring_entity_ids
    hits = [("claim", claim_id, "", 0.0) for claim_id in claim_ids]
    ranker.index_db = type("Found", (), {"search": staticmethod(lambda *_, **__: hits)})
    ranker._substring_entity_ids = lambda *_: []
    try:
        yield
    finally:
        ranker.index_db, ranker._substring_entity_ids = index_db, named_ids


def salience(root: Path, queries: list[str], top_k: int = 3, window: int = 8) -> list[Json]:
    """`salience.compute_salience` after the queries given, in a session of their own."""
    module = vouch("salience")
    module.reset_session("oracle")
    for query in queries:
        module.record_query("oracle", query, window=window)
    return list(module.compute_salience(store_at(root), "oracle", top_k=top_k))


def _read_once(store: Any) -> Any:
    claims, entities = store.list_claims(), store.list_entities()
    store.list_claims = lambda: claims
    store.list_entities = lambda: entities
    return store


# fmt: off
OPS: dict[str, Callable[..., Any]] = {
    function.__name__: function
    for function in (
        init, config, source, evidence, capture, ingest, claim, entity,
        page, relation, session_start, session_end, index, search, experts, experts_given,
        salience,
    )
} | LIFECYCLE
# fmt: on


def resolve(value: Any, names: dict[str, Any]) -> Any:
    """Replaces "@name" by the result of the step of that name."""
    if isinstance(value, str) and value.startswith("@"):
        return names[value[1:]]
    if isinstance(value, list):
        return [resolve(item, names) for item in value]
    if isinstance(value, dict):
        return {key: resolve(item, names) for key, item in value.items()}
    return value


def run(root: Path, steps: list[Json]) -> list[Any]:
    names: dict[str, Any] = {}
    results: list[Any] = []
    for step in steps:
        fields = dict(step)
        op, name, at = fields.pop("op"), fields.pop("as", None), fields.pop("at", None)
        if at is not None:
            Clock.set(at)
        result = OPS[op](root, **resolve(fields, names))
        if name is not None:
            names[name] = result
        results.append(result)
    return results


def answer(request: Json) -> Json:
    """The results of a request, or the traceback of what it raised."""
    Clock.set(request["now"])
    try:
        with redirect_stdout(sys.stderr):
            return {"results": run(Path(request["root"]), request["steps"])}
    except Exception:
        return {"error": traceback.format_exc()}


def say(result: Json) -> None:
    sys.stdout.write(json.dumps(result) + "\n")
    sys.stdout.flush()


def main() -> None:
    make_fast()
    freeze_clock()
    for line in sys.stdin:
        if (pid := os.fork()) == 0:
            say(answer(json.loads(line)))
            os._exit(0)
        _, status = os.waitpid(pid, 0)
        if status:
            say({"error": f"ended with {status}"})


if __name__ == "__main__":
    main()
