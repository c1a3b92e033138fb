"""The append-only event log: storage, hash chain, export and verification."""
