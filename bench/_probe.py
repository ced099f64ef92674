import time, ctypes, weft, numpy as np, cProfile, pstats, sys

d = weft.device("cuda")
b = d.backend
a, c = (d.buffer(np.arange(1000, dtype=np.float32)) for _ in range(2))
d.run_kernel("elementwise_add", [a, a], c)
rt = b._cuda.runtime
L = b._lanes


def t(name, f, n=0):
    best = []
    for _ in range(15):
        rt.deviceSynchronize()
        s = time.perf_counter()
        for _ in range(200):
            f()
        best.append((time.perf_counter() - s) / 200 * 1e6)
    print(f"{name:30s} {sorted(best)[7]:7.2f} us", flush=True)


lane = L.choose(0, 1, ())
st = lane.stream
cmd = d.submit("elementwise_add", [a, a], c)
step = cmd._steps[0] if cmd._steps else None
plan = list(d._launcher._plain.values())[0][0]
steps = plan.steps([a._storage.region, a._storage.region, c._storage.region], (), ())
h = steps[0].program.handle
sized = h.prepare(steps[0].dims)
ev = rt.eventCreateWithFlags(2)
t("enqueue", lambda: h.enqueue(steps[0], sized, st, b._pool, []), 2000)
fn, g, x, y = sized.calls[0]
t(
    "launchKernel",
    lambda: b._cuda.driver.launchKernel(fn, g, 1, 1, x, y, 1, 0, st, 0, sized.code.extra),
    2000,
)
t("eventRecord", lambda: rt.eventRecord(ev, st), 2000)
t("eventQuery", lambda: rt.eventQuery(ev))
t("streamWaitEvent", lambda: rt.streamWaitEvent(st, ev, 0))
cu = ctypes.PyDLL("libcuda.so.1")
lk = cu.cuLaunchKernel
lk.argtypes = [ctypes.c_void_p] + [ctypes.c_uint] * 7 + [ctypes.c_void_p] * 3
t("PyDLL cuLaunchKernel", lambda: lk(fn, g, 1, 1, x, y, 1, 0, st, None, sized.code.extra))
er = cu.cuEventRecord
er.argtypes = [ctypes.c_void_p] * 2
eq = cu.cuEventQuery
eq.argtypes = [ctypes.c_void_p]
t("PyDLL cuEventRecord", lambda: er(ev, st))
t("PyDLL cuEventQuery", lambda: eq(ev))
t("pack", lambda: sized.code.pack(sized.code.block, 0, 1, 2, 3, 4, *sized.numbers))
t("choose", lambda: L.choose(0, 1, ()))
t("enter", lambda: b._enter())
t("backend.launch", lambda: b.launch(steps, None), 2000)
out = [d.empty(1000) for _ in range(64)]
k = iter(range(10**9))


def sub():
    d.submit("elementwise_add", [a, a], out[next(k) % 64])


t("submit 64 outputs", sub, 2000)
d.synchronize()
t("submit same output", lambda: d.submit("elementwise_add", [a, a], c), 2000)
d.synchronize()


def one():
    s = time.perf_counter()
    cmd = d.submit("elementwise_add", [a, a], c)
    m = time.perf_counter()
    cmd.wait()
    return m - s, time.perf_counter() - m


r = [one() for _ in range(3000)]
print(
    "submit then wait p50",
    np.percentile([x for x, _ in r], [50, 90, 99]) * 1e6,
    np.percentile([y for _, y in r], [50, 90, 99]) * 1e6,
)
print("poller asleep?", d.queue.poller._asleep, "patience", d.queue._patience)


# same without the runtime
def raw():
    s = time.perf_counter()
    f = b.launch(steps, None)
    while not f.done():
        pass
    return time.perf_counter() - s


r = [raw() for _ in range(3000)]
print("launch+spin raw", np.percentile(r, [50, 90, 99]) * 1e6)
pr = cProfile.Profile()
pr.enable()
for _ in range(1000):
    d.submit("elementwise_add", [a, a], c).wait()
pr.disable()
pstats.Stats(pr, stream=sys.stdout).sort_stats("tottime").print_stats(22)
cpy = d.run_kernel(
    "matmul", [d.buffer(np.ones((600, 700), np.float32)), d.buffer(np.ones((700, 500), np.float32))]
)
print(cpy.to_numpy()[0, 0])
big = np.random.default_rng(0).standard_normal(64 << 20).astype(np.float32)
buf = d.empty(64 << 20)
for _ in range(3):
    s = time.perf_counter()
    buf.write(big)
    e = time.perf_counter()
    got = buf.to_numpy()
    f = time.perf_counter()
    print("pageable GB/s", big.nbytes / (e - s) / 1e9, big.nbytes / (f - e) / 1e9)
assert (got == big).all()
import torch, cupy

t1 = torch.from_dlpack(buf)
assert t1.data_ptr() == buf._region().memory.address
assert float(t1[5]) == big[5]
t2 = torch.as_tensor(buf, device="cuda")
assert t2.data_ptr() == t1.data_ptr()
q = cupy.asarray(buf)
assert q.data.ptr == t1.data_ptr()
q2 = cupy.from_dlpack(buf)
assert q2.data.ptr == t1.data_ptr()
s = torch.arange(10, device="cuda", dtype=torch.float32)
w = d.from_dlpack(s)
assert w._region().memory.address == s.data_ptr()
print(w.read_list())
w2 = d.from_numpy(cupy.arange(6, dtype=cupy.int32))
print(w2.read_list())
n = d.in_flight
del t1, t2, q, q2
try:
    d.empty(1 << 37)
except weft.OutOfMemory as e:
    print("oom", e)
except Exception as e:
    print(type(e), e)
huge = []
try:
    for _ in range(8):
        huge.append(d.empty(20 << 30, "u8"))
except weft.OutOfMemory as e:
    print("oom", len(huge), str(e)[:150])
