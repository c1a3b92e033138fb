"""The processes of the service: a capture child, a vision process, and what brings their words to the table's desk."""
