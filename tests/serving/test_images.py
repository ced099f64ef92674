"""Photos that are sent and come back: pixels, formats, orientation, sizes of all kinds at once."""

from __future__ import annotations

import io
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import numpy as np
import pytest
from PIL import Image

import treadle
from photo_files import make_photo
from served import Served, ask, decoded, encoded, photo
from treadle.photos import Photo
from treadle.recipes import parse
from treadle.recipes.fit import Kind
from treadle.recipes.run import Options, RecipeRun
from treadle.serving import Service, ServiceLimits

BLUR = '[[stage]]\nkernel = "gaussian_blur"\nradius = 2\n'


@pytest.mark.parametrize("method", ["POST", "PUT"])
def test_a_photo_comes_back_as_the_recipe_makes_it(served, method):
    data = photo()
    found = served.ask(method, "/image", data)
    assert found.status == 200
    assert found.headers["content-type"] == "image/png"
    assert (found.pixels == decoded(data)[:, ::-1]).all()
    assert "decode;dur=" in found.headers["server-timing"]


def test_a_result_is_the_one_of_a_run(tmp_path):
    source = make_photo(tmp_path / "a.jpg", size=(90, 60))
    run = RecipeRun(Options(parse(BLUR), (str(source),), tmp_path / "out", device="cpu"))
    assert run.go() == ""
    with Served(Service(parse(BLUR), device="cpu")) as served:
        found = served.ask("POST", "/image", source.read_bytes())
    assert found.headers["content-type"] == "image/jpeg"
    assert found.data == (tmp_path / "out" / "a.jpg").read_bytes()


@pytest.mark.parametrize(
    "query, accept, expected",
    [
        ("", None, "image/png"),
        ("", "*/*", "image/png"),
        ("", "image/webp", "image/webp"),
        ("", "image/webp;q=0.5, image/jpeg;q=0.9", "image/jpeg"),
        ("", "image/jpeg, image/png", "image/png"),  # as good, and the photo's own
        ("", "text/html, image/avif, image/webp, */*;q=0.8", "image/webp"),
        ("", "text/html, */*;q=0.8, image/tiff;q=0.1", "image/png"),
        ("?format=jpg", "image/webp", "image/jpeg"),
        ("?format=TIFF", None, "image/tiff"),
        ("?format=jpeg&quality=30", None, "image/jpeg"),
    ],
)
def test_the_answer_has_the_format_asked_for(served, query, accept, expected):
    headers = {} if accept is None else {"accept": accept}
    found = served.ask("POST", f"/image{query}", photo(), **headers)
    assert found.status == 200
    assert found.headers["content-type"] == expected
    assert found.pixels.shape == (48, 64, 3)


def test_quality_counts(served):
    small, large = (
        served.ask("POST", f"/image?format=jpeg&quality={q}", photo()).data for q in (20, 95)
    )
    assert len(small) < len(large)


@pytest.mark.parametrize("orientation", [3, 6])
def test_a_photo_stands_upright(served, orientation):
    pixels = np.zeros((40, 60, 3), np.uint8)
    pixels[:10] = 255  # the sensor's top
    exif = Image.Exif()
    exif[0x0112] = orientation
    found = served.ask("POST", "/image", encoded(pixels, "png", exif=exif.tobytes())).pixels
    if orientation == 3:
        assert found.shape == (40, 60, 3)
        assert (found[-10:] == 255).all()
    else:
        assert found.shape == (60, 40, 3)
        assert (found[:, :10] == 255).all()  # on the right, and mirrored
    assert (found == 255).mean() == 0.25


@pytest.mark.parametrize("kind", ["L", "RGBA", "P", "I;16", "1", "CMYK"])
def test_photos_of_every_kind(served, kind):
    with Image.fromarray(decoded(photo())) as plain:
        made = plain.convert("I").point(lambda v: v * 257).convert(kind) if ";" in kind else None
        made = made or plain.convert(kind)
    format = "tiff" if kind == "CMYK" else "png"
    data = _saved(made, format)
    found = served.ask("POST", "/image", data)
    assert found.status == 200, found.data
    assert found.pixels.shape[:2] == (48, 64)


