"""Buffers, commands, queues and devices."""
