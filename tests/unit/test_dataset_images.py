"""Conversion and inclusion rules on images that people bring."""

import io

import numpy as np
import pytest
from PIL import Image, ImageFilter

from dataset_builder.images import ImageError, ImageFacts, broken_rules, image_bytes, image_facts, image_size


def photo(width=832, height=480, seed=0):
    """Random blocks with sharp edges, softened by nothing."""
    rng = np.random.default_rng(seed)
    blocks = rng.integers(0, 256, (-(-height // 16), -(-width // 16), 3), dtype=np.uint8)
    return Image.fromarray(blocks.repeat(16, axis=0).repeat(16, axis=1)[:height, :width])


def pixels(data):
    return np.asarray(Image.open(io.BytesIO(data)))


def saved(folder, name, image, **options):
    path = folder / name
    image.save(path, **options)
    return path


def test_a_checkerboard_has_the_sharpness_computed_by_hand(tmp_path):
    board = np.indices((480, 640)).sum(axis=0) % 2 * 255
    facts = image_facts(saved(tmp_path, "board.png", Image.fromarray(board.astype(np.uint8))))
    # the Laplacian is -4 * 255 at a white pixel and 4 * 255 at a black one: mean 0, variance 1020 squared
    assert facts == ImageFacts(640, 480, contrast=127.5, sharpness=1020.0**2)


@pytest.mark.parametrize(("name", "options"), [("a.jpg", {"quality": 93}), ("a.png", {}), ("a.webp", {})])
def test_8_bit_rgb_goes_in_byte_for_byte(tmp_path, name, options):
    path = saved(tmp_path, name, photo(), **options)
    assert image_bytes(path) == (path.read_bytes(), name)
    assert broken_rules(image_facts(path)) == []


@pytest.mark.parametrize("mode", ["1", "L", "P"])
def test_grey_and_palette_become_the_rgb_they_show(tmp_path, mode):
    image = photo().convert(mode)
    data, name = image_bytes(saved(tmp_path, "a.bmp", image))
    assert name == "a.png"
    np.testing.assert_array_equal(pixels(data), np.asarray(image.convert("RGB")))


def test_opaque_alpha_is_dropped_and_transparency_refused(tmp_path):
    image = photo()
    image.putalpha(255)
    data, _ = image_bytes(saved(tmp_path, "opaque.png", image))
    np.testing.assert_array_equal(pixels(data), np.asarray(photo()))
    image.putpixel((3, 4), (1, 2, 3, 254))
    path = saved(tmp_path, "hole.png", image)
    with pytest.raises(ImageError, match=r"hole\.png: transparent in places"):
        image_facts(path)


def test_a_palette_with_a_transparent_entry_is_refused(tmp_path):
    image = photo().convert("P")
    path = saved(tmp_path, "p.png", image, transparency=image.getpixel((0, 0)))
    with pytest.raises(ImageError, match="transparent in places"):
        image_facts(path)


def test_exif_rotation_is_applied(tmp_path):
    exif = Image.Exif()
    exif[0x0112] = 6  # shown turned by 90 degrees clockwise
    path = saved(tmp_path, "turned.jpg", photo(), exif=exif, quality=95)
    assert image_size(path) == (480, 832)
    assert image_facts(path)[:2] == (480, 832)
    data, name = image_bytes(path)
    with Image.open(path) as stored:
        expected = np.rot90(np.asarray(stored), k=-1)
    assert name == "turned.png"
    np.testing.assert_array_equal(pixels(data), expected)


def test_a_position_in_exif_does_not_go_into_the_dataset(tmp_path):
    exif = Image.Exif()
    exif.get_ifd(0x8825)[1] = "N"
    path = saved(tmp_path, "where.jpg", photo(), exif=exif)
    data, name = image_bytes(path)
    assert name == "where.png"
    assert not Image.open(io.BytesIO(data)).getexif().get_ifd(0x8825)


def png16(path, channels):
    """A 16-bit PNG; Pillow does not write the RGB kind, and reads it as 8 bits."""
    import cv2

    shape = (480, 640, 3) if channels == 3 else (480, 640)
    path.write_bytes(cv2.imencode(".png", np.full(shape, 4000, np.uint16))[1].tobytes())
    return path


@pytest.mark.parametrize("channels", [1, 3])
def test_16_bit_png_is_refused(tmp_path, channels):
    with pytest.raises(ImageError, match=r"deep\.png: more than 8 bits a channel"):
        image_facts(png16(tmp_path / "deep.png", channels))


def test_float_tiff_is_refused(tmp_path):
    path = saved(tmp_path, "float.tif", Image.fromarray(np.zeros((480, 640), np.float32)))
    with pytest.raises(ImageError, match="more than 8 bits"):
        image_facts(path)


def test_cmyk_is_refused(tmp_path):
    path = saved(tmp_path, "print.jpg", photo().convert("CMYK"))
    with pytest.raises(ImageError, match=r"print\.jpg: colour mode CMYK"):
        image_facts(path)


def test_animation_is_refused(tmp_path):
    path = saved(tmp_path, "two.webp", photo(), save_all=True, append_images=[photo(seed=1)])
    with pytest.raises(ImageError, match="holds 2 frames"):
        image_facts(path)


def test_a_phone_photo_with_a_second_picture_is_the_first(tmp_path):
    second = photo(64, 64, seed=1)
    path = saved(tmp_path, "phone.jpg", photo(), format="MPO", save_all=True, append_images=[second])
    data, name = image_bytes(path)
    with Image.open(path) as stored:
        np.testing.assert_array_equal(pixels(data), np.asarray(stored))
    assert (name, image_facts(path)[:2]) == ("phone.png", (832, 480))


@pytest.mark.parametrize("name", ["cut.jpg", "cut.png"])
def test_cut_off_file_is_named(tmp_path, name):
    path = saved(tmp_path, name, photo())
    path.write_bytes(path.read_bytes()[:-4000])
    with pytest.raises(ImageError, match=rf"{name}: not a readable image, or cut off"):
        image_facts(path)


@pytest.mark.parametrize("content", [b"", b"no image", b"\x89PNG\r\n\x1a\n\x00\x00"])
def test_what_is_no_image_is_named(tmp_path, content):
    path = tmp_path / "fake.png"
    path.write_bytes(content)
    with pytest.raises(ImageError, match=r"fake\.png: not a readable image"):
        image_facts(path)
    with pytest.raises(ImageError, match=r"fake\.png: not a readable image"):
        image_size(path)


def test_size_blank_and_blur_are_found_and_may_be_waived(tmp_path):
    small = image_facts(saved(tmp_path, "small.png", photo(640, 479)))
    blank = image_facts(saved(tmp_path, "blank.png", Image.new("RGB", (832, 480), (90, 90, 90))))
    soft = image_facts(saved(tmp_path, "soft.png", photo().filter(ImageFilter.GaussianBlur(8))))
    assert broken_rules(small) == ["size: 640 x 479 pixels, the short side must have at least 480"]
    assert broken_rules(blank) == ["blank: luma deviates by 0.00 of 255, at least 4 is asked"]
    assert broken_rules(soft)[0].startswith("blur: Laplacian variance is ")
    assert broken_rules(soft, waived=("blur",)) == []
    assert broken_rules(small._replace(contrast=0.0), waived=("size", "blank")) == []


def test_sharpness_does_not_reward_a_larger_file(tmp_path):
    large = photo(1664, 960).filter(ImageFilter.GaussianBlur(10))
    facts = image_facts(saved(tmp_path, "large.png", large))
    half = image_facts(saved(tmp_path, "half.png", large.resize((832, 480), Image.Resampling.BOX)))
    assert facts.sharpness == pytest.approx(half.sharpness, rel=0.15)  # the two round grey levels differently
