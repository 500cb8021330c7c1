"""The forms of a name, and the matcher that finds all names of a knowledge base in a text."""
