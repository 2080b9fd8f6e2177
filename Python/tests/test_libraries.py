"""The libraries in the package, with which no library of the system is needed for drawing, WebP images and signatures."""

import os
import pathlib
import shutil
import subprocess
import sys

import pytest

import tensorio
from tensorio import _library
from conftest import BUNDLES, ROOT

FOLDER = pathlib.Path(tensorio.__file__).parent
LIBRARY = FOLDER / "libtensorio-optional.so"
needs_library = pytest.mark.skipif(not LIBRARY.exists(), reason="built without a mirror of Debian")


def test_a_package_of_another_project_with_the_same_import_name_is_reported(
    tmp_path: pathlib.Path, recwarn: pytest.WarningsRecorder
) -> None:
    for name in ("tensorio", "tensorio_runtime-1.0.dist-info", "tensorio_other-1.0.dist-info"):
        (tmp_path / name).mkdir()
    _library.warn_of_namesake(os.fspath(tmp_path / "tensorio"))
    assert not recwarn.list
    for name in ("tensorio-0.0.2.dist-info", "tensorio-0.0.2-py3.11.egg-info"):
        other = tmp_path / name
        other.mkdir()
        with pytest.warns(UserWarning, match="pip install tensorio-runtime"):
            _library.warn_of_namesake(os.fspath(tmp_path / "tensorio"))
        other.rmdir()


def opened_libraries(program: str) -> str:
    """The files that a process has mapped after a program."""
    output = subprocess.run(
        [sys.executable, "-c", f"import tensorio\n{program}\nprint(open('/proc/self/maps').read())"],
        check=True, capture_output=True, text=True, env={**os.environ, "TENSORIO_FONT": ""})
    return output.stdout


@needs_library
def test_drawing_uses_the_library_of_the_package(tmp_path: pathlib.Path) -> None:
    bundle, file = BUNDLES / "shape-detector.tiobundle", tmp_path / "drawing.png"
    maps = opened_libraries(
        f"tensorio.Model({str(bundle)!r})({str(bundle / 'samples' / '1.jpg')!r}).draw().save({str(file)!r})")
    assert str(LIBRARY) in maps
    assert "libcairo" not in maps and "libfreetype" not in maps
    assert file.read_bytes().startswith(b"\x89PNG")


@needs_library
def test_the_font_of_the_package_draws_what_that_of_the_system_draws() -> None:
    system = pathlib.Path("/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf")
    if not system.exists():
        pytest.skip("DejaVu Sans is not installed")
    bundle = BUNDLES / "shape-detector.tiobundle"
    program = (
        f"import sys, tensorio; result = tensorio.Model({str(bundle)!r})({str(bundle / 'samples' / '1.jpg')!r}); "
        "sys.stdout.buffer.write(result.draw_png())")
    first, second = (
        subprocess.run(
            [sys.executable, "-c", program], check=True, capture_output=True,
            env={**os.environ, "TENSORIO_FONT": str(font)}).stdout
        for font in (system, FOLDER / "DejaVuSans.ttf"))
    assert first == second and first.startswith(b"\x89PNG")


@needs_library
def test_webp_images_use_the_library_of_the_package() -> None:
    bundle, image = BUNDLES / "digits.tiobundle", ROOT / "Tests" / "Fixtures" / "Images" / "Formats" / "lossy.webp"
    maps = opened_libraries(f"tensorio.Model({str(bundle)!r})({str(image)!r})")
    assert str(LIBRARY) in maps and "libwebp" not in maps


def test_a_signed_bundle_is_verified(tmp_path: pathlib.Path) -> None:
    bundle, key = tmp_path / "digits.tiobundle", tmp_path / "publisher.key"
    shutil.copytree(BUNDLES / "digits.tiobundle", bundle)
    subprocess.run([sys.executable, "-m", "tensorio", "keys", "generate", key, "--no-password"], check=True)
    tensorio.sign(bundle, key=key)
    public = key.with_suffix(".pub")
    assert tensorio.verify(bundle, key=public)
    with open(bundle / "labels.txt", "a", encoding="utf-8") as file:
        file.write("more\n")
    with pytest.raises(tensorio.CommandError, match="labels.txt"):
        tensorio.verify(bundle, key=public)
