"""One knowledge base on disk: where it is, what its files say, who may see which artifact, and what
changed.
"""
