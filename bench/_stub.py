import sys
import time, numpy as np, weft, cProfile, pstats
from weft.backends.reference import ReferenceBackend
from weft.backends.base import Limits
from dataclasses import replace
from weft.runtime.device import Device
class F:
    __slots__=('error','n','lane')
    def __init__(s): s.error=None; s.n=0; s.lane=0
    def done(s): s.n+=1; return s.n>3
class B(ReferenceBackend):
    limits=replace(ReferenceBackend.limits, ordered=True, signals=False, lanes=4)
    name='stub'
    def launch(self, steps, done, *, lane=0, priority=1, after=()): return F()
d=Device(B()); a,c=(d.buffer(np.arange(1000,dtype=np.float32)) for _ in range(2))
d.run_kernel('elementwise_add',[a,a],c)
def one():
    s=time.perf_counter(); cmd=d.submit('elementwise_add',[a,a],c); m=time.perf_counter(); cmd.wait(); return m-s, time.perf_counter()-m
r=[one() for _ in range(20000)]
print('submit then wait p50', np.percentile([x for x,_ in r],[50,90,99])*1e6, np.percentile([y for _,y in r],[50,90,99])*1e6)
cpu=weft.device('cpu'); x,y=(cpu.buffer(np.arange(1000,dtype=np.float32)) for _ in range(2))
cpu.run_kernel('elementwise_add',[x,x],y)
s=time.perf_counter()
for _ in range(20000): cpu.submit('elementwise_add',[x,x],y)
print('cpu submit', (time.perf_counter()-s)/20000*1e6)
if len(sys.argv)>1:
    pr=cProfile.Profile(); pr.enable()
    for _ in range(5000): d.submit('elementwise_add',[a,a],c).wait()
    pr.disable(); pstats.Stats(pr,stream=sys.stdout).sort_stats('tottime').print_stats(22)
