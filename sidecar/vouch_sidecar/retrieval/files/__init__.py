"""What a viewer may be told of files: the claims tied to them, and which of those are stale."""
