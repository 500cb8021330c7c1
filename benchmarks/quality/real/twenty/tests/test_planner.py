import os

from carousel.planner import plan

SEED = int(os.environ["CAROUSEL_SEED"]) if "CAROUSEL_SEED" in os.environ else None


def test_snapshot():
    moves = plan({"A": 4, "B": 4}, {"C": 3, "D": 3}, vans=2, seed=SEED)
    assert sum(m.bikes for m in moves) == 6
