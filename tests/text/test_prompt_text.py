"""What of a prompt counts as its words, and which stored texts ask something."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from vouch_sidecar.text import prompt_text
from vouch_sidecar.text.prompt_text import asks, printed_lines, without_asking, without_printed

PIECES = (
    *"\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029", "\r\n", " ", "PS C:\\srv", "C:\\srv", "> ",
    "➜  relay ", "git:(", ")", "✗ ", "x", "ada@host:~", "$ ", "10:00:01 ", "    at send (",
    '  File "', "relay.py:12", '", line 12', "İ", "who knows ", "why? ", "thanks. ", '"/srv/',
    "/relay",
)  # fmt: skip
"""Among them all that `str.splitlines` takes for ends of lines."""


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
@example("PS C:\\srv\x0crelay> run\nHow does the relay retry?")
@example("➜  relay git:(a\u2028b) ✗ run")
def test_blanks_stand_in_place_of_what_they_replace(text: str) -> None:
    asks(text)
    prompt_text.asked_sentences(text)
    for without in (without_printed, without_asking):
        left = without(text)
        assert len(left) == len(text)
        assert all(new in (old, " ") for new, old in zip(left, text, strict=True))
    assert without_printed(text).count("\n") == text.count("\n")


def printed(text: str) -> list[str]:
    return [text[start:end] for start, end in printed_lines(text)]


def test_prompts_of_terminals_and_timestamps_count_for_no_words() -> None:
    for prompt in (
        *("[ada@box gantry]$ ", "(gantry) ada@box:~/gantry/crane$ ", "root@box:/gantry# "),
        *("➜  gantry git:(crane/jib) ✗ ", "PS C:\\gantry\\crane> ", "C:\\gantry\\crane>"),
        *("10:00:00 ", "Nov 25 10:00:00 ", "25/Nov/2026:10:00:00 +0000 "),
    ):
        assert without_printed(f"{prompt}make upload").strip() == "make upload", prompt


@pytest.mark.parametrize(
    "frame",
    [
        '  File "/srv/app/worker.py", line 12, in <module>\n    settle(batches)\n    ~~~~~^^^^',
        "    at Worker.settle (/srv/app/batches.js:12:3)\n    at async Promise.all (index 0)",
        "\tat com.acme.Worker.settle(Worker.java:12)\n\tat A.b(Native Method)",
        "   at Worker.Settle(Batch b) in C:\\src\\batches.cs:line 12",
        "\tfrom worker.rb:3:in `batches'\n\tfrom app/x.rb:1:in `block (2 levels) in <main>'",
        "#0 /var/www/worker.php(12): settle()\n#1 /var/www/x.php(3): Batches->run('a', 'b')",
        "#0  0x00007f in settle (batch=0x0) at src/batches.c:12\n#1  main () at src/main.c:3",
    ],
)
def test_frames_of_a_stack_count_for_no_words(frame: str) -> None:
    left = without_printed(f"why?\n{frame}\nValueError: the queue is full")
    assert left.split() == ["why?", "ValueError:", "the", "queue", "is", "full"]


def test_a_line_of_a_known_form_was_printed() -> None:
    for line in """
