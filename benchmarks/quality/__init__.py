"""How right, and how silent when unsure: labelled sets run through the real engine."""
