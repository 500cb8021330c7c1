"""What lies around `.vouch/`: files, git, definitions, the claims tied to files, topics."""
