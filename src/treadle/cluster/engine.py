"""Ray: where workers come from, and how they are reached. The only module that imports it.

In: an address, and orders for workers. Out: a connection that is ended as it was begun, and a crew
whose workers are actors. Ray runs pickled code for all who reach a cluster's ports: a cluster is
trusted, and one that is started here listens on loopback alone.
"""

from __future__ import annotations

import atexit
import contextlib
import importlib
import itertools
import os
import socket
import sys
import threading
import warnings
from collections import deque
from collections.abc import Callable, Iterator
from functools import partial
from types import TracebackType
from typing import Any

from treadle.attendant import Bell, start
from treadle.cluster.cores import cores_here
from treadle.cluster.crew import Arrived, Equipped, Event, Lost, Missed, Refused, Returned
from treadle.cluster.ending import Ending
from treadle.cluster.folder import own_folder
from treadle.cluster.parcel import Parcel
from treadle.errors import ClusterError, DeviceUnavailable, LaunchError

__all__ = ["Connection", "RayCrew", "Sent", "dumps", "library", "pool"]

_REACH = 5.0  # seconds for a cluster's port to answer
_CORES = 4  # of a worker, where the user does not say how many
# What gRPC, which Ray speaks, says first, and what it says first in return.
_HTTP2 = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes(3) + b"\x04" + bytes(5)
_SETTINGS = b"\x04"
_HERE = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0", "RAY_USAGE_STATS_ENABLED": "0"}


def library() -> Any:
    """Return Ray; DeviceUnavailable where it is not installed."""
    hook = sys.excepthook
    try:
        import ray

        # Ray's own hook asks for the worker's name, and where that is being shut down on another
        # thread the process ends on the spot: Ctrl-C would leave neither a traceback nor order.
        sys.excepthook = hook
    except ImportError as error:
        raise DeviceUnavailable(
            "clusters need ray, which is not installed here; pip install 'treadle[cluster]'"
        ) from error
    return ray


def dumps(value: Any, **options: Any) -> bytes:
    """Pickle an object, functions of the main program by value."""
    found: bytes = library().cloudpickle.dumps(value, **options)
    return found


class Connection:
    """A connection of this process to a cluster, or to one that it starts on this machine.

    There is one at a time, which all that ask for one share; the last one to close it ends what the
    first began, and nothing where the program was connected before."""

    def __init__(self, address: str | None = None, *, cpus: int | None = None) -> None:
        """`address` is that of a cluster's head, host:port, or "local" for one on this machine,
        with so many `cpus` (this machine's); None: what RAY_ADDRESS says, or a local one."""
        ray = library()
        with _sharing:
            if not _shared.count and not ray.is_initialized():
                wanted = address or os.environ.get("RAY_ADDRESS") or "local"
                if wanted == "local":
                    _shared.end = _start_here(ray, cpus or cores_here())
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
        """Give the connection back. Where Ctrl-C breaks that off, another call goes on with it."""
        with _sharing:
            if self._open:
                self._open = False
                _shared.count -= 1
            if not _shared.count and _shared.end is not None:
                _shared.end()
                _shared.end = None

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


def pool(dataset: Any, kind: type, *, workers: int, **options: Any) -> Any:
    """Return a dataset of what actors of a class make of another's batches."""
    library()
    try:
        from ray.data import ActorPoolStrategy, Dataset
    except ImportError as error:
        raise DeviceUnavailable(
            "datasets need ray's own, which are not installed here; pip install 'treadle[cluster]'"
        ) from error
    if not isinstance(dataset, Dataset):
        raise LaunchError(f"dataset: expected a ray.data.Dataset, got {dataset!r}")
    size = ActorPoolStrategy(size=workers)
    return dataset.map_batches(kind, compute=size, batch_format="numpy", **options)


class _Shared:
    """The connection that those who ask share."""

    count = 0
    end: Callable[[], object] | None = None  # None: the program's own, and not ours to end


_shared, _sharing = _Shared(), threading.RLock()


