"""What tests of the command line share: small photos and a way to call it."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from photo_files import make_photo
from treadle import cli


@dataclass(frozen=True)
class Said:
    """What a call of the command line came to."""

    status: int
    out: str
    err: str

    @property
    def text(self) -> str:
        """All of it with single spaces: where lines break depends on the terminal."""
        return " ".join((self.out + " " + self.err).split())


@pytest.fixture
def treadle_(capfd, monkeypatch):
    """Call the command line in this process."""
    monkeypatch.setenv("COLUMNS", "400")  # no line breaks inside a sentence, however long its path
    monkeypatch.delenv("FORCE_COLOR", raising=False)

    def call(*arguments: object) -> Said:
        status = cli.main([str(each) for each in arguments])
        said = Said(status, *capfd.readouterr())
        assert "Traceback" not in said.out + said.err
        return said

    return call


@pytest.fixture
def photos(tmp_path):
    """A folder of six JPEG photos, five of one size."""
    folder = tmp_path / "photos"
    folder.mkdir()
    for index in range(6):
        make_photo(folder / f"photo-{index}.jpg", seed=index, size=(96, 64 + 8 * (index == 3)))
    return folder
