"""What an image must be to start a rollout from, and the bytes that go into the dataset.

Conversion rule: an 8-bit RGB file goes in byte for byte, in its own format. Re-encoded as PNG, without loss
and without metadata, are: an image that its EXIF orientation turns (the turn is applied), one whose EXIF
tells where it was taken, a grey or palette image (as the RGB it shows), and one with an alpha channel that is
opaque everywhere. Refused, because the conversion would be a choice of ours: real transparency (over what
background?), more than 8 bits a channel (which tone curve?), CMYK and other colour spaces (which profile?),
and animations (which frame?).

Inclusion rules, on images that people bring (a benchmark image that shows nothing measures nothing): the
short side is at least `MIN_SHORT_SIDE`; the picture is not blank; it is not blurred. Sharpness is the
variance of the 4-neighbour Laplacian of the luma (0 to 255), the long side scaled down to 832 pixels if it is
longer. On fourteen sharp photographs and micrographs it was 30 to 5295, after a Gaussian blur of 3 pixels 1.3
to 5.4.
"""

import io
import struct
from pathlib import Path
from typing import NamedTuple

import numpy as np
from PIL import ExifTags, Image, ImageOps, TiffImagePlugin

SUFFIXES = (".bmp", ".jpeg", ".jpg", ".png", ".tif", ".tiff", ".webp")
"""File name endings taken for images, in lower case."""

MIN_SHORT_SIDE = 480
MIN_CONTRAST = 4.0
"""Standard deviation of the luma, 0 to 255, below which an image counts as blank."""
MIN_SHARPNESS = 8.0
SHARPNESS_SIDE = 832

RULES = ("size", "blank", "blur")
"""Inclusion rules that a builder may waive; the rest of the checks are about readability."""

_KEPT_FORMATS = {"JPEG", "PNG", "WEBP"}
_PNG_DEPTH_OFFSET = 24


class ImageError(ValueError):
    """A file that gives no 8-bit RGB image."""


class ImageFacts(NamedTuple):
    """What was measured on an image.

    Attributes:
        width: Pixels, after EXIF rotation.
        height: Pixels, after EXIF rotation.
        contrast: Standard deviation of the luma, 0 to 255.
        sharpness: Variance of its Laplacian; see the module's docstring.
    """

    width: int
    height: int
    contrast: float
    sharpness: float


def image_facts(path: Path) -> ImageFacts:
    """Decode an image in full and measure it.

    Raises:
        ImageError: The file is unreadable, cut off, or of a kind that the conversion rule refuses.

    Example:
        >>> import tempfile
        >>> file = Path(tempfile.mkdtemp()) / "grey.png"
        >>> Image.new("L", (640, 480), 128).save(file)
        >>> image_facts(file)
        ImageFacts(width=640, height=480, contrast=0.0, sharpness=0.0)
    """
    image = _rgb(path)
    contrast, sharpness = _contrast_and_sharpness(image)
    return ImageFacts(image.width, image.height, contrast, sharpness)


def broken_rules(facts: ImageFacts, *, waived: tuple[str, ...] = ()) -> list[str]:
    """The inclusion rules that an image breaks, as sentences with the values.

    Args:
        facts: Measured by `image_facts`.
        waived: Rules of `RULES` not to apply.

    Example:
        >>> broken_rules(ImageFacts(320, 200, contrast=50.0, sharpness=300.0))
        ['size: 320 x 200 pixels, the short side must have at least 480']
    """
    found = {}
    if min(facts.width, facts.height) < MIN_SHORT_SIDE:
        size = f"{facts.width} x {facts.height} pixels"
        found["size"] = f"{size}, the short side must have at least {MIN_SHORT_SIDE}"
    if facts.contrast < MIN_CONTRAST:
        found["blank"] = f"luma deviates by {facts.contrast:.2f} of 255, at least {MIN_CONTRAST:g} is asked"
    elif facts.sharpness < MIN_SHARPNESS:
        found["blur"] = f"Laplacian variance is {facts.sharpness:.2f}, at least {MIN_SHARPNESS:g} is asked"
    return [f"{rule}: {text}" for rule, text in found.items() if rule not in waived]