2026-11-23T10:11:12Z gantry started
[10:11:12.005] gantry started
Nov 23 10:11:12 box gantry[12]: started
gantry host=box lag=12
[INFO] Gantry started
warning: Gantry is old
E (1201) gantry: no answer
gantry[12]: [main] started
panic: gantry is nil
com.acme.GantryException: no answer
src/gantry.py:12: error: no Gantry
tests/test_gantry.py::test_lift FAILED
#4 /srv/gantry.php(12): lift()
$ gantry lift
> Task :gantry:lift FAILED
GET /gantry HTTP/1.1
{"level": "info", "at": "gantry"}
acme/gantry ........ DONE
✓ Gantry lifts
""".strip().split("\n"):
        text = f"why is the gantry stuck?\n\n{line}\nGantry has more to say\n\nand now?"
        assert printed(text) == [line, "Gantry has more to say"]


@pytest.mark.parametrize(
    "text",
    [
        "Gantry is stuck since 10:11, see #12 and src/gantry.py:12",
        "GANTRY-12: Gantry is stuck\n[GANTRY-12] lift it",
        "- [ ] ask Gantry\n- [x] ask Crane\n  - and the jib",
        "[Gantry](docs/gantry.md) says so\n> Gantry is stuck\n\nis it?",
        "#12 fails on Gantry",
        "I (think) Gantry is down, 50% of the time.... or so",
        "GET /gantry fails with limit=10 and page=2",
        "note: Gantry is old\nhint: ask Crane\n---\n| Gantry | old |",
        "def up(gantry, level=1, name='x'):\n    # Gantry keeps the crane.\n    time.sleep(3)",
        "FATAL = 3  # Gantry\nINFO, WARN = 1, 2\n-- Gantry keeps the crane.\nGantry\n======",
        "at src/relay.py:12 the queue is full",
        "at night (when the queue is full) it waits",
        "1. at the relay\n   (see src/relay.py:12 for that)",
        "```gantry --up``` hangs\nGantry is stuck",
    ],
)
def test_what_a_person_writes_was_not_printed(text: str) -> None:
    assert printed(text) == []
    assert without_printed(text) == text


def test_a_paragraph_with_a_printed_line_was_printed_unless_it_begins_the_text() -> None:
    above, below = "Gantry is stuck\n[gantry] stuck", "Gantry was stuck\n[gantry] went on"
    assert printed(f"{above}\n\n{below}") == ["[gantry] stuck", "", *below.split("\n")]
    assert printed(f"why?\n\n{below}") == below.split("\n")
    up, down = "$ gantry up\nGantry is up", "$ gantry down\nGantry left"
    between = printed(f"{up}\n\nwhere is Gantry?\nthen I ran:\n\n{down}")
    assert [line for line in between if line] == [*up.split("\n"), *down.split("\n")]
    fenced = "```\nGantry up\n\n12\n``` so is Crane\nJib"
    assert printed("why?\n``````\nGantry up\n``````\nnow") == ["``````", "Gantry up"]
    marked = "Traceback:\n  ship(crate)\n  ~~~~^^^^^^^\n\nWhat is Gantry?"
    assert "What is Gantry?" not in printed(marked)
    assert printed(f"why?\n\nsee\n{fenced}\n\nfix it\n{fenced}") == fenced.split("\n")[:4] * 2
    left = without_printed("why 12 cranes?\n[gantry] try 3 of 12: code 4417, v1.2, 10 ms")
    assert left.split() == "why 12 cranes? [gantry] try of : code 4417, v1.2, ms".split()


def test_words_that_ask_for_somebody_are_no_subject_but_for_who_owns_it() -> None:
    for asked, left in {
        "who should I ask about labels": "about labels",
        "whom to ask about labels": "about labels",
        "who can I best talk with about labels": "about labels",
        "who knows the labels best?": "the labels     ?",
        "who knows most about labels": "about labels",
    }.items():
        assert without_asking(asked).strip() == left
    owning = ["who owns the labels", "Who’s responsible for them?", "Who is currently in charge?"]
    others = ["who knows why the relay is slow", "a visitor who asks how", "who gets paged?"]
    for text in (*owning, *others):
        assert without_asking(text) == text
        assert bool(prompt_text.WHOM.search(text)) is (text in owning)


QUESTIONS = """
why is the relay slow
a customer asks for a parcel, where do I find its events now
is it kafka?
fix the typo in the handler. What else is in the parcel queue?
rolling restart, how long?
“Relay drops scans?”
**Why does the relay wait?**
""".strip().split("\n")
ORDERS = """
add retries to the upload
please do the refactoring of the relay now
restart the relay, which holds the queue
""".strip().split("\n")
LOG = "10:00:01 ERROR relay: refused\n10:00:02 WARN is the node up? retrying"


def test_a_stored_text_asks_or_does_not() -> None:
    assert [text for text in QUESTIONS if not asks(text)] == []
    assert [text for text in (*ORDERS, LOG) if asks(text)] == []
