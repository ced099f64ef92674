"""The public names: that they exist, say what they are, and cost little to import."""

from __future__ import annotations

import inspect
import pkgutil
import re
import subprocess
import sys

import pytest

import treadle
from treadle import api, features, work

# The promises of the first version, spelt out so that removing one is a visible change.
DEVICE = """
    MemoryInfo device device_count device_info devices dtypes gpu_available kernel_info kernels
    use_device version
"""
BUFFERS = """
    Buffer buffer buffer_from_binary buffer_zeros dtype empty free free_many from_dlpack from_numpy
    read read_binary read_list shape size to_numpy write
"""
COMMANDS = """
    Command Priority Status as_completed cancel poll run_kernel run_kernel_async submit wait
    wait_all
    add matmul multiply relu scale
"""
PIPELINES = "Pipeline free_pipeline pipeline pipeline_add pipeline_free pipeline_run"
STREAMS = "BatchError model batched double_buffered pipelined stream submitter trace"
FORMS = "composite constant function host kernel pointwise reduction repeat rowwise scan"
SURFACES = "create_surface dashboard present run_to_surface set_pixels surface"
SEARCH = "Index Metric Result Sharded Snapshot stream"
ERRORS = """
    BufferFreed CommandCancelled CommandError CommandFailed CommandTimeout CompileError DeviceError
    DeviceLost DeviceUnavailable KernelError KernelSyntaxError KernelTypeError LaunchError
    ModelError OutOfMemory PredicateError QueueFull SearchError ShardLost SurfaceClosed
    UnknownCommand UnknownId TreadleError
"""
NAMES = " ".join([DEVICE, BUFFERS, COMMANDS, PIPELINES, STREAMS, SURFACES, FORMS, ERRORS])
BUFFER_MEMBERS = """
    __array__ __dlpack__ __dlpack_device__ __enter__ __exit__ __getitem__ __len__ __repr__
    dtype free num_elements read read_binary read_list shape size to_numpy valid write
"""
PIPELINE_MEMBERS = """
    __enter__ __exit__ __len__ __repr__ add barrier bind buffer copy_buffer free last names plan run
    run_kernel set stage_count stages submit temp valid
"""
DEVICE_MEMBERS = """
    close info limits max_in_flight memory memory_in_use memory_limit pool_limit power_saving submit
    synchronize trim
"""
COMMAND_MEMBERS = """
    __await__ __repr__ add_done_callback cancel cancelled done exception id output poll
    remove_done_callback result status wait
"""
SNAPSHOT_MEMBERS = "__contains__ __len__ __repr__ device get get_columns ids search"
INDEX_MEMBERS = f"""
    {SNAPSHOT_MEMBERS} __aenter__ __aexit__ __enter__ __exit__ aclose add close columns compact
    dim dtype metric remove report search_async snapshot update
"""
SHARDED_MEMBERS = f"""
    {SNAPSHOT_MEMBERS} __aenter__ __aexit__ __enter__ __exit__ aclose close columns dim dtype metric
    missing paths report search_async verify
"""
STATUS = {"pending", "running", "completed", "failed", "cancelled"}


