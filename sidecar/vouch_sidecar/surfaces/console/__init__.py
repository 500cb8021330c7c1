"""What commands share: options and printing."""
