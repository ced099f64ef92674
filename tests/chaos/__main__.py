"""`python -m chaos`: the campaign, or one part of it in this process."""

from __future__ import annotations

import argparse
import sys
from fnmatch import fnmatchcase

from chaos import campaign
from chaos.parts import PARTS, load
from chaos.watch import Asked, attend


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="chaos", description=__doc__)
    parser.add_argument("--seconds", type=float, default=600.0, help="for everything together")
    parser.add_argument("--seed", type=int, default=0, help="what decides everything random")
    parser.add_argument("--only", help=f"one part: {', '.join(PARTS)}")
    parser.add_argument("--case", default="*", help="cases of it, * and ? allowed")
    parser.add_argument("--at", type=int, default=0, help="one place or round of the case")
    parser.add_argument("--then", type=int, default=0, help="places until a second interrupt")
    parser.add_argument("--place", default="", help="a place by its name, instead of its number")
    parser.add_argument("--keep", default="", help="of a program, these commands alone")
    parser.add_argument("--most", type=int, default=0, help="places or rounds of a case, at most")
    parser.add_argument("--list", action="store_true", help="show parts and cases, and end")
    parser.add_argument("--here", help=argparse.SUPPRESS)  # cases to run in this process
    parser.add_argument("--known", default="", help=argparse.SUPPRESS)
    parser.add_argument("--start", type=int, default=1, help=argparse.SUPPRESS)
    return parser.parse_args()


def main() -> int:
    """Run what the command line asks for."""
    given = _arguments()
    if given.only is not None and given.only not in PARTS:
        print(f"--only: expected one of {', '.join(PARTS)}, got {given.only!r}", file=sys.stderr)
        return 2
    asked = Asked(
        seed=given.seed,
        seconds=given.seconds,
        most=given.most,
        at=given.at,
        then=given.then,
        start=given.start,
        keep=tuple(int(each) for each in given.keep.split(",") if each),
        place=given.place,
        known=tuple(filter(None, given.known.split("|"))),
    )
    if given.here is not None:
        attend(asked, given.here.split(","), load(given.only).run)
    chosen = {
        name: [case for case in load(name).cases() if fnmatchcase(case, given.case)]
        for name in ([given.only] if given.only else PARTS)
    }
    if given.list:
        for name, found in chosen.items():
            print(f"{name}: {PARTS[name].about}\n  {' '.join(found)}")
        return 0
    return campaign.run(asked, chosen)


if __name__ == "__main__":
    sys.exit(main())