def isolated(code: str) -> str:
    """What a fresh interpreter prints for `code`."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def public(name: str) -> bool:
    return not name.startswith("_")


@pytest.mark.parametrize("name", NAMES.split())
def test_promised_names_exist(name):
    assert name in treadle.__all__
    assert callable(getattr(treadle, name))


def test_all_is_sorted_and_real():
    assert list(treadle.__all__) == sorted(set(treadle.__all__))
    assert [name for name in treadle.__all__ if not hasattr(treadle, name)] == []


def test_all_is_complete():
    for module in (api, features, work):
        defined = {
            name
            for name, value in vars(module).items()
            if public(name)
            and (inspect.isfunction(value) or inspect.isclass(value))
            and value.__module__ == module.__name__
        }
        assert defined, f"{module} defines nothing: this test looks in the wrong place"
        assert defined - set(treadle.__all__) == set()


@pytest.mark.parametrize("name", [name for name in treadle.__all__ if public(name)])
def test_every_name_is_documented(name):
    value = getattr(treadle, name)
    text = inspect.getdoc(value) or ""
    assert re.match(r"\S.*[.:;]", text.partition("\n\n")[0], re.DOTALL), f"{name}: {text!r}"


@pytest.mark.parametrize(
    "owner, names",
    [
        (treadle.Buffer, BUFFER_MEMBERS),
        (treadle.Command, COMMAND_MEMBERS),
        (treadle.Device, DEVICE_MEMBERS),
        (treadle.Pipeline, PIPELINE_MEMBERS),
        (treadle.search.Index, INDEX_MEMBERS),
        (treadle.search.Snapshot, SNAPSHOT_MEMBERS),
        (treadle.search.Sharded, SHARDED_MEMBERS),
    ],
)
def test_members(owner, names):
    # slots and properties are attributes of the class as much as methods are
    assert [name for name in names.split() if not hasattr(owner, name)] == []


def test_members_are_documented():
    undocumented = [
        f"{owner.__name__}.{name}"
        for owner in (
            treadle.Buffer,
            treadle.Command,
            treadle.Device,
            treadle.Pipeline,
            treadle.search.Index,
            treadle.search.Result,
            treadle.search.Sharded,
            treadle.search.Snapshot,
        )
        for name, value in vars(owner).items()
        if public(name)
        and (inspect.isfunction(value) or isinstance(value, property))
        and not inspect.getdoc(value)
    ]
    assert undocumented == []


def test_search_is_a_module_of_its_own_that_comes_when_it_is_used():
    assert treadle.search.__all__ == sorted(SEARCH.split(), key=lambda name: (name.islower(), name))
    assert all(callable(getattr(treadle.search, name)) for name in treadle.search.__all__)
    looked = "import treadle, sys; before = 'treadle.search' in sys.modules"
    assert isolated(f"{looked}; treadle.search.Index; print(before)") == "False"
    with pytest.raises(AttributeError, match="serach"):
        treadle.serach  # noqa: B018


def test_status_has_exactly_the_five_states():
    assert {str(status) for status in treadle.Status} == STATUS
    assert treadle.Status("completed") == "completed"


def test_version_is_told_the_same_everywhere():
    assert treadle.version() == treadle.__version__
    assert re.fullmatch(r"\d+\.\d+\.\d+([a-z]+\d+)?", treadle.__version__)


def test_import_is_light():
    """Compilers and drivers are loaded by work that needs them first, not by `import treadle`."""
    listing = "import sys; print(*{name.partition('.')[0] for name in sys.modules})"
    alone = set(isolated(f"import numpy; {listing}").split())
    assert set(
        isolated(f"import treadle; {listing}").split()
    ) - alone - sys.stdlib_module_names == {"treadle"}


def test_functions_win_over_modules_of_the_same_name():
    """`treadle.kernels()` and `treadle.dtypes()` stay functions whatever is imported afterwards."""
    everything = "\n".join(
        f"import {module.name}"
        for module in pkgutil.walk_packages(treadle.__path__, "treadle.")
        if not module.name.endswith("__main__")
    )
    assert "import treadle.kernels" in everything
    isolated(f"{everything}\nassert 'f32' in treadle.dtypes() and 'relu' in treadle.kernels()")


SHADOWED = """
import sys
import treadle
from treadle.lang import registry

assert not [name for name in sys.modules if name.startswith("treadle.kernels.")]
assert not [name for name in sys.modules if name.startswith("treadle.pipeline.")]

relu, blur, own = (
    treadle.composite(lambda x: x, name=name) for name in ("relu", "blur", "own")
)
found = {name: registry.lookup(name) for name in ("relu", "blur", "own")}
assert found["own"] is own
assert found["relu"].builtin and found["blur"].name == "gaussian_blur", found
assert "relu" in treadle.kernels() and "own" in treadle.kernels()
"""


def test_kernels_that_ship_are_loaded_when_asked_for_and_their_names_stay_theirs():
    isolated(SHADOWED)
