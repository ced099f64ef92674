"""Figures for Prometheus, read by its own parser; and budgets of memory, on a bare event loop."""

from __future__ import annotations

import asyncio

import pytest
from prometheus_client.parser import text_string_to_metric_families

from served import photo
from treadle.serving.budget import Budget, BudgetPart
from treadle.serving.metrics import Metrics


def families(text: str) -> dict:
    return {family.name: family for family in text_string_to_metric_families(text)}


def test_every_figure_is_what_its_name_says(served):
    data = photo()
    sizes = [len(served.ask("POST", "/image", data).data) for _ in range(3)]
    served.ask("POST", "/image", b"no photo")
    served.ask("GET", "/nowhere")
    found = served.ask("GET", "/metrics")
    assert found.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    by_name = families(found.data.decode())
    counts = {
        (s.labels["endpoint"], s.labels["status"]): s.value
        for s in by_name["treadle_requests"].samples
    }
    assert counts["image", "200"] == 3
    assert counts["image", "422"] == 1
    assert counts["other", "404"] == 1
    assert by_name["treadle_upload_bytes"].samples[0].value == 3 * len(data) + len(b"no photo")
    assert by_name["treadle_answer_bytes"].samples[0].value == sum(sizes)
    assert by_name["treadle_batches"].samples[0].value == 3
    assert {s.labels["kind"] for s in by_name["treadle_device_memory_bytes"].samples} == {
        "held", "used", "pooled",
    }  # fmt: skip
    assert {s.labels["stage"] for s in by_name["treadle_stage_seconds"].samples} == {
        "decode", "compute", "encode",
    }  # fmt: skip
    for name in ("treadle_requests_in_progress", "treadle_waiting", "treadle_held_bytes"):
        assert all(sample.value == 0 for sample in by_name[name].samples)
    for family in by_name.values():
        assert family.documentation.endswith(".")


def test_a_distribution_adds_up():
    metrics = Metrics()
    metrics.times("t_seconds", "How long.")
    for seconds in (0.0005, 0.001, 0.3, 99.0):
        metrics.took("t_seconds", seconds, kind='a "b"\\\n')
    (family,) = families(metrics.text()).values()
    samples = {(s.name, s.labels.get("le")): s.value for s in family.samples}
    assert {s.labels["kind"] for s in family.samples} == {'a "b"\\\n'}
    assert samples["t_seconds_bucket", "0.001"] == 2
    assert samples["t_seconds_bucket", "0.5"] == 3
    assert samples["t_seconds_bucket", "+Inf"] == 4
    assert samples["t_seconds_count", None] == 4
    assert samples["t_seconds_sum", None] == pytest.approx(99.3015)


def test_a_budget_is_given_in_order_and_to_one_that_is_too_large():
    async def main():
        budget = Budget(100)
        await budget.take(60)
        first = asyncio.ensure_future(budget.take(500))
        second = asyncio.ensure_future(budget.take(10))
        await asyncio.sleep(0)
        assert budget.waiting == 2
        assert not budget.fits(1)  # others came first
        budget.add(-60)
        await first
        assert (budget.held, budget.waiting, second.done()) == (500, 1, False)
        budget.add(-500)
        await second
        assert budget.held == 10

    asyncio.run(main())


def test_a_request_that_leaves_gives_its_budget_to_the_next():
    async def main():
        budget = Budget(100)
        await budget.take(100)
        gone, cut, last = (asyncio.ensure_future(budget.take(100)) for _ in range(3))
        await asyncio.sleep(0)
        gone.cancel()  # while it waits; and in the same round its turn comes
        budget.add(-100)
        cut.cancel()  # admitted already, and it has not run since
        await asyncio.wait((gone, cut))
        await last
        assert gone.cancelled() and cut.cancelled()  # noqa: PT018
        assert (budget.held, budget.waiting) == (100, 0)

    asyncio.run(main())


def test_parts_of_a_budget_do_not_wait_for_each_other():
    async def grow(budget):
        part = BudgetPart(budget)
        await part.hold(40)
        await asyncio.sleep(0)
        await part.hold(90)
        await asyncio.sleep(0)
        await part.hold(20)
        part.leave()

    async def main():
        budget = Budget(100)
        await asyncio.wait_for(asyncio.gather(*(grow(budget) for _ in range(5))), 30)
        assert budget.held == 0

    asyncio.run(main())
