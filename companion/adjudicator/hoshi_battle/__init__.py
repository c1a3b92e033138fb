"""Hoshi Battle at the table: duels that are judged as they are fought, and what people are told and asked of them."""
