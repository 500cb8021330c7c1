"""What lies around `.vouch/`: the files of the workspace, and which claims are tied to them."""
