//! What becomes of good pictures, bad ones, and things that are none.

use std::io::Cursor;

use image::codecs::jpeg::JpegEncoder;
use image::{
    DynamicImage, GenericImageView as _, ImageOutputFormat, Rgb, RgbImage, Rgba, RgbaImage,
};

use super::header::look;
use super::orientation::tests::segment;
use super::{Kind, Prepared, Refusal, prepare};

/// Something with edges and colours, not one plain area.
fn picture(width: u32, height: u32) -> RgbImage {
    RgbImage::from_fn(width, height, |x, y| {
        let byte = |n: u32| u8::try_from(n % 256).unwrap();
        Rgb([byte(x * 3), byte(y * 5), byte((x / 16 + y / 16) * 40)])
    })
}

fn encoded(image: impl Into<DynamicImage>, format: ImageOutputFormat) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    image.into().write_to(&mut bytes, format).unwrap();
    bytes.into_inner()
}

fn png(image: impl Into<DynamicImage>) -> Vec<u8> {
    encoded(image, ImageOutputFormat::Png)
}

fn jpeg(image: &RgbImage) -> Vec<u8> {
    let mut bytes = Vec::new();
    JpegEncoder::new_with_quality(&mut bytes, 90).encode_image(image).unwrap();
    bytes
}

fn sizes(made: &Prepared) -> [(u32, u32); 2] {
    [&made.large, &made.small].map(|file| image::load_from_memory(file).unwrap().dimensions())
}

fn holds(bytes: &[u8], text: &[u8]) -> bool {
    bytes.windows(text.len()).any(|window| window == text)
}

/// One chunk of a PNG.
fn chunk(name: [u8; 4], body: &[u8]) -> Vec<u8> {
    let length = u32::try_from(body.len()).unwrap().to_be_bytes();
    let marked = [name.as_slice(), body].concat();
    [length.as_slice(), &marked, &crc32(&marked).to_be_bytes()].concat()
}

fn crc32(bytes: &[u8]) -> u32 {
    let step = |crc: u32, _| if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 };
    !bytes.iter().fold(u32::MAX, |crc, byte| (0..8).fold(crc ^ u32::from(*byte), step))
}

/// An 8-bit grey PNG of this size with whatever compressed data.
fn grey_png(width: u32, height: u32, data: &[u8]) -> Vec<u8> {
    let header = [&width.to_be_bytes()[..], &height.to_be_bytes(), &[8, 0, 0, 0, 0]].concat();
    let mark = b"\x89PNG\r\n\x1a\n".to_vec();
    [mark, chunk(*b"IHDR", &header), chunk(*b"IDAT", data), chunk(*b"IEND", b"")].concat()
}

#[test]
fn what_has_no_transparent_part_becomes_a_jpeg() {
    for sent in [png(picture(300, 200)), jpeg(&picture(300, 200))] {
        let made = prepare(&sent).unwrap();
        assert_eq!(made.file.kind(), Kind::Jpeg);
        assert!(made.large.starts_with(b"\xff\xd8\xff") && made.small.starts_with(b"\xff\xd8\xff"));
        // One that is small already is not blown up.
        assert_eq!(sizes(&made), [(300, 200), (300, 200)]);
    }
    // An alpha channel that hides nothing does not count.
    let opaque = RgbaImage::from_pixel(20, 20, Rgba([1, 2, 3, 255]));
    assert_eq!(prepare(&png(opaque)).unwrap().file.kind(), Kind::Jpeg);
}

#[test]
fn transparent_parts_are_kept_in_a_png() {
    let mut sent = RgbaImage::from_pixel(40, 30, Rgba([200, 10, 10, 255]));
    sent.put_pixel(0, 0, Rgba([0, 0, 0, 0]));
    for sent in [png(sent.clone()), encoded(sent, ImageOutputFormat::WebP)] {
        let made = prepare(&sent).unwrap();
        assert_eq!(made.file.kind(), Kind::Png);
        let large = image::load_from_memory(&made.large).unwrap().to_rgba8();
        assert_eq!((large.get_pixel(0, 0).0[3], large.get_pixel(9, 9).0[3]), (0, 255));
    }
}

#[test]
fn a_large_picture_is_made_smaller_and_keeps_its_shape() {
    for sent in [png(picture(4000, 1000)), jpeg(&picture(4000, 1000))] {
        assert_eq!(sizes(&prepare(&sent).unwrap()), [(1600, 400), (640, 160)]);
    }
    assert_eq!(sizes(&prepare(&png(picture(1000, 2000))).unwrap()), [(800, 1600), (320, 640)]);
    // As thin as it gets.
    assert_eq!(sizes(&prepare(&png(picture(8000, 1))).unwrap()), [(1600, 1), (640, 1)]);
}

