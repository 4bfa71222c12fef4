"""The same as in package.json and pyproject.toml: a test compares them."""

__version__ = "0.1.0"
