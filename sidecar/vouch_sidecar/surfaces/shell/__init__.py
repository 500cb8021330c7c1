"""Commands that ask: one for each operation. Run by the process that serves already, or by this."""
