"""The socket on which one process answers all others of a user.

Imports nothing: hooks and the shell use `user_socket`, which imports the standard library only.
"""
