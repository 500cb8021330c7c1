"""Which statement answers a text: candidates, their features, and the likelihood that decides."""
