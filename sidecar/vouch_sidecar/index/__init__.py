"""What is known of one knowledge base: its texts and links, as tantivy indexes them."""
