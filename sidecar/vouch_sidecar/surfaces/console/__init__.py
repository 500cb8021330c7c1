"""What commands share: asking the process that serves, else an engine here; options; printing."""
