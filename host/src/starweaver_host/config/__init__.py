"""Configuration files of products: read, checked against typed models, edited. Starts nothing and imports no plugin."""
