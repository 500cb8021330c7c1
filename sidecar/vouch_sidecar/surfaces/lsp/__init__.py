"""The language server: pygls with fixes for its faults, one file a feature."""
