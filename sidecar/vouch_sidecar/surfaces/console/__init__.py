"""What commands share: options and printing; and those that ask an operation."""
