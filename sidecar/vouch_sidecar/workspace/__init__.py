"""The workspace around `.vouch/`: its files, what git knows of them, definitions in them, which
claims are tied to which files, and topics.
"""
