"""Run the CUDA text of a kernel on the host: threads of a block take turns, barrier to barrier.

In: a kernel and host arrays. Out: what its text computes. What the text asks of CUDA (coordinates
of threads, shared memory, a few intrinsics) is spelt in C++; the instructions that it spells itself
are replaced by what they are documented to do. Needs g++, and no GPU.
"""

from __future__ import annotations

import ctypes
import functools
import re
import shutil
import struct
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from scheduled import as_cuda
from treadle.ir.nodes import Kernel

Array = np.ndarray[Any, Any]
COMPILER = shutil.which("g++")

_VECTORS = {"float": (2, 4), "int": (2, 4), "uint": (2, 4), "double": (2,), "longlong": (2,)}
_TYPES = {"uint": "unsigned", "longlong": "long long"}
_HEAD = r"""
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#define __device__
#define __forceinline__ inline
#define __global__
#define __grid_constant__
#define __launch_bounds__(...)
#define __shared__ static
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_assume(x) ((void)0)
using std::isfinite;
using std::max;
using std::min;
struct Place { int x; };
static Place threadIdx, blockIdx, blockDim, gridDim;
// Another thread of the block, or of its warp, may go on here: each knows who it is.
static void (*block_meets)();
static void (*warp_meets)();
static void meet(void (*wait)()) {
    const int own = threadIdx.x;
    wait();
    threadIdx.x = own;
}
static void __syncthreads() { meet(block_meets); }
static void __syncwarp() { meet(warp_meets); }
static void __threadfence() {}
static int __syncthreads_or(int one) {
    static int given[1024];
    given[threadIdx.x] = one;
    __syncthreads();
    int any = 0;
    for (int i = 0; i < blockDim.x; ++i) any |= given[i];
    __syncthreads();
    return any;
}
static unsigned __byte_perm(unsigned a, unsigned b, unsigned selector) {
    const uint64_t both = (uint64_t)b << 32 | a;
    unsigned made = 0;
    for (int i = 0; i < 4; ++i)
        made |= (unsigned)(both >> 8 * (selector >> 4 * i & 7) & 255) << 8 * i;
    return made;
}
static unsigned __umulhi(unsigned a, unsigned b) { return (uint64_t)a * b >> 32; }
static unsigned __funnelshift_r(unsigned low, unsigned high, unsigned by) {
    return ((uint64_t)high << 32 | low) >> (by & 31);
}
static unsigned __float_as_uint(float a) { return std::bit_cast<unsigned>(a); }
static float __uint_as_float(unsigned a) { return std::bit_cast<float>(a); }
static long long __double_as_longlong(double a) { return std::bit_cast<long long>(a); }
static double __longlong_as_double(long long a) { return std::bit_cast<double>(a); }
static float __fmul_rn(float a, float b) { return a * b; }
static float __fmaf_rn(float a, float b, float c) { return std::fma(a, b, c); }
template <class T> static T replaced(T* at, T by) {
    const T was = *at;
    *at = by;
    return was;
}
template <class T> static T atomicAdd(T* at, T by) { return replaced<T>(at, *at + by); }
template <class T> static T atomicMax(T* at, T by) { return replaced<T>(at, max(*at, by)); }
template <class T> static T atomicMin(T* at, T by) { return replaced<T>(at, min(*at, by)); }
template <class T> static T atomicCAS(T* at, T old, T by) {
    return *at == old ? replaced<T>(at, by) : *at;
}
static int __float2int_rz(float a) { return (int)a; }
static int __popc(unsigned a) { return std::popcount(a); }
// Every thread of a warp asks at the same time.
template <class T> static T __shfl_up_sync(unsigned, T value, int by) {
    static T given[1024];
    const int own = threadIdx.x;
    given[own] = value;
    __syncwarp();
    const T found = (own & 31) >= by ? given[own - by] : value;
    __syncwarp();
    return found;
}
template <class T> static T __shfl_sync(unsigned, T value, int lane) {
    static T given[1024];
    const int own = threadIdx.x;
    given[own] = value;
    __syncwarp();
    const T found = given[(own & ~31) + lane];
    __syncwarp();
    return found;
}
static unsigned __ballot_sync(unsigned, bool one) {
    static bool given[1024];
    const int own = threadIdx.x, first = own & ~31;
    given[own] = one;
    __syncwarp();
    unsigned made = 0;
    for (int lane = 0; lane < 32 && first + lane < blockDim.x; ++lane)
        made |= (unsigned)given[first + lane] << lane;
    __syncwarp();
    return made;
}
static unsigned char treadle_near[1 << 18];
"""
_TAIL = r"""
extern "C" void let(void (*block)(), void (*warp)()) { block_meets = block, warp_meets = warp; }
extern "C" void begin() { std::memset(treadle_near, 0xA5, sizeof treadle_near); }
extern "C" void enter(int call, const Args* a, int thread, int block, int threads, int blocks) {
    threadIdx.x = thread, blockIdx.x = block, blockDim.x = threads, gridDim.x = blocks;
    switch (call) { CALLS }
}
"""
# What is the same for every text is compiled once. A thread is a stack of its own: who waits hands
# over to the next that has not ended, until all of the group have come.
_THREADS = r"""
#include <ucontext.h>
#include <vector>
struct Group { int size = 0, come = 0, turn = 0; };
static std::vector<ucontext_t> threads;
static std::vector<bool> ended;
static std::vector<Group> warps;
static Group block;
static ucontext_t home;
static int now;
static void next() {
    const int own = now, count = (int)threads.size();
    for (int by = 1; by <= count; ++by) {
        now = (own + by) % count;
        if (!ended[now]) {
            if (now != own) swapcontext(&threads[own], &threads[now]);
            return;
        }
    }
    swapcontext(&threads[own], &home);
}
static void wait(Group& group) {
    const int turn = group.turn;
    if (++group.come == group.size) group.come = 0, ++group.turn;
    while (group.turn == turn) next();
}
extern "C" void wait_block() { wait(block); }
extern "C" void wait_warp() { wait(warps[now / 32]); }
static void (*enter)(int, const void*, int, int, int, int);
static int call, at, blocks;
static const void* given;
static void begin() {
    enter(call, given, now, at, (int)threads.size(), blocks);
    ended[now] = true;
    next();
}
extern "C" void run(void (*entry)(int, const void*, int, int, int, int), int number, const void* a,
                    int grid, int count) {
    enter = entry, call = number, given = a, blocks = grid;
    std::vector<char> stacks((size_t)count << 16);
    for (at = 0; at < grid; ++at) {
        threads.assign(count, {}), ended.assign(count, false);
        block = {count}, warps.assign((count + 31) / 32, {});
        for (int i = 0; i < count; ++i) {
            ++warps[i / 32].size;
            getcontext(&threads[i]);
            threads[i].uc_stack.ss_sp = stacks.data() + ((size_t)i << 16);
            threads[i].uc_stack.ss_size = 1 << 16;
            makecontext(&threads[i], begin, 0);
        }
        now = 0;
        swapcontext(&home, &threads[0]);
    }
}
"""


