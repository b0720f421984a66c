//! What a picture says of itself before anything is decoded: its format and its size.
//!
//! The size decides how much memory decoding takes, so it is read and judged first. The WebP decoder
//! decodes before it can be asked, hence its header is read here.

use std::io::Cursor;

use image::ImageDecoder as _;
use image::codecs::jpeg::JpegDecoder;

use super::Refusal;

/// The longest side that is decoded, pixels.
pub const SIDE_MAX: u32 = 8000;
/// The most pixels that are decoded.
pub const PIXELS_MAX: u64 = 40_000_000;
/// The most pixels of a WebP picture, whose decoder holds several copies.
pub const WEBP_PIXELS_MAX: u64 = 16_000_000;

/// The most that the decoder may keep of a JPEG that is not read from top to bottom, bytes.
const KEPT_BYTES_MAX: u64 = 100_000_000;
/// The most scans of a JPEG: the decoder goes through the whole picture for each.
const SCANS_MAX: u32 = 100;

/// A format that is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    Png,
    Jpeg,
    WebP,
}

/// What a picture is by its content, if its size is within the bounds.
pub(super) fn look(sent: &[u8]) -> Result<Format, Refusal> {
    let format = format(sent).ok_or(Refusal::Format)?;
    let (sizes, most) = match format {
        Format::Png => (vec![png(sent)?], PIXELS_MAX),
        Format::Jpeg => (vec![jpeg(sent)?], PIXELS_MAX),
        Format::WebP => (webp(sent)?, WEBP_PIXELS_MAX),
    };
    for (width, height) in sizes {
        if width == 0 || height == 0 {
            return Err(Refusal::Damaged);
        }
        if width.max(height) > SIDE_MAX || u64::from(width) * u64::from(height) > most {
            return Err(Refusal::TooLarge);
        }
    }
    Ok(format)
}

fn format(sent: &[u8]) -> Option<Format> {
    if sent.starts_with(b"\x89PNG\r\n\x1a\n") {
        Some(Format::Png)
    } else if sent.starts_with(b"\xff\xd8\xff") {
        Some(Format::Jpeg)
    } else if sent.starts_with(b"RIFF") && sent.get(8..12) == Some(b"WEBP") {
        Some(Format::WebP)
    } else {
        None
    }
}

type Size = (u32, u32);

/// The first chunk of a PNG is its header.
fn png(sent: &[u8]) -> Result<Size, Refusal> {
    let header = sent.get(8..24).filter(|header| header.get(4..8) == Some(b"IHDR"));
    let number = |at: usize| -> Option<u32> {
        Some(u32::from_be_bytes(header?.get(at..at + 4)?.try_into().ok()?))
    };
    number(8).zip(number(12)).ok_or(Refusal::Damaged)
}

fn jpeg(sent: &[u8]) -> Result<Size, Refusal> {
    jpeg_is_light(sent)?;
    let decoder = JpegDecoder::new(Cursor::new(sent)).map_err(|_| Refusal::Damaged)?;
    Ok(decoder.dimensions())
}

/// Goes from marker to marker as the decoder does (ISO 10918-1, annex B) and judges what it would keep:
/// all samples of a progressive or lossless picture, two bytes each, until the last scan.
fn jpeg_is_light(sent: &[u8]) -> Result<(), Refusal> {
    let (mut scans, mut rest) = (0, sent.get(2..).unwrap_or_default());
    while let Some((marker, body)) = next_marker(rest) {
        match marker {
            // These stand alone.
            0x01 | 0xd0..=0xd8 => {
                rest = body;
                continue;
            }
            // The end. What comes after it is not looked at.
            0xd9 => break,
            _ => {}
        }
        let length = body.first_chunk().map(|length| usize::from(u16::from_be_bytes(*length)));
        let Some((segment, after)) = length.and_then(|length| body.split_at_checked(length)) else {
            break;
        };
        match marker {
            0xda => scans += 1,
            // Tables, and what is reserved; baseline and extended pictures are decoded row by row.
            0xc4 | 0xc8 | 0xcc | 0xc0 | 0xc1 => {}
            0xc2..=0xcf if kept(segment) > KEPT_BYTES_MAX => return Err(Refusal::Progressive),
            _ => {}
        }
        if scans > SCANS_MAX {
            return Err(Refusal::Progressive);
        }
        rest = after;
    }
    Ok(())
}

