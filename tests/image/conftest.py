"""One build of the image for all tests that run it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.image.buildah import Buildah
from tests.image.running_image import RunningImage

ROOT = Path(__file__).parents[2]
TAG = "localhost/travelrule:test"


@pytest.fixture(scope="session")
def buildah(tmp_path_factory: pytest.TempPathFactory) -> Buildah:
    """The builder, with the image of this checkout."""
    builder = Buildah(tmp_path_factory.mktemp("images") / "storage")
    builder.import_base()
    builder.build(ROOT, TAG, "--build-arg=VERSION=0.0.0", "--build-arg=REVISION=abc")
    return builder


@pytest.fixture(scope="session")
def image(buildah: Buildah) -> Iterator[RunningImage]:
    """The image, to be run."""
    with buildah.files(TAG) as root:
        yield RunningImage(root, buildah.configuration(TAG))
