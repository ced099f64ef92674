"""Chaos: what interrupts, collects, forks, kills and refuses, at moments that nobody chose.

`make chaos` runs it for ten minutes, `python -m chaos --help` (with this folder's parent in
PYTHONPATH) says how to ask for less; test_chaos.py runs a short form with every other test.
"""
