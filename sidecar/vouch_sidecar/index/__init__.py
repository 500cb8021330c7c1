"""The index of one knowledge base: its texts and links in tantivy, and which of them each viewer
may see.
"""