/// The next marker and what follows it. In between may be entropy-coded data, where `FF` is followed by 0.
fn next_marker(bytes: &[u8]) -> Option<(u8, &[u8])> {
    let mut rest = bytes;
    loop {
        let at = rest.iter().position(|byte| *byte == 0xff)?;
        rest = rest.get(at + 1..)?;
        match rest.split_first()? {
            (0x00, after) => rest = after,
            // Fills up.
            (0xff, _) => {}
            (marker, after) => return Some((*marker, after)),
        }
    }
}

/// What the samples of a frame take, bytes: length, precision, height, width, components.
fn kept(frame: &[u8]) -> u64 {
    match *frame {
        [_, _, _, h1, h0, w1, w0, components, ..] => {
            let side = |bytes| u64::from(u16::from_be_bytes(bytes));
            side([h1, h0]) * side([w1, w0]) * u64::from(components) * 2
        }
        _ => 0,
    }
}

/// Every size that a WebP picture names: of its canvas, and of each frame, which are to be the same.
fn webp(sent: &[u8]) -> Result<Vec<Size>, Refusal> {
    let mut sizes: Vec<Size> = Vec::new();
    let mut rest = sent.get(12..).unwrap_or_default();
    while let Some((head, after)) = rest.split_at_checked(8) {
        let (name, length) = head.split_at(4);
        let length = length.try_into().map_or(0, u32::from_le_bytes);
        let length = usize::try_from(length).map_err(|_| Refusal::Damaged)?;
        let body = after.get(..length).ok_or(Refusal::Damaged)?;
        match name {
            b"VP8 " => sizes.push(vp8(body).ok_or(Refusal::Damaged)?),
            b"VP8L" => sizes.push(vp8l(body).ok_or(Refusal::Damaged)?),
            b"VP8X" => sizes.push(vp8x(body).ok_or(Refusal::Damaged)?),
            b"ANIM" | b"ANMF" => return Err(Refusal::Animated),
            _ => {}
        }
        // A body of odd length is filled up by one byte.
        rest = after.get(length + length % 2..).unwrap_or_default();
    }
    let same = sizes.windows(2).all(|pair| pair.first() == pair.last());
    if sizes.is_empty() || !same { Err(Refusal::Damaged) } else { Ok(sizes) }
}

/// RFC 6386, section 9.1: three bytes, a start code, two sizes of 14 bits.
fn vp8(body: &[u8]) -> Option<Size> {
    let side = |at: usize| -> Option<u32> {
        let bytes = body.get(at..at + 2)?.try_into().ok()?;
        Some(u32::from(u16::from_le_bytes(bytes) & 0x3fff))
    };
    (body.get(3..6)? == b"\x9d\x01\x2a").then_some(())?;
    Some((side(6)?, side(8)?))
}

/// A mark, then two sizes of 14 bits less one.
fn vp8l(body: &[u8]) -> Option<Size> {
    (*body.first()? == 0x2f).then_some(())?;
    let bits = u32::from_le_bytes(body.get(1..5)?.try_into().ok()?);
    Some(((bits & 0x3fff) + 1, (bits >> 14 & 0x3fff) + 1))
}

