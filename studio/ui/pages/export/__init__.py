"""The export page: take a model away, with a certificate."""
