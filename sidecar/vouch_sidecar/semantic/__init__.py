"""Optional: texts as vectors, by a model in a folder or by ollama."""
