"""vouch-kb 1.5.0, whose files we read and whose answers ours are compared with: its own functions,
called in this process.
"""

import json
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any
from unittest.mock import patch

import yaml

AGENT, REVIEWER = {"proposed_by": "agent"}, {"actor": "reviewer"}
CALLED = {"old": "old_claim_id", "new": "new_claim_id", "claim": "claim_id"}
CALLED |= {"a": "claim_a", "b": "claim_b"}
"""What vouch calls the fields of a step that names claims."""

Step = dict[str, Any]
"""One call of vouch: `{"op": name, …}`; `as` names its result, which "@name" is in later steps."""


def vouch(module: str) -> Any:
    """A module of vouch, which has no types."""
    return import_module(f"vouch.{module}")


class OracleKb:
    """A knowledge base that vouch's own functions write; `root` is the folder above `.vouch/`."""

    def __init__(self, root: Path) -> None:
        root.mkdir(parents=True, exist_ok=True)
        self.root = root
        self.store = vouch("storage").KBStore.init(root)
        self.results: list[Any] = [self.store.identity()[0]]
        """Its id, then by step an id, for those that make something."""
        self._names: dict[str, Any] = {}

    def run(self, *steps: Step) -> None:
        """Call what some steps name: a method below, or a function of vouch's `lifecycle`."""
        with patch.object(yaml, "safe_load", partial(yaml.load, Loader=yaml.CSafeLoader)):
            for step in steps:
                self._do(**{name: self._resolved(value) for name, value in step.items()})

    def _do(self, op: str, **fields: Any) -> None:
        name, own = fields.pop("as", None), getattr(self, f"_{op}", None)
        if own is None:
            called = {CALLED[key]: value for key, value in fields.items()}
            made = getattr(vouch("lifecycle"), op)(self.store, **called, **REVIEWER)
        else:
            made = own(**fields)
        self.results.append(getattr(made, "id", made))
        self._names[name] = self.results[-1]

    def _resolved(self, value: Any) -> Any:
        if isinstance(value, list):
            return [self._resolved(item) for item in value]
        return self._names[value[1:]] if str(value).startswith("@") else value

    def _config(self, **changes: Any) -> None:
        """Keys of the configuration, one level deep."""
        path = self.root / ".vouch" / "config.yaml"
        path.write_text(yaml.safe_dump(yaml.safe_load(path.read_text("utf-8")) | changes), "utf-8")

    def _source(self, content: str, **fields: Any) -> Any:
        return self.store.put_source(content.encode(), **fields)

    def _evidence(self, source: str, quote: str) -> Any:
        content = self.store.read_source_content(source)
        found = {"source_id": source, "source_bytes": content, "quote": quote}
        return self.store.put_evidence(vouch("receipts").receipt_for_quote(**found))

    def _capture(self, question: str, answer: str, session: str = "s1") -> None:
        """What vouch's Stop hook does with the last exchange of a session."""
        said = {"user": question, "assistant": [{"type": "text", "text": answer}]}
        turns = [{"type": who, "message": {"content": what}} for who, what in said.items()]
        transcript = self.root / "transcript.jsonl"
        transcript.write_text("\n".join(map(json.dumps, turns)), "utf-8")
        vouch("capture").capture_answer(self.store, session, transcript)
        transcript.unlink()

    def _ingest(self, content: str, title: str) -> Any:
        made, _ = vouch("extract").ingest_source(self.store, content.encode(), title=title, **AGENT)
        return made

    def _claim(self, **fields: Any) -> Any:
        return self._approved("claim", **fields)

    def _put(self, kind: str, **fields: Any) -> Any:
        """What is written without a review, which takes most of the time."""
        made = getattr(vouch("models"), kind.capitalize()).model_validate(fields)
        return getattr(self.store, f"put_{kind}")(made)

    def _entity(self, **fields: Any) -> Any:
        return self._approved("entity", **fields)

    def _page(self, **fields: Any) -> Any:
        return self._approved("page", **fields)

    def _relation(self, source: str, **fields: Any) -> Any:
        return self._approved("relation", src=source, **fields)

    def _approved(self, kind: str, **fields: Any) -> Any:
        """What is proposed by the one and approved by the other."""
        return self._approve(self._propose(kind, **fields).id)

    def _propose(self, kind: str, **fields: Any) -> Any:
        proposed = getattr(vouch("proposals"), f"propose_{kind}")(self.store, **fields, **AGENT)
        return getattr(proposed, "proposal", proposed)

    def _approve(self, proposal: str) -> Any:
        return vouch("proposals").approve(self.store, proposal, approved_by="reviewer")

    def _session_start(self, task: str) -> Any:
        with patch.object(vouch("volunteer_context"), "_start_watch"):  # a thread that polls
            return vouch("sessions").session_start(self.store, agent="agent", task=task)

    def _session_end(self, session: str) -> None:
        vouch("sessions").session_end(self.store, session)
