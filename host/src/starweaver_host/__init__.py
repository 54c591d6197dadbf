"""The host of durable agent sessions: contract, projections, services and the composition of products.

Importing this package loads nothing else. Providers import from `starweaver_host.contract`, `.projection`,
`.services` and `.hooks`; front ends also from `.build`, `.application` and `.container`.
"""

__version__ = "0.1.0"

__all__ = ["__version__"]
