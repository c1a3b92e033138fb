"""Cameras, pad, panel and the virtual table; knows neither vision nor rules."""
