"""Evidence in a text: which names it holds, how strongly, which phrases are worth looking up, and
what is asked beside the names.
"""
