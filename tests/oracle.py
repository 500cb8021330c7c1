"""vouch-kb 1.5.0, whose files we read and whose answers ours are compared with."""

import json
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any
from unittest.mock import patch

import yaml

Step = dict[str, Any]
"""One call of vouch: `{"op": name, …}`; `as` names its result, which "@name" is in later steps."""
AGENT = {"proposed_by": "agent"}
PROPOSED = ("claim", "entity", "page", "relation")


def vouch(module: str) -> Any:
    """A module of vouch, which has no types."""
    return import_module(f"vouch.{module}")


class OracleKb:
    """A knowledge base that vouch's own functions write, those of its `lifecycle` among them."""

    def __init__(self, root: Path, *steps: Step) -> None:
        root.mkdir(parents=True, exist_ok=True)
        self.root, self._ids = root, dict[str, str]()
        self.store = vouch("storage").KBStore.init(root)
        with patch.object(yaml, "safe_load", partial(yaml.load, Loader=yaml.CSafeLoader)):
            for step in steps:
                made = self._do(**{name: self._resolved(value) for name, value in step.items()})
                self._ids[step.get("as", "")] = getattr(made, "id", made)

    def _do(self, op: str, **fields: Any) -> Any:
        fields.pop("as", None)
        if op in PROPOSED:
            return self._approved(op, **fields)
        if (own := getattr(self, f"_{op}", None)) is not None:
            return own(**fields)
        return getattr(vouch("lifecycle"), op)(self.store, **fields, actor="reviewer")

    def _resolved(self, value: Any) -> Any:
        if isinstance(value, list):
            return [self._resolved(item) for item in value]
        return self._ids[value[1:]] if str(value).startswith("@") else value

    def _approved(self, kind: str, **fields: Any) -> Any:
        """What is proposed by the one and approved by the other."""
        made = getattr(vouch("proposals"), f"propose_{kind}")(self.store, **fields, **AGENT)
        proposal = getattr(made, "proposal", made).id
        return vouch("proposals").approve(self.store, proposal, approved_by="reviewer")

    def _put(self, kind: str, **fields: Any) -> Any:
        """What is written without a review, which takes most of the time."""
        made = getattr(vouch("models"), kind.capitalize()).model_validate(fields)
        return getattr(self.store, f"put_{kind}")(made)

    def _config(self, **changes: Any) -> None:
        path = self.root / ".vouch" / "config.yaml"
        path.write_text(yaml.safe_dump(yaml.safe_load(path.read_text("utf-8")) | changes), "utf-8")

    def _source(self, content: str, **fields: Any) -> Any:
        return self.store.put_source(content.encode(), **fields)

    def _evidence(self, source: str, quote: str) -> Any:
        content = self.store.read_source_content(source)
        found = {"source_id": source, "source_bytes": content, "quote": quote}
        return self.store.put_evidence(vouch("receipts").receipt_for_quote(**found))

    def _capture(self, question: str, answer: str) -> None:
        """What vouch's Stop hook does with the last exchange of a session."""
        said = {"user": question, "assistant": [{"type": "text", "text": answer}]}
        turns = [{"type": who, "message": {"content": what}} for who, what in said.items()]
        transcript = self.root / "transcript.jsonl"
        transcript.write_text("\n".join(map(json.dumps, turns)), "utf-8")
        vouch("capture").capture_answer(self.store, "s1", transcript)
        transcript.unlink()

    def _session_start(self, task: str) -> Any:
        with patch.object(vouch("volunteer_context"), "_start_watch"):  # a thread that polls
            return vouch("sessions").session_start(self.store, agent="agent", task=task)

    def _session_end(self, session: str) -> None:
        vouch("sessions").session_end(self.store, session)
