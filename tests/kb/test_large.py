"""Large tables: made and let go bit by bit."""

import subprocess
import sys

import pytest
from vouch_sidecar.kb.large import let_go

GROWING = """
import resource, threading
from vouch_sidecar.kb.large import make_room
ENTRIES = 100_000

def faults():
    return resource.getrusage(resource.RUSAGE_THREAD).ru_minflt

def grow():
    make_room(ENTRIES)
    keys = [(i,) for i in range(ENTRIES)]
    table, most = {}, 0
    for key in keys:
        before = faults()
        table[key] = key
        most = max(most, faults() - before)
    print(most)

thread = threading.Thread(target=grow)
thread.start()
thread.join()
"""


def test_what_is_let_go_is_empty() -> None:
    table, rows = {i: i for i in range(10)}, [1, 2, 3]

    let_go(table)
    let_go(rows)

    assert not table
    assert not rows


@pytest.mark.skipif(sys.platform != "linux", reason="tells of the page faults of one thread")
def test_a_table_grows_in_memory_that_is_at_hand() -> None:
    """Where none is, it takes 1,280 new pages at once, while no other thread runs."""
    ran = subprocess.run([sys.executable, "-c", GROWING], capture_output=True, check=True)

    assert int(ran.stdout) < 100
