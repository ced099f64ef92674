"""Kernel IR to text in a device's language; one module for each language."""
