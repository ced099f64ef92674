"""docs/scale.md says what the simulation prints, and the simulation what its parts allow."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from bench import scale_photos, scale_search
from bench.scale import TABLES
from bench.scale_photos import PhotoPlan
from bench.scale_search import SearchPlan

from pages import ROOT

PAGE = (ROOT / "docs" / "scale.md").read_text("utf-8")
SHOWN = dict(re.findall(r"<!-- python -m bench\.scale '([^']+)' -->\n\n((?:\|.*\n)+)", PAGE))


@pytest.mark.parametrize("name", TABLES)
def test_the_page_shows_what_the_simulation_prints(name):
    assert SHOWN[name].rstrip("\n") == TABLES[name]()


def test_the_page_shows_no_table_that_is_not_printed():
    assert SHOWN.keys() == TABLES.keys()
    assert PAGE.count("| ---") == sum(table.count("| ---") for table in SHOWN.values())


@pytest.mark.parametrize(
    "change, share",
    [
        ({"machines": 400, "slow_share": 0.0}, "listing"),
        ({"machines": 400, "page": 1e-6, "journal": 2000.0}, "journal"),
        ({"machines": 400, "page": 1e-6, "dispatch": 30.0}, "driver"),
        ({"machines": 5, "slow_share": 0.0}, "cores"),
        ({"machines": 5, "slow_share": 0.0, "network": 100.0}, "network"),
    ],
)
def test_a_run_is_as_fast_as_its_narrowest_part(change, share):
    plan = replace(PhotoPlan(), **change)
    rate = scale_photos.simulate(plan, 300_000).rate
    parts = dict(scale_photos.limits(plan))
    per = {
        "listing": parts["one listing, page after page"],
        "journal": parts["the journal, one writer"],
        "driver": parts["the driver, one thread"],
        "cores": parts["the cores of a machine"] * plan.machines,
        "network": parts["the network of a machine"] * plan.machines,
    }
    assert min(per, key=per.__getitem__) == share
    assert 0.7 * per[share] < rate < 1.01 * per[share]


def test_queries_that_come_rarely_take_a_scan_and_many_share_one():
    quiet = SearchPlan(noise=0.0, hiccup=0.0, load=0.01)
    found = scale_search.simulate(quiet)
    assert found.median == pytest.approx(scale_search.service(quiet, 1))
    busy = scale_search.simulate(replace(quiet, load=0.9))
    assert busy.batch > 10 * found.batch
    assert busy.p99 > found.p99
