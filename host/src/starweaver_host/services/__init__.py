"""What is the same for every provider: rules, cursors, importing, policy."""
