"""Measurements: speed and quality, beside vouch-kb."""