/// Four bytes of flags, then two sizes of 24 bits less one.
fn vp8x(body: &[u8]) -> Option<Size> {
    let side = |at: usize| -> Option<u32> {
        let [a, b, c] = body.get(at..at + 3)?.try_into().ok()?;
        Some(u32::from_le_bytes([a, b, c, 0]) + 1)
    };
    Some((side(4)?, side(7)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chunk(name: [u8; 4], body: &[u8]) -> Vec<u8> {
        let length = u32::try_from(body.len()).unwrap().to_le_bytes();
        let fill = vec![0; body.len() % 2];
        [name.as_slice(), &length, body, &fill].concat()
    }

    fn riff(chunks: &[Vec<u8>]) -> Vec<u8> {
        let body = chunks.concat();
        let length = u32::try_from(body.len() + 4).unwrap().to_le_bytes();
        [b"RIFF".as_slice(), &length, b"WEBP", &body].concat()
    }

    fn lossy(width: u16, height: u16) -> Vec<u8> {
        let sizes = [width.to_le_bytes(), height.to_le_bytes()].concat();
        chunk(*b"VP8 ", &[b"\x10\x00\x00\x9d\x01\x2a".as_slice(), &sizes, &[0; 20]].concat())
    }

    fn lossless(width: u32, height: u32) -> Vec<u8> {
        let bits = (width - 1) | (height - 1) << 14;
        chunk(*b"VP8L", &[b"\x2f".as_slice(), &bits.to_le_bytes()].concat())
    }

    fn canvas(width: u32, height: u32) -> Vec<u8> {
        let side = |n: u32| (n - 1).to_le_bytes()[..3].to_vec();
        chunk(*b"VP8X", &[vec![0; 4], side(width), side(height)].concat())
    }

    #[test]
    fn every_size_that_a_webp_names_is_judged() {
        let taken = Ok(Format::WebP);
        for (chunks, found) in [
            (vec![lossy(1600, 1200)], taken),
            (vec![lossless(4000, 4000)], taken),
            (vec![canvas(30, 20), chunk(*b"EXIF", b"odd"), lossy(30, 20)], taken),
            (vec![lossy(16_383, 16_383)], Err(Refusal::TooLarge)),
            (vec![lossless(8001, 1)], Err(Refusal::TooLarge)),
            (vec![lossless(8000, 2001)], Err(Refusal::TooLarge)),
            (vec![canvas(16_777_216, 16_777_216)], Err(Refusal::TooLarge)),
            // A small canvas hides no large frame.
            (vec![canvas(30, 20), lossy(16_383, 16_383)], Err(Refusal::Damaged)),
            (vec![canvas(30, 20), lossy(30, 20), lossless(16_384, 9)], Err(Refusal::Damaged)),
            (vec![canvas(30, 20), chunk(*b"ANMF", &[0; 32])], Err(Refusal::Animated)),
            (vec![chunk(*b"XMP ", b"nothing else")], Err(Refusal::Damaged)),
            (vec![lossy(0, 10)], Err(Refusal::Damaged)),
            (vec![], Err(Refusal::Damaged)),
        ] {
            assert_eq!(look(&riff(&chunks)), found, "{chunks:?}");
        }
    }

    /// A JPEG of one frame of this kind, with so many scans.
    fn frames(sof: u8, width: u16, height: u16, components: u8, scans: usize) -> Vec<u8> {
        let length = 8 + 3 * u16::from(components);
        let sizes = [height.to_be_bytes(), width.to_be_bytes()].concat();
        let each = (1..=components).flat_map(|id| [id, 0x11, 0]).collect::<Vec<_>>();
        let frame = [&[0xff, sof][..], &length.to_be_bytes(), &[8], &sizes, &[components], &each];
        let scan = b"\xff\xda\0\x08\x01\x01\0\0\0\0data\xff\0\xda\xff\xd0\xda more".repeat(scans);
        // A comment hides nothing, and what it holds does not count.
        let comment = b"\xff\xfe\0\x08\xff\xda\xff\xd9\xff\xda";
        [b"\xff\xd8".as_slice(), comment, &frame.concat(), &scan, b"\xff\xff\xd9", comment].concat()
    }

    #[test]
    fn a_jpeg_that_the_decoder_would_keep_whole_is_judged_by_what_that_takes() {
        for (jpeg, light) in [
            (frames(0xc2, 4000, 4000, 3, 10), true),
            (frames(0xc2, 5000, 3333, 3, 1), true),
            (frames(0xc2, 8000, 5000, 3, 1), false),
            (frames(0xc2, 4100, 4100, 3, 1), false),
            (frames(0xc2, 8000, 5000, 1, 1), true),
            (frames(0xc3, 8000, 5000, 3, 1), false),
            (frames(0xc0, 8000, 5000, 3, 1), true),
            (frames(0xc1, 8000, 5000, 3, 1), true),
            (frames(0xc2, 32, 32, 3, 100), true),
            (frames(0xc2, 32, 32, 3, 101), false),
            (frames(0xc0, 32, 32, 3, 101), false),
        ] {
            let expected = if light { Ok(()) } else { Err(Refusal::Progressive) };
            assert_eq!(jpeg_is_light(&jpeg), expected);
            assert!(light || look(&jpeg) == Err(Refusal::Progressive));
        }
    }

    #[test]
    fn no_beginning_of_a_header_panics() {
        let whole = [
            riff(&[canvas(30, 20), lossy(30, 20), lossless(30, 20)]),
            b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0\x01\0\0\0\x01".to_vec(),
            b"\xff\xd8\xff\xc0\0\x11\x08\0\x01\0\x01\x03\x01\x22\0\x02\x11\x01\x03\x11\x01"
                .to_vec(),
            frames(0xc2, 30, 20, 3, 2),
        ];
        for bytes in whole {
            for end in 0..bytes.len() {
                let _ = look(&bytes[..end]);
            }
        }
    }
}
