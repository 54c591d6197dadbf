"""Sessions of Acme's agent."""
