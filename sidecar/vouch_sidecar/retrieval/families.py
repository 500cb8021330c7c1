"""Words that belong together and share no stem: “maintain” and “maintenance”.

They count on the side of the question only, in the choice among the claims of an entity.
"""

from __future__ import annotations

from functools import cache

from vouch_sidecar.index.text import stem

__all__ = ["FAMILIES", "relatives"]

FAMILIES = """
maintain maintenance
own owner ownership belong responsible
decide decision
retain retention
expire expiry
fail failure
recover recovery
deliver delivery
discover discovery
store storage
use usage
choose choice chosen chose
grow growth
lose loss lost
know knowledge
think thought
sell sale sold
buy bought
pay payment paid
send sent
keep kept
hold held
write written wrote
break broke broken breakage
speak spoke speech
teach taught
build built
begin began begun start
run ran
private privacy
able ability
long length
high height
wide width
strong strength
deep depth
weigh weight
receive reception receipt
describe description
subscribe subscription
permit permission
admit admission
transmit transmission
convert conversion
extend extension
suspend suspension
respond response
define definition
comply compliance
rely reliance
analyse analysis analyze
diagnose diagnosis
verify verification
notify notification
modify modification
classify classification
specify specification
apply application
replicate replica
authenticate auth login
authorise authorization
back backup
roll rollback
set setup
shut shutdown
embed embedded
hand handover
lead led
freeze froze frozen
take took taken
give gave given
fall fell fallen
draw drew drawn
drive drove driven
bring brought
wake woke woken
hide hid hidden
catch caught
throw threw thrown
rise rose risen
withdraw withdrew withdrawn
produce production
reduce reduction
consume consumption
resolve resolution
include inclusion
exclude exclusion
ship shipment
safe safety
accurate accuracy
frequent frequency
synchronise sync synchronize
config configure
doc document
admin administrator
db database
repo repository
env environment
percentile p50 p90 p95 p99
"""


@cache
def _by_stem() -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for line in FAMILIES.splitlines():
        members = frozenset(map(stem, line.split()))
        for one in members:
            found[one] = found.get(one, frozenset()) | members
    return found


def relatives(stemmed: str) -> frozenset[str]:
    """The other stems of a stem's family."""
    return _by_stem().get(stemmed, frozenset()) - {stemmed}
