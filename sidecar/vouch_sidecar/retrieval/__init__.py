"""What to say: names in play, experts, likely claims, and the block for a prompt."""
