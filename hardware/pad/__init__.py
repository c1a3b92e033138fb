"""The contact pad on a serial line: its protocol, its clock on the host's, and a link that loses no touch in silence."""
