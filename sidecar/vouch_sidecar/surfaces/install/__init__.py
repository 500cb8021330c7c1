"""Integrations with hosts, which `vouch-sidecar install HOST` installs and removes."""