def _vectors() -> str:
    lines = []
    for name, counts in _VECTORS.items():
        kind = _TYPES.get(name, name)
        for count in counts:
            members = ", ".join("xyzw"[:count])
            size = f"{count} * sizeof({kind})"
            lines.append(f"struct alignas({size}) {name}{count} {{ {kind} {members}; }};")
    return "\n".join(lines)


def _compile(*arguments: object) -> None:
    options = ["-std=c++20", "-w", "-ffp-contract=off", "-fPIC"]
    command = [str(COMPILER), *options, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[:4000]


@functools.cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    """Where this process compiles: the headers are there once for all texts, ready to use."""
    made = tempfile.TemporaryDirectory()
    head = Path(made.name) / "head.hpp"
    head.write_text(_HEAD + _vectors(), encoding="utf-8")
    _compile("-x", "c++-header", head, "-o", f"{head}.gch")
    return made


@functools.cache
def _library(text: str, *options: object) -> ctypes.CDLL:
    folder = Path(_folder().name)
    number = len(list(folder.glob("*.cpp")))
    source, library = folder / f"text-{number}.cpp", folder / f"text-{number}.so"
    source.write_text(text, encoding="utf-8")
    _compile("-shared", *options, source, "-o", library)
    return ctypes.CDLL(str(library))


def _call(text: str, block: bytes, calls: Sequence[tuple[int, int]]) -> None:
    """Run the calls of a text one after the other, each of so many blocks and threads."""
    threads = _library(_THREADS)
    library = _library(text, "-include", Path(_folder().name) / "head.hpp")
    library.let(threads.wait_block, threads.wait_warp)
    for number, (blocks, count) in enumerate(calls):
        library.begin()
        threads.run(library.enter, number, block, blocks, count)


def _placed(nbytes: int, offset: int) -> tuple[Array, Array]:
    """Memory that starts at a multiple of 16, and a view of it `offset` bytes behind."""
    raw = np.full(nbytes + offset + 16, 77, np.uint8)
    start = -raw.ctypes.data % 16 + offset
    return raw, raw[start : start + nbytes]


def run(
    kernel: Kernel,
    inputs: Sequence[Array],
    sizes: Mapping[str, int],
    params: Mapping[str, float],
    *,
    shift: int = 0,
    wide: bool = False,
) -> list[Array]:
    """Compute a kernel's outputs, every tensor `shift` elements behind a multiple of 16 bytes.

    Blocks that walk over their work are two."""
    assert COMPILER is not None
    rendered = as_cuda(kernel, wide=wide)
    word = "word = a != a ? 0 : (int)std::nearbyint(std::min(std::max(a, 0.0f), 255.0f));"
    text = re.sub(r'asm\(".*?cvt\.rni\.u8\.f32.*?;\n', f"{word}\n", rendered.text)
    text = re.sub(
        r'asm\("(min|max)\.NaN.*?;\n', r"a = a != a || b != b ? NAN : std::\1(a, b);\n", text
    )
    text = text.replace("extern __shared__ __align__(16) unsigned char treadle_near[];", "")
    text = text.replace("__shared__ __align__(16)", "alignas(16) static")
    layout = rendered.layout
    geometry = layout.measure(sizes)
    calls = [f"case {k}: {call.entry}(*a); break;" for k, call in enumerate(geometry.calls)]
    tail = _TAIL.replace("CALLS", " ".join(calls))
    kept, outputs, places = [], [], []
    for tensor in kernel.outputs:
        shape = tuple(sizes.get(str(d), d) for d in tensor.dims)
        count = int(np.prod(shape)) * tensor.dtype.size
        raw, view = _placed(count, shift * tensor.dtype.size)
        kept.append(raw)
        outputs.append(view.view(tensor.dtype.numpy).reshape(shape))
        places.append(view.ctypes.data)
    for tensor, array in zip(kernel.inputs, inputs, strict=True):
        raw, view = _placed(array.nbytes, shift * tensor.dtype.size)
        view[:] = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
        kept.append(raw)
        places.append(view.ctypes.data)
    given = [params[param.name] for param in kernel.params]
    scratch = np.full(geometry.scratch + 1, 77, np.uint8)
    block = struct.pack(
        f"{layout.format}16x",
        *places,
        scratch.ctypes.data,
        *(given[i] for i in layout.long_params),
        *(sizes[s] for s in kernel.symbols),
        *geometry.values,
        *(given[i] for i in layout.short_params),
    )
    blocks = [min(2, call.grid) if call.shared else call.grid for call in geometry.calls]
    threads = [call.block[0] for call in geometry.calls]
    _call(text + tail, block, list(zip(blocks, threads, strict=True)))
    return outputs
