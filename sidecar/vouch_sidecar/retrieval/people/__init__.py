"""People: experts on a topic, and whom to ask: declared people and teams, code owners, authors of
commits.
"""
