"""Run the command line: `python -m treadle` is `treadle`."""

from __future__ import annotations

import sys

from treadle.cli import main

if __name__ == "__main__":
    sys.exit(main())
