"""The process that a hook starts to answer hooks; it ends when idle, or asked to."""
