"""Nearest neighbours, exact, over bytes with a proved bound."""
