"""One module per command. Each imports click and this package's light helpers; the rest on use."""
