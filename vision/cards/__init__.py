"""Cards: enrolled from scans, found on the table, identified or abstained from."""
