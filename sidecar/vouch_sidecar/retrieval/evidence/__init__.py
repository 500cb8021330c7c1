"""What a text says of names: where, how strongly, in which phrases, and which words only ask."""