def image_bytes(path: Path) -> tuple[bytes, str]:
    """The encoded image for the dataset and its file name, by the rule in the module's docstring.

    Raises:
        ImageError: See `image_facts`.
    """
    data = path.read_bytes()
    if _is_kept(path, data):
        return data, path.name
    buffer = io.BytesIO()
    _rgb(path).save(buffer, format="PNG")
    return buffer.getvalue(), f"{path.stem}.png"


def image_size(path: Path) -> tuple[int, int]:
    """Width and height in pixels, after EXIF rotation, from the file's header alone.

    Raises:
        ImageError: The file is not an image.
    """
    try:
        with Image.open(path) as image:
            turned = _orientation(image) >= 5
            return (image.height, image.width) if turned else image.size
    except _DECODER_ERRORS as error:
        raise ImageError(f"{path}: not a readable image: {error}") from error


# Pillow's decoders raise whatever their format's parser met.
_DECODER_ERRORS = (OSError, SyntaxError, ValueError, struct.error, Image.DecompressionBombError)


def _orientation(image: Image.Image) -> int:
    return int(image.getexif().get(ExifTags.Base.Orientation, 1))


def _has_position(image: Image.Image) -> bool:
    return bool(image.getexif().get_ifd(ExifTags.IFD.GPSInfo))


def _is_kept(path: Path, data: bytes) -> bool:
    with Image.open(io.BytesIO(data)) as image:
        plain = image.mode == "RGB" and image.format in _KEPT_FORMATS and "transparency" not in image.info
        return plain and _orientation(image) == 1 and not _has_position(image)


def _rgb(path: Path) -> Image.Image:
    try:
        with Image.open(path) as image:
            _refuse(path, image)
            image.load()
            turned = ImageOps.exif_transpose(image)
            return _opaque(path, turned).convert("RGB")
    except ImageError:
        raise
    except _DECODER_ERRORS as error:
        raise ImageError(f"{path}: not a readable image, or cut off: {error}") from error


def _refuse(path: Path, image: Image.Image) -> None:
    # A phone's JPEG may carry a second picture for its own use (MPO: depth, gain map); the first is the photo.
    if getattr(image, "n_frames", 1) > 1 and image.format != "MPO":
        raise ImageError(f"{path}: holds {getattr(image, 'n_frames', 1)} frames: save the one you mean")
    if image.mode[0] in "IF" or _bits_per_channel(path, image) > 8:
        raise ImageError(f"{path}: more than 8 bits a channel: choose the tone curve and save 8 bits")
    if image.mode not in {"1", "L", "LA", "P", "PA", "RGB", "RGBA"}:
        raise ImageError(f"{path}: colour mode {image.mode}: convert it to RGB with its colour profile")


def _bits_per_channel(path: Path, image: Image.Image) -> int:
    """As the file has them: Pillow turns 16-bit RGB into 8 bits and says nothing."""
    if image.format == "PNG":
        with path.open("rb") as file:
            return file.read(_PNG_DEPTH_OFFSET + 1)[_PNG_DEPTH_OFFSET]
    depths = getattr(image, "tag_v2", {}).get(TiffImagePlugin.BITSPERSAMPLE, (8,))
    return int(max(depths))


def _opaque(path: Path, image: Image.Image) -> Image.Image:
    if image.mode not in {"LA", "PA", "RGBA"} and "transparency" not in image.info:
        return image
    full = image.convert("RGBA")
    low, _ = full.getchannel("A").getextrema()
    if low != 255:
        raise ImageError(f"{path}: transparent in places: lay it over the background you mean")
    return full


def _contrast_and_sharpness(image: Image.Image) -> tuple[float, float]:
    grey = image.convert("L")
    scale = SHARPNESS_SIDE / max(grey.size)
    if scale < 1:
        size = (max(1, round(grey.width * scale)), max(1, round(grey.height * scale)))
        grey = grey.resize(size, Image.Resampling.BOX)
    luma = np.asarray(grey, dtype=np.float64)
    if min(luma.shape) < 3:
        return float(luma.std()), 0.0
    inner = luma[1:-1, 1:-1]
    laplacian = luma[1:-1, :-2] + luma[1:-1, 2:] + luma[:-2, 1:-1] + luma[2:, 1:-1] - 4 * inner
    return float(luma.std()), float(laplacian.var())
