"""An S3 server on loopback, for tests of what is read from stores and written to them."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

BUCKET = "photos"


@contextmanager
def s3_server() -> Iterator[str]:
    """Run moto's server and have the environment name it; give its address."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what it imports
        from moto.server import ThreadedMotoServer

        server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
        server.start()
    host, port = server.get_host_and_port()
    given = {
        "AWS_ENDPOINT_URL": f"http://{host}:{port}", "AWS_ACCESS_KEY_ID": "key",
        "AWS_SECRET_ACCESS_KEY": "secret", "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_EC2_METADATA_DISABLED": "true",
    }  # fmt: skip
    before = {name: os.environ.get(name) for name in given}
    os.environ.update(given)
    try:
        system().mkdir(BUCKET)
        yield given["AWS_ENDPOINT_URL"]
    finally:
        server.stop()
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def system():
    """The store as fsspec sees it, with nothing kept of what it said before."""
    import s3fs

    return s3fs.S3FileSystem(use_listings_cache=False)
