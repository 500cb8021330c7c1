"""Evidence in a text: which names it holds, how strongly, and what is asked beside them."""
