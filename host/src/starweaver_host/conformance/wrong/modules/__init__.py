"""Plugin modules that are wrong, one rule each; `wrong.plugins` says which."""
