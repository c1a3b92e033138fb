"""The command line's commands, one module a family."""
