"""The files around `.vouch/`, and which claims are tied to them."""
