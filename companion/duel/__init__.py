"""A duel of Hoshi Battle judged while it is fought: what pad, camera and people tell, joined on one time line."""
