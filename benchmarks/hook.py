"""What a hook takes as a whole process, prompt in and block out."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.client import COMMAND, connected, environment
from benchmarks.generate import Questions
from benchmarks.timing import Figure, Figures, timed

OURS = (COMMAND, "hook", "user-prompt-submit")
RUNS = 15
Env = Mapping[str, str]


def measure(root: Path, folder: Path, questions: Questions) -> Figures:
    """Where a sidecar runs, and an empty Python: in turns, so that a busy moment falls on both."""
    env = environment(folder) | {"VOUCH_SIDECAR_RECALL_TIMEOUT_MS": "10000"}
    samples: dict[str, list[float]] = {"hook": [], "python": []}
    with connected(root, folder) as client:
        client.wait_for("complete", True)
        asked = (client.request("vouch/context", {"task": text}) for text in questions.prompts)
        pairs = zip(questions.prompts, asked, strict=True)
        prompts = [prompt for prompt, context in pairs if context["text"]]
        for run in range(RUNS + 1):
            prompt = prompts[run % len(prompts)]
            taken = (
                _run(OURS, env, root, prompt),
                timed(lambda: subprocess.run([sys.executable, "-c", "pass"], check=True)),
            )
            if run:  # the first one pays for what the system has not read yet
                for seconds, one in zip(taken, samples.values(), strict=True):
                    one.append(seconds)
    return {name: Figure.of(taken) for name, taken in samples.items()}


def _run(command: Sequence[str | Path], env: Env, root: Path, prompt: str) -> float:
    """Ask as an agent does. The same prompt in the same session would be answered once."""
    event = json.dumps({"session_id": prompt, "prompt": prompt, "cwd": str(root)}).encode()
    said = []

    def run() -> None:
        done = subprocess.run(command, input=event, capture_output=True, env=env, cwd=root)
        said.append(done.returncode == 0 and done.stdout)

    seconds = timed(run)
    if not said[0]:
        raise RuntimeError("the hook said nothing, so nothing was measured")
    return seconds
