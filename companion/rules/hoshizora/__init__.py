"""Hoshizora (Starry Sky Trick-Taking): rules, knowledge and exact geometry."""
