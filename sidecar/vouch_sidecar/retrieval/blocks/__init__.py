"""What is added to a prompt: the block, claims on files that a tool touched, and an estimate of
which lines an answer used.
"""
