"""How results are printed: text for people, JSON and JSON Lines for programs."""
