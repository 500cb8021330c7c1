"""What is given to a prompt: the block, the claims of files it names, what of it was used."""
