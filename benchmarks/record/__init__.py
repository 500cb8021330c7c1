"""Records what every operation answers, at any commit, and compares two recordings."""
