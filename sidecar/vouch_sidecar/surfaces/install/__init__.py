"""Integrations with hosts: what `vouch-sidecar install HOST` writes, and takes away again."""
