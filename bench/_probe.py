import time, gc, asyncio, weft, numpy as np, sys
t = time.perf_counter()
for _ in range(100000): time.perf_counter()
print('perf_counter', (time.perf_counter() - t) / 1e5 * 1e9, 'ns')
d = weft.device('cuda'); b = d.backend
a, c = (d.buffer(np.arange(1000, dtype=np.float32)) for _ in range(2))
d.run_kernel('elementwise_add', [a, a], c)
def one():
    s = time.perf_counter(); cmd = d.submit('elementwise_add', [a, a], c); m = time.perf_counter(); cmd.wait(); return m - s, time.perf_counter() - m
def loop(label):
    r = [one() for _ in range(4000)]
    print(f'{label:30s}', np.percentile([x for x, _ in r], [50, 90, 99]).round(8) * 1e6, np.percentile([y for _, y in r], [50, 90, 99]) * 1e6, flush=True)
async def aloop(label):
    out = []; sub = []
    for _ in range(4000):
        s = time.perf_counter(); cmd = d.submit('elementwise_add', [a, a], c); m = time.perf_counter(); await cmd; out.append(time.perf_counter() - s); sub.append(m - s)
    print(f'{label:30s}', np.percentile(sub, [50, 90, 99]) * 1e6, 'total', np.percentile(out, [50, 90, 99]) * 1e6, flush=True)
loop('sync'); asyncio.run(aloop('async')); loop('sync')
gc.disable(); loop('sync, gc off'); gc.enable()
from weft.runtime import poller
poller._LONGEST = 0.02
time.sleep(.1); loop('sync, poller 20 ms'); asyncio.run(aloop('async, poller 20ms')); poller._LONGEST = 1e-3
lane = b._lanes.choose(0, 1, ())
plan = list(d._launcher._plain.values())[0][0]
steps = plan.steps([a._storage.region, a._storage.region, c._storage.region], (), ())
def raw():
    s = time.perf_counter(); f = b.launch(steps, None); m = time.perf_counter()
    while not f.done(): pass
    return m - s, time.perf_counter() - m
r = [raw() for _ in range(4000)]
print('raw launch, spin', np.percentile([x for x, _ in r], [50, 90, 99]) * 1e6, np.percentile([y for _, y in r], [50, 90, 99]) * 1e6)
h = steps[0].program.handle; sized = h.prepare(steps[0].dims); fn, g, x, y = sized.calls[0]; L = b._cuda.driver.launchKernel; rt = b._cuda.runtime; ev = rt.eventCreateWithFlags(2)
def rawer():
    s = time.perf_counter(); L(fn, g, 1, 1, x, y, 1, 0, lane.stream, sized.code.arguments, 0); m = time.perf_counter(); rt.eventRecord(ev, lane.stream); n = time.perf_counter()
    while rt.eventQuery(ev): pass
    return m - s, n - m, time.perf_counter() - n
r = [rawer() for _ in range(4000)]
for k in range(3): print('rawer', k, np.percentile([z[k] for z in r], [50, 90, 99]) * 1e6)
