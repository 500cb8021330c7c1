"""What is added to a prompt: the block, the brief of a session, and claims on files that a tool
touched.
"""
