"""Experts and whom to ask: evidence by weight, declared people, code owners, authors by commits."""
