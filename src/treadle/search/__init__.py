"""Exact search over vectors: rows on a device, bytes beside them, and a bound that is proved."""