#[test]
fn other_depths_and_colours_are_read() {
    let image = DynamicImage::from(picture(60, 40));
    for sent in [
        png(image.to_rgb16()),
        png(image.to_rgba16()),
        png(image.to_luma8()),
        png(image.to_luma16()),
        png(image.to_luma_alpha8()),
        encoded(image.clone(), ImageOutputFormat::WebP),
    ] {
        assert_eq!(sizes(&prepare(&sent).unwrap()), [(60, 40), (60, 40)]);
    }
}

#[test]
fn the_same_pixels_have_the_same_name() {
    let [once, again] =
        [png(picture(50, 50)), png(picture(50, 50))].map(|sent| prepare(&sent).unwrap().file);
    assert_eq!(once, again);
    assert_ne!(once, prepare(&png(picture(50, 51))).unwrap().file);
}

#[test]
fn whatever_is_not_pixels_is_gone() {
    let secret = b"<script>alert(1)</script> 52.5200 N";
    let image = picture(64, 64);
    let plain = png(image.clone());
    let (head, rest) = plain.split_at(33);
    let text = chunk(*b"tEXt", &[b"Comment\0".as_slice(), secret].concat());
    let jpeg = jpeg(&image);
    let length = u16::try_from(secret.len() + 2).unwrap().to_be_bytes();
    let comment = [b"\xff\xfe".as_slice(), &length, secret].concat();
    for sent in [
        [plain.as_slice(), secret].concat(),
        [head, &text, rest].concat(),
        [jpeg.as_slice(), secret].concat(),
        [&jpeg[..2], &comment, &jpeg[2..]].concat(),
    ] {
        assert!(holds(&sent, secret));
        let made = prepare(&sent).unwrap();
        for served in [&made.large, &made.small] {
            assert!(!holds(served, secret) && !holds(served, b"Exif"));
            assert_eq!(image::load_from_memory(served).unwrap().dimensions(), (64, 64));
        }
    }
}

#[test]
fn a_camera_held_sideways_is_put_right_and_its_metadata_go() {
    let mut stored = RgbImage::from_pixel(64, 32, Rgb([0, 0, 255]));
    for (x, y) in (0..16).flat_map(|x| (0..16).map(move |y| (x, 31 - y))) {
        stored.put_pixel(x, y, Rgb([255, 0, 0]));
    }
    let plain = jpeg(&stored);
    let sent = [&plain[..2], &segment(6, true), &plain[2..]].concat();
    let made = prepare(&sent).unwrap();
    assert_eq!(sizes(&made), [(32, 64), (32, 64)]);
    let large = image::load_from_memory(&made.large).unwrap().to_rgb8();
    let red = |x, y| large.get_pixel(x, y).0[0] > 200;
    assert_eq!([red(4, 4), red(28, 4), red(4, 60), red(28, 60)], [true, false, false, false]);
    assert!(!holds(&made.large, b"Exif"));
}

#[test]
fn what_is_no_picture_is_refused_by_its_content() {
    let gif =
        b"GIF89a\x01\0\x01\0\x80\0\0\0\0\0\xff\xff\xff!\xf9\x04\x01\0\0\0\0,\0\0\0\0\x01\0\x01\0\0\
                \x02\x02D\x01\0;";
    for sent in [
        b"".as_slice(),
        b"This is not a picture, though its name ends in .png.",
        b"<svg xmlns=\"http://www.w3.org/2000/svg\"><script>alert(1)</script></svg>",
        b"<?xml version=\"1.0\"?><svg/>",
        b"<!doctype html><script>alert(1)</script>",
        gif,
        b"BM\x3a\0\0\0\0\0\0\0\x36\0\0\0",
        b"II*\0\x08\0\0\0",
        b"\0\0\x01\0\x01\0",
        b"%PDF-1.7",
        b"PK\x03\x04",
        b"\x89PNG",
        b"RIFF\x04\0\0\0WAVE",
    ] {
        assert_eq!(prepare(sent).err(), Some(Refusal::Format), "{sent:?}");
    }
}

#[test]
fn a_picture_that_ends_too_early_or_breaks_off_is_refused() {
    let png = png(picture(200, 200));
    let webp = encoded(DynamicImage::from(picture(200, 200)), ImageOutputFormat::WebP);
    for whole in [png.as_slice(), &webp] {
        for end in [12, 20, 40, whole.len() / 2, whole.len() - whole.len() / 4] {
            assert_eq!(prepare(&whole[..end]).err(), Some(Refusal::Damaged), "{end}");
        }
    }
    let mut flipped = png.clone();
    flipped[png.len() / 2] ^= 0xff;
    assert_eq!(prepare(&flipped).err(), Some(Refusal::Damaged));
    let jpeg = jpeg(&picture(200, 200));
    for end in [3, 20, 200] {
        assert_eq!(prepare(&jpeg[..end]).err(), Some(Refusal::Damaged), "{end}");
    }
}

