"""The export page: models as files with a certificate."""
