"""The ways in: each turns its own protocol into calls of the operations, and decides no more."""
