"""The parts of pages for anomaly detection."""
