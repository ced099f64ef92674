import subprocess, sys, textwrap, time
cases = {
"exit with work in flight": """
import weft, numpy as np
d=weft.device('cuda'); a=d.buffer(np.ones(1<<26,np.float32))
for _ in range(200): c=d.submit('exp',[a],a)
print('submitted', c.status)
""",
"close gives results": """
import weft, numpy as np
d=weft.device('cuda'); a=d.buffer(np.ones(1<<24,np.float32))
cs=[d.submit('relu',[a],a) for _ in range(50)]
d.close(); print({str(c.status) for c in cs})
""",
"illegal access": """
import weft, numpy as np
d=weft.device('cuda'); a=d.buffer(np.ones(1<<20,np.float32)); d.run_kernel('relu',[a])
others=[d.submit('exp',[a]) for _ in range(3)]
from weft.backends.base import Region
from weft.backends.cuda.memory import DeviceMemory
b=d.empty(1<<20); b._storage.region=Region(DeviceMemory(0x10,1<<22,None),0)
bad=d.submit('exp',[a],b); later=[d.submit('exp',[a]) for _ in range(3)] if True else 0
for c in (*others,bad,*later):
    try: c.wait(20); print('ok', end=' ')
    except weft.CommandFailed as e: print(type(e.__cause__).__name__, str(e.__cause__)[:60], end=' | ')
try: d.submit('exp',[a]).wait(); print('??')
except Exception as e: print(type(e).__name__, type(e.__cause__).__name__)
try: a.read()
except Exception as e: print('read', type(e).__name__, str(e)[:80])
d.close()
""",
"threads and loops": """
import weft, numpy as np, threading, asyncio
d=weft.device('cuda'); errs=[]
def work(k):
    try:
        rng=np.random.default_rng(k)
        for i in range(60):
            x=rng.standard_normal(5000).astype(np.float32); b=d.buffer(x); c=d.submit('exp',[b]); e=d.submit('elementwise_add',[c.output,b])
            np.testing.assert_allclose(e.wait().output.to_numpy(), np.exp(x)+x, rtol=1e-5, atol=1e-5)
    except BaseException as e: errs.append(e)
async def main(k):
    async def one(i):
        x=np.full(1000,i,np.float32); b=d.buffer(x); r=await d.submit('relu',[b]); assert r.to_numpy()[5]==i
    for _ in range(5): await asyncio.gather(*[one(i) for i in range(50)])
ts=[threading.Thread(target=work,args=(k,)) for k in range(6)]+[threading.Thread(target=lambda k=k: asyncio.run(main(k))) for k in range(3)]
[t.start() for t in ts]; [t.join() for t in ts]; print('errors', errs, d.in_flight, d.memory_in_use)
""",
"fork": """
import weft, numpy as np, os
d=weft.device('cuda'); a=d.buffer(np.ones(100,np.float32)); d.run_kernel('relu',[a])
pid=os.fork()
if pid==0:
    try: d.submit('relu',[a]); print('??')
    except weft.DeviceLost as e: print('child', str(e)[:60])
    os._exit(0)
os.waitpid(pid,0); print('parent', d.run_kernel('relu',[a]).to_numpy().sum())
""",
"wide": """
import weft, numpy as np, time
d=weft.device('cuda'); n=(1<<31)+4096+3
a=d.empty(n,'u8'); a[:4].write(np.array([1,2,3,4],np.uint8)); a[n-4:].write(np.array([250,6,7,9],np.uint8))
s=time.time(); b=d.run_kernel('scalar_add',[a],None,scalar=1) if False else d.run_kernel('neg',[a]); print(b.dtype, b[n-3:].to_numpy(), time.time()-s)
b=d.run_kernel('relu',[a]); print(b.dtype, b[n-4:].to_numpy(), b[:4].to_numpy())
m=d.run_kernel('reduce_max',[a]); print(m.to_numpy())
""",
"offset views": """
import weft, numpy as np
d=weft.device('cuda'); x=np.random.default_rng(0).standard_normal(10007).astype(np.float32); a=d.buffer(x)
for k in (1,2,3,5):
    np.testing.assert_allclose(d.run_kernel('exp',[a[k:]]).to_numpy(), np.exp(x[k:]), rtol=1e-6)
    np.testing.assert_allclose(d.run_kernel('reduce_sum',[a[k:]]).to_numpy(), x[k:].sum(dtype=np.float64), rtol=1e-4, atol=1e-3)
    o=d.empty(10007); d.run_kernel('exp',[a[k:]],o[:10007-k]); np.testing.assert_allclose(o[:10007-k].to_numpy(), np.exp(x[k:]), rtol=1e-6)
for shape in ((3,100000),(2,5,70001),(1,1<<22),(100003,2),(70,9000),(4,8192),(9,2048)):
    x=np.random.default_rng(0).standard_normal(shape).astype(np.float32); b=d.buffer(x)
    e=np.exp(x-x.max(-1,keepdims=True)); np.testing.assert_allclose(d.run_kernel('softmax',[b]).to_numpy(), e/e.sum(-1,keepdims=True,dtype=np.float64), rtol=1e-5, atol=1e-9)
    for ax in range(len(shape)): np.testing.assert_allclose(d.run_kernel('reduce_sum',[b],axis=ax).to_numpy(), x.sum(ax,dtype=np.float64), rtol=1e-3, atol=2e-2)
    for ax in range(len(shape)): np.testing.assert_array_equal(d.run_kernel('argmax',[b],axis=ax).to_numpy(), x.argmax(ax))
    r1=d.run_kernel('reduce_sum',[b]).to_numpy(); assert all(d.run_kernel('reduce_sum',[b]).to_numpy()==r1 for _ in range(5))
print('ok')
""",
}
for name, code in cases.items():
    s = time.time()
    try:
        done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=60)
        print(f"## {name}: rc {done.returncode} {time.time()-s:.1f}s", done.stdout.strip()[-700:], done.stderr.strip()[-600:], flush=True)
    except subprocess.TimeoutExpired as e:
        print(f"## {name}: HANG", e.stdout, e.stderr, flush=True)