#[test]
fn a_size_out_of_bounds_is_told_by_the_header_alone() {
    let no_data = |width, height| grey_png(width, height, b"");
    for (width, height) in [(20_000, 20_000), (8001, 1), (1, 8001), (8000, 5001), (u32::MAX, 1)] {
        assert_eq!(look(&no_data(width, height)).err(), Some(Refusal::TooLarge));
        assert_eq!(prepare(&no_data(width, height)).err(), Some(Refusal::TooLarge));
    }
    assert!(look(&no_data(8000, 5000)).is_ok());
    assert_eq!(prepare(&no_data(0, 10)).err(), Some(Refusal::Damaged));
    // A JPEG names its size in a segment.
    let mut huge = jpeg(&picture(32, 32));
    let at = huge.windows(2).position(|pair| pair == b"\xff\xc0").unwrap();
    huge[at + 5..at + 9].copy_from_slice(&[0x4e, 0x20, 0x4e, 0x20]);
    assert_eq!(prepare(&huge).err(), Some(Refusal::TooLarge));
}

#[test]
fn the_most_pixels_that_are_taken_are_decoded() {
    let grey = image::GrayImage::from_pixel(8000, 5000, image::Luma([90]));
    assert_eq!(sizes(&prepare(&png(grey)).unwrap()), [(1600, 1000), (640, 400)]);
    // Within the pixels, but 16 bits deep in four channels: 320 MB.
    let header = [&8000_u32.to_be_bytes()[..], &5000_u32.to_be_bytes(), &[16, 6, 0, 0, 0]].concat();
    let deep = [
        b"\x89PNG\r\n\x1a\n".to_vec(),
        chunk(*b"IHDR", &header),
        chunk(*b"IDAT", b""),
        chunk(*b"IEND", b""),
    ];
    assert_eq!(prepare(&deep.concat()).err(), Some(Refusal::TooHeavy));
}

/// Runs as a process of its own: the most that this one ever took would be that of its neighbours.
#[test]
fn bombs_are_refused_without_a_spike_in_memory() {
    const ALONE: &str = "SECKILL_TEST_BOMBS";
    if std::env::var_os(ALONE).is_none() {
        let own = std::env::current_exe().unwrap();
        let run = std::process::Command::new(own)
            .args(["--exact", "picture::prepare_test::bombs_are_refused_without_a_spike_in_memory"])
            .args(["--test-threads", "1"])
            .env(ALONE, "1")
            .output()
            .unwrap();
        let told = String::from_utf8_lossy(&run.stdout).into_owned();
        assert!(run.status.success() && told.contains("1 passed"), "{told}");
        return;
    }
    // A whole 20,000 × 20,000 picture, zeros throughout: 400 MB in a file of 2.5 MB.
    let zeros = zeros_deflated(20_000 * 20_001);
    assert!(zeros.len() < 3_000_000, "{}", zeros.len());
    let before = most_kib();
    let huge = grey_png(20_000, 20_000, &zeros);
    assert_eq!(prepare(&huge).err(), Some(Refusal::TooLarge));
    // A picture of one pixel with more data than that, and with a profile that unpacks to 400 MB.
    let tiny = grey_png(1, 1, &zeros);
    let (head, rest) = tiny.split_at(33);
    let _ = prepare(&tiny);
    let profile = chunk(*b"iCCP", &[b"p\0\0".as_slice(), &zeros].concat());
    let _ = prepare(&[head, &profile, rest].concat());
    let grown = most_kib() - before;
    assert!(grown < 64 * 1024, "it took {grown} KiB more");
}

/// The most memory that this process ever had, KiB.
fn most_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

/// A zlib stream (RFC 1950, 1951) of at least so many zeros: one, and copies of the one before it, 258 at
/// a time, in the fixed codes.
fn zeros_deflated(count: u32) -> Vec<u8> {
    let copies = count / 258 + 1;
    let mut bits = Bits { bytes: vec![0x78, 0x01], held: 0, count: 0 };
    bits.push("1");
    bits.push("10");
    bits.push("00110000");
    for _ in 0..copies {
        bits.push("1100010100000");
    }
    bits.push("0000000");
    bits.push("0000000");
    let sum = ((1 + copies * 258) % 65_521) << 16 | 1;
    [bits.bytes, sum.to_be_bytes().to_vec()].concat()
}

struct Bits {
    bytes: Vec<u8>,
    held: u8,
    count: u8,
}

impl Bits {
    fn push(&mut self, bits: &str) {
        for bit in bits.bytes() {
            self.held |= (bit - b'0') << self.count;
            self.count += 1;
            if self.count == 8 {
                self.bytes.push(self.held);
                (self.held, self.count) = (0, 0);
            }
        }
    }
}
