"""Values and Protocols that every plugin and product shares.

Imports msgspec and the standard library, nothing else, so that a plugin author depends on one small package.
Import names from the module of their noun (`contract.records`, `contract.search`, ...): this file re-exports
nothing, which keeps a command that needs one module from paying for all of them.
"""
