"""Pictures and their time in, observations out; knows no rules."""
