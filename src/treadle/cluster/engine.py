"""Ray: where workers come from, and how they are reached. The only module that imports it.

In: an address, and orders for workers. Out: a connection that is ended as it was begun, and a crew
whose workers are actors. Ray runs pickled code for whoever reaches a cluster's ports: a cluster is
trusted, and one that is started here listens on loopback alone.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from types import TracebackType
from typing import Any

from treadle.attendant import Bell, start
from treadle.cluster.crew import Arrived, Event, Lost, Missed, Equipped, Refused, Returned
from treadle.cluster.parcel import Parcel
from treadle.errors import ClusterError, DeviceUnavailable

__all__ = ["Connection", "RayCrew", "Sent", "dumps"]

_REACH = 5.0  # seconds for a cluster's port to answer
_CORES = 4  # of a worker, where nobody says how many


def _library() -> Any:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # read when Ray is first used
    try:
        import ray
    except ImportError as error:
        raise DeviceUnavailable(
            "clusters need ray, which is not installed here; pip install 'treadle[cluster]'"
        ) from error
    return ray


def dumps(value: Any, **options: Any) -> bytes:
    """Pickle an object, functions of the main program by value."""
    found: bytes = _library().cloudpickle.dumps(value, **options)
    return found


class Connection:
    """A connection of this process to a cluster, or to one that it starts on this machine.

    There is one at a time, which all that ask for one share; the last one to close it ends what the
    first began, and nothing where the program was connected before."""

    def __init__(self, address: str | None = None, *, cpus: int | None = None) -> None:
        """`address` is that of a cluster's head, host:port, or "local" for one on this machine,
        with so many `cpus` (this machine's); None: what RAY_ADDRESS says, or a local one."""
        ray = _library()
        with _sharing:
            if not _shared.count and not ray.is_initialized():
                wanted = address or os.environ.get("RAY_ADDRESS") or "local"
                if wanted == "local":
                    _shared.end = _start_here(ray, cpus or _cores())
                else:
                    _join(ray, wanted)
                    _shared.end = ray.shutdown
            elif address not in (None, "local", here := ray.get_runtime_context().gcs_address):
                raise ClusterError(
                    f"address: {address} was asked for, but this program is connected to {here}"
                )
            _shared.count += 1
        self._open = True

    def close(self) -> None:
        """Give the connection back."""
        with _sharing:
            if not self._open:
                return
            self._open = False
            _shared.count -= 1
            if not _shared.count and _shared.end is not None:
                end, _shared.end = _shared.end, None
                end()

    def __enter__(self) -> Connection:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<treadle.cluster.Connection {'open' if self._open else 'closed'}>"


class _Shared:
    """The connection that those who ask share."""

    count = 0
    end: Callable[[], object] | None = None  # None: the program's own, and not ours to end


_shared, _sharing = _Shared(), threading.RLock()


def _cores() -> int:
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity is not None else os.cpu_count() or 1


def _join(ray: Any, address: str) -> None:
    """Connect to a cluster; ClusterError in one sentence where there is none."""
    plain = address.removeprefix("ray://")
    host, _, port = plain.rpartition(":")
    if plain != "auto":
        if not host or not port.isdigit():
            raise ClusterError(f"address: expected host:port, 'auto' or 'local', got {address!r}")
        try:
            socket.create_connection((host.strip("[]"), int(port)), _REACH).close()
        except OSError as error:
            raise ClusterError(
                f"address: no cluster answers at {address} ({error.strerror or error}); "
                "start one with `ray start --head`, or leave address out for one on this machine"
            ) from error
    try:
        with _quiet():
            ray.init(address, logging_level="ERROR", log_to_driver=False)
    except Exception as error:
        said = str(error).strip().partition("\n")[0]
        raise ClusterError(f"address: the cluster at {address} cannot be used: {said}") from error


def _start_here(ray: Any, cpus: int) -> Callable[[], object]:
    """Start a cluster on this machine, and return what ends it.

    A thread of its own does both: Ctrl-C cannot come in the middle, and the system ends Ray's
    processes with the thread that started them."""
    ended, ready, over = Bell(), Bell(), Bell()
    problems: list[BaseException] = []

    def serve() -> None:
        folder = tempfile.mkdtemp(prefix="treadle-", dir=_short())
        try:
            try:
                with _quiet():
                    ray.init(
                        "local",
                        num_cpus=cpus,
                        include_dashboard=False,
                        logging_level="ERROR",
                        log_to_driver=False,
                        _node_ip_address="127.0.0.1",
                        _temp_dir=folder,
                    )
            except BaseException as error:
                problems.append(error)
                return
            finally:
                ready.ring()
            ended.sleep(-1)
        finally:
            with _quiet():
                ray.shutdown()
            shutil.rmtree(folder, ignore_errors=True)
            over.ring()

    thread = start("treadle-cluster-here", serve)
    ready.sleep(-1)
    if problems:
        over.sleep(-1)
        said = str(problems[0]).strip().partition("\n")[0]
        raise ClusterError(f"no cluster starts on this machine: {said}") from problems[0]

    def end() -> None:
        ended.ring()
        thread.join()

    return end


def _short() -> str | None:
    """A folder with a short name, where there is one: Ray's sockets lie deep below it."""
    return "/tmp" if sys.platform != "win32" and os.access("/tmp", os.W_OK) else None


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Have Ray not tell of us to others, nor warn of what we know."""
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@dataclass(frozen=True, slots=True)
class Sent:
    """A batch in the object store."""

    reference: Any
    nbytes: int


def _host_class() -> type:
    """The actor's class; pickled by value, so that it can say which versions a worker has before it
    imports anything of ours."""

    class Host:
        def hello(self) -> tuple[str, dict[str, str]]:
            import platform
            import socket
            from importlib.metadata import PackageNotFoundError, version

            found = {"python": ".".join(platform.python_version_tuple()[:2])}
            for name in ("treadle", "numpy", "llvmlite", "ray"):
                try:
                    found[name] = version(name)
                except PackageNotFoundError:
                    found[name] = "not installed"
            return socket.gethostname(), found

        def equip(self, make: Parcel) -> Any:
            from ray.cloudpickle import dumps

            from treadle.cluster.worker import Worker

            self._worker = Worker(dumps)
            return self._worker.equip(make)

        def take(self, batch: int, parcel: Parcel) -> Any:
            return self._worker.take(batch, parcel)

        def drop(self, batch: int) -> None:
            self._worker.drop(batch)

    return Host


class RayCrew:
    """Workers that are Ray's actors; see Crew."""

    def __init__(
        self,
        *,
        address: str | None = None,
        workers: int | None = None,
        cores: float | None = None,
        gpus: float = 0,
        depth: int = 3,
    ) -> None:
        _library()
        self._address = address
        self._count = workers
        self._cores = cores
        self._gpus = gpus
        self._depth = depth
        self._actors: dict[str, Any] = {}
        self._connection: Connection | None = None

    def open(self, post: Callable[[Event], None]) -> int:
        """Connect, and say how many workers to start."""
        self._post = post
        wanted = None
        if self._count is not None:
            wanted = max(_cores(), int(self._count * (self._cores or 1)))
        self._connection = Connection(self._address, cpus=wanted)
        self._ray = ray = _library()
        total = ray.cluster_resources()
        if self._cores is None:
            per = max(total.get("CPU", 1) // (self._count or 1), 1)
            self._cores = min(_CORES, per)
        if self._count is None:
            fits = total.get("CPU", 1) // max(self._cores, 1)
            if self._gpus:
                fits = total.get("GPU", 0) // self._gpus
            self._count = max(int(fits), 1)
        self._class = ray.remote(_host_class())
        return self._count

    def start(self, worker: str) -> None:
        """Start an actor, and ask it who it is."""
        actor = self._class.options(
            num_cpus=self._cores,
            num_gpus=self._gpus,
            max_restarts=0,
            max_task_retries=0,
            max_concurrency=self._depth + 2,  # batches, and what is said about them
            scheduling_strategy="SPREAD",
        ).remote()
        self._actors[worker] = actor
        self._ask(worker, actor.hello.remote(), lambda found: Arrived(worker, *found))

    def equip(self, worker: str, make: Parcel) -> None:
        """Have the actor make its handler."""
        reference = self._actors[worker].equip.remote(make)

        def heard(reply: Any) -> Event:
            return Equipped(worker) if reply.kind == "done" else Refused(worker, reply)

        self._ask(worker, reference, heard)

    def send(self, parcel: Parcel) -> Sent:
        """Put a parcel into the object store."""
        return Sent(self._ray.put(parcel), parcel.nbytes)

    def give(self, worker: str, batch: int, sent: Sent) -> None:
        """Call the actor with a batch."""
        reference = self._actors[worker].take.remote(batch, sent.reference)
        missed = partial(Missed, worker, batch)
        self._ask(worker, reference, lambda reply: Returned(worker, batch, reply), missed)

    def withdraw(self, worker: str, batch: int) -> None:
        """Tell the actor."""
        self._actors[worker].drop.remote(batch)

    def end(self, worker: str) -> None:
        """Kill the actor's process."""
        actor = self._actors.get(worker)
        if actor is not None:
            self._ray.kill(actor)

    def _ask(
        self,
        worker: str,
        reference: Any,
        heard: Callable[[Any], Event],
        missed: Callable[[str], Event] | None = None,
    ) -> None:
        """Have what comes of a call become an event. Ray tells on a thread of its own, on which it
        must not be asked for anything."""
        died = self._ray.exceptions.RayActorError

        def ended(future: Any) -> None:
            error = future.exception()
            if error is None:
                self._post(heard(future.result()))
                return
            why = str(error).strip().partition("\n")[0]
            if isinstance(error, died) or missed is None:
                self._post(Lost(worker, why))
            else:
                self._post(missed(why))

        reference.future().add_done_callback(ended)

    def close(self) -> None:
        """Kill the actors and give the connection back."""
        try:
            for worker in list(self._actors):
                with contextlib.suppress(Exception):  # the cluster may be gone
                    self.end(worker)
            self._actors.clear()
        finally:
            if self._connection is not None:
                self._connection.close()