def test_alpha_stays_and_is_refused_where_it_would_be_lost(served):
    pixels = np.dstack([decoded(photo()), np.tile(np.arange(64, dtype=np.uint8), (48, 1))])
    data = encoded(pixels)
    assert (served.ask("POST", "/image", data).pixels == pixels[:, ::-1]).all()
    refused = served.ask("POST", "/image?format=jpeg", data)
    assert refused.status == 422
    assert refused.error == (
        "has transparency, which jpeg cannot hold; ?format= takes png, webp, tiff"
    )


def test_a_form_works_as_well(served):
    data = photo()
    parts = [
        b'--xyz\r\nContent-Disposition: form-data; name="note"\r\n\r\nhello',
        b'--xyz\r\nContent-Disposition: form-data; name="photo"; filename="a.png"\r\n'
        b"Content-Type: image/png\r\n\r\n" + data,
        b"--xyz--\r\n",
    ]
    found = served.ask(
        "POST", "/image", b"\r\n".join(parts), content_type="multipart/form-data; boundary=xyz"
    )
    assert (found.pixels == decoded(data)[:, ::-1]).all()


def test_many_sizes_at_once_each_get_their_own(served):
    sizes = [(40 + 3 * (n % 7), 30 + 2 * (n % 5)) for n in range(48)]
    photos = [photo(size, seed=n % 3) for n, size in enumerate(sizes)]
    with ThreadPoolExecutor(16) as pool:
        found = list(pool.map(lambda data: served.ask("POST", "/image", data), photos))
    for data, answer in zip(photos, found, strict=True):
        assert (answer.pixels == decoded(data)[:, ::-1]).all()


def test_photos_of_one_size_may_share_batches_and_each_gets_its_own():
    count = 24
    photos = [photo(seed=n) for n in range(4)]
    with Served(Service(parse(BLUR), device="cpu")) as served, ThreadPoolExecutor(count) as pool:
        many = pool.map(lambda n: served.ask("POST", "/image", photos[n % 4]), range(count))
        found = [each.data for each in many]
        assert served.metric("treadle_batch_items_total", endpoint="image") == count
        assert served.metric("treadle_batches_total", endpoint="image") <= count
    assert all(data == found[n % 4] for n, data in enumerate(found))
    assert len(set(found)) == 4


def test_large_photos_go_alone_and_hold_no_buffers():
    size = (1400, 1100)
    data = photo(size, "jpeg")
    with Served(Service(parse(BLUR), device="cpu")) as served:
        before = served.service.device.memory.used
        with closing(served.connect()) as connection:
            for _ in range(2):
                answer = ask(connection, "POST", "/image?format=jpeg", data)
                assert answer.pixels.shape == (1100, 1400, 3)
        assert served.metric("treadle_batch_items_total", endpoint="image") == 0
        served.until("treadle_held_bytes", 0)
        assert served.service.device.memory.used <= before + (16 << 20)


def test_a_photo_that_needs_the_whole_memory_waits_for_it():
    """Requests that keep memory while they wait for more would wait for ever."""
    limits = ServiceLimits(max_memory=2_000_000)
    photos = [photo((500, 400), "jpeg", seed=n) for n in range(3)]
    with Served(Service(parse(BLUR), device="cpu", limits=limits)) as served:
        with ThreadPoolExecutor(6) as pool:
            found = list(pool.map(lambda n: served.ask("POST", "/image", photos[n % 3]), range(6)))
        assert [answer.status for answer in found] == [200] * 6


def _saved(image: Image.Image, format: str) -> bytes:
    file = io.BytesIO()
    image.save(file, format)
    return file.getvalue()


def test_a_batch_of_photos_is_one_command_and_each_gets_its_own():
    """What callers of one moment would share, called with three at once."""
    photos = [Photo(decoded(photo(seed=n)), None, "png") for n in range(3)]
    service = Service(parse('[[stage]]\nkernel = "flip"\n'), device="cpu")
    kind = Kind(48, 64, 3, treadle.u8)
    found = service.photos._several(photos, key=kind)
    for each, (colour, alpha) in zip(photos, found, strict=True):
        assert (colour == each.colour[:, ::-1]).all()
        assert alpha is None
