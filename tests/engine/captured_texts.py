"""What vouch captures: questions, answers and a guide."""

from __future__ import annotations

RETRIES = (
    "The relay retries a failed delivery three times, as set in `relay/settings.yaml` and "
    "README.md, before it moves the event to the dead letter queue."
)
ANSWER = """Here's what I found:

The relay retries a failed delivery three times, as set in `relay/settings.yaml` and README.md,
before it moves the event to the dead letter queue. Each retry waits twice as long as the one
before.

## Limits

- The queue keeps events for 14 days (see docs/queue.md. It was 7 once).
- Backoff is capped at 30 seconds, e.g. for the handheld app.

```python
retry = Retry(times=3, wait=2.0, cap=30.0)
```

Let me know if you want me to change the limits. Want me to open a pull request?"""
QUESTION = "How does the relay retry failed deliveries?"
KEYRING = """pip only asks keyring when the index URL has a username, because some backends show a
prompt. The option `--keyring-provider` in cli/cmdoptions.py decides which backend is used.

[the documentation of it](https://pip.example/keyring)"""
KEYRING_QUESTION = "why are keyring passwords not fetched for index urls without a username"
GUIDE = """\
Release guide
=============

Tag the commit in CHANGES.md and
push it before the wheels are built by tools/build.py. The build takes an hour.

::

    git push --tags origin main
"""
