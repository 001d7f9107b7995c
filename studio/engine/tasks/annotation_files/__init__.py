"""Parts of annotation files that formats of several tasks read: JSON, class tables, outlines."""