def _join(ray: Any, address: str) -> None:
    """Connect to a cluster; ClusterError in one sentence where there is none."""
    if address != "auto":
        _look_for(address)
    try:
        with _silent():
            ray.init(address, logging_level="ERROR", log_to_driver=False)
    except Exception as error:
        raise ClusterError(
            f"address: {address} cannot be used: {_first_line(error)}{_token_hint()}"
        ) from error


def _token_hint() -> str:
    """What clusters of newer versions of Ray ask for, and Ray's own error leaves out."""
    if os.environ.get("RAY_AUTH_MODE", "").lower() == "token":
        return ""
    return (
        "; where it asks for a token, set RAY_AUTH_MODE=token before Python starts, with the token "
        "in ~/.ray/auth_token or in RAY_AUTH_TOKEN"
    )


@contextlib.contextmanager
def _silent() -> Iterator[None]:
    """Connect without warnings, and without the thread that prints to standard output, which is the
    program's, that a worker died: an event says so. Ray has no option for that."""
    worker: Any = importlib.import_module("ray._private.worker")
    listen, worker.listen_error_messages = worker.listen_error_messages, lambda *_: None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        worker.listen_error_messages = listen


def _look_for(address: str) -> None:
    """Raise ClusterError unless something at an address speaks as Ray does: Ray itself would try
    again and again for minutes."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not host or not port.isdigit():
        raise ClusterError(f"address: expected host:port, 'auto' or 'local', got {address!r}")
    fix = "start one with `ray start --head`, or leave address out for one on this machine"
    try:
        with socket.create_connection((host.strip("[]"), int(port)), _REACH) as found:
            found.sendall(_HTTP2)
            heard = found.recv(9)
    except (OSError, OverflowError) as error:
        said = getattr(error, "strerror", None) or error
        raise ClusterError(f"address: no cluster answers at {address} ({said}); {fix}") from error
    if heard[3:4] != _SETTINGS:
        raise ClusterError(f"address: what answers at {address} is no cluster of Ray; {fix}")


def _first_line(error: BaseException) -> str:
    return str(error).strip().partition("\n")[0] or type(error).__name__


def _start_here(ray: Any, cpus: int) -> Callable[[], object]:
    """Start a cluster on this machine, and return what ends it.

    A thread of its own does both: Ctrl-C cannot come in the middle, and the system ends Ray's
    processes with the thread that started them."""
    order, ready, over = Bell(), Bell(), Ending()
    problems: list[BaseException] = []

    def serve() -> None:
        try:
            with own_folder() as folder:
                try:
                    _begin_here(ray, cpus, folder)
                    atexit.register(end)  # and so before what Ray has registered
                    ready.ring()
                    order.sleep(-1)
                finally:
                    ray.shutdown()
        except BaseException as error:
            problems.append(error)
        finally:
            ready.ring()
            over.tell()

    def end() -> None:
        order.ring()
        over.wait()
        atexit.unregister(end)

    start("treadle-cluster-here", serve)
    atexit.register(end)
    try:
        ready.sleep(-1)
    except BaseException:  # Ctrl-C: it ends what it is about to begin
        order.ring()
        raise
    if problems:
        end()
        said = _first_line(problems[0])
        raise ClusterError(f"no cluster starts on this machine: {said}") from problems[0]
    return end


def _begin_here(ray: Any, cpus: int, folder: str) -> None:
    """Start Ray's processes, for this machine alone.

    On Linux Ray listens to the whole network unless it is told that there are no other machines;
    it has one word for that, which it reads early, and so it is told twice."""
    constants: Any = importlib.import_module("ray._private.ray_constants")
    before, constants.ENABLE_RAY_CLUSTER = constants.ENABLE_RAY_CLUSTER, False
    added = {name: text for name, text in _HERE.items() if name not in os.environ}
    os.environ.update(added)
    try:
        with _silent():
            ray.init(
                "local",
                num_cpus=cpus,
                include_dashboard=False,
                logging_level="ERROR",
                log_to_driver=False,
                _node_ip_address="127.0.0.1",
                _temp_dir=folder,
            )
    finally:
        constants.ENABLE_RAY_CLUSTER = before
        for name in added:
            os.environ.pop(name, None)
    address = ray.get_runtime_context().gcs_address
    if not address.startswith("127."):
        raise ClusterError(f"this version of Ray listens at {address}, and not on loopback alone")


def _alive(ray: Any) -> list[Any]:
    return [node for node in ray.nodes() if node["Alive"]]


def _fitting(resources: dict[str, float], cores: int, gpus: float) -> int:
    """How many workers a machine has room for."""
    room = int(resources.get("CPU", 0) // cores)
    return min(room, int(resources.get("GPU", 0) // gpus)) if gpus else room


class Sent:
    """A batch in the object store, for as long as the driver has this.

    Ray ends the process when a reference of its own is dropped on one thread while another shuts it
    down. So the crew has those, and drops them on its thread; this says when."""

    __slots__ = ("_over", "nbytes", "number")

    def __init__(self, number: int, nbytes: int, over: deque[int]) -> None:
        self.number = number
        self.nbytes = nbytes
        self._over = over

    def __del__(self) -> None:
        self._over.append(self.number)


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

        def equip(self, make: Parcel, cores: int) -> Any:
            from ray.cloudpickle import dumps

            from treadle.cluster.cores import claim
            from treadle.cluster.worker import Worker

            self._cores = claim(cores)
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
        cores: int | None = None,
        gpus: float = 0,
        depth: int = 3,
    ) -> None:
        library()
        self._address = address
        self._count = workers
        self._cores = cores
        self._gpus = gpus
        self._depth = depth
        self._actors: dict[str, Any] = {}
        self._connection: Connection | None = None
        self._number = itertools.count().__next__
        self._sent: dict[int, Any] = {}
        self._over: deque[int] = deque()  # of those that are not needed any more

    def open(self, post: Callable[[Event], None]) -> int:
        """Connect, and say how many workers to start."""
        self._post = post
        wanted = max(cores_here(), (self._count or 1) * (self._cores or 1))
        self._connection = Connection(self._address, cpus=wanted)
        self._ray = ray = library()
        total = ray.cluster_resources()
        cpus, gpus = total.get("CPU", 0.0), total.get("GPU", 0.0)
        if self._cores is None:
            self._cores = max(min(_CORES, int(cpus) // (self._count or 1)), 1)
        fits = sum(_fitting(node["Resources"], self._cores, self._gpus) for node in _alive(ray))
        if fits < 1:
            each = f"{self._cores} cores" + (f" and {self._gpus:g} GPUs" if self._gpus else "")
            raise ClusterError(
                f"a worker needs {each} of one machine, and none of the cluster has them; there "
                f"are {cpus:g} cores and {gpus:g} GPUs in all; ask for less with cores= and gpus="
            )
        self._class = ray.remote(_host_class())
        return self._count or fits

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
        reference = self._actors[worker].equip.remote(make, 0 if self._gpus else self._cores)

        def heard(reply: Any) -> Event:
            return Equipped(worker) if reply.kind == "done" else Refused(worker, reply)

        self._ask(worker, reference, heard)

    def send(self, parcel: Parcel) -> Sent:
        """Put a parcel into the object store."""
        number = self._number()
        try:
            self._sent[number] = self._ray.put(parcel)
        except (self._ray.exceptions.RayError, OSError) as error:
            raise ClusterError(
                f"{parcel.nbytes:,} bytes find no room in the object store: {_first_line(error)}; "
                "lower max_in_flight or max_bytes"
            ) from error
        return Sent(number, parcel.nbytes, self._over)

    def give(self, worker: str, batch: int, sent: Sent) -> None:
        """Call the actor with a batch."""
        while self._over:
            self._sent.pop(self._over.popleft(), None)
        reference = self._actors[worker].take.remote(batch, self._sent[sent.number])
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
            why = _first_line(error)
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
            self._sent.clear()
        finally:
            if self._connection is not None:
                self._connection.close()
