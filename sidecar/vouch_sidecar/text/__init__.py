"""The analysis of text: tokens and stems, English words, sentences, bounded windows."""
