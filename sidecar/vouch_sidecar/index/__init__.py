"""What is known of one knowledge base: its texts, names and links, as tantivy indexes them."""
