//! How a camera was held: JPEG pictures say it in their metadata, and are turned accordingly before the
//! metadata goes.

use image::DynamicImage;

/// The tag of the orientation in the first directory (Exif 2.3, section 4.6.4).
const ORIENTATION: u16 = 0x0112;

/// The orientation of a JPEG, 1 to 8; 1 (upright) where it says nothing that can be understood.
pub(super) fn of_jpeg(sent: &[u8]) -> u16 {
    exif(sent).and_then(orientation).filter(|turn| (1..=8).contains(turn)).unwrap_or(1)
}

/// Turns a picture upright.
pub(super) fn upright(image: DynamicImage, orientation: u16) -> DynamicImage {
    match orientation {
        2 => image.fliph(),
        3 => image.rotate180(),
        4 => image.flipv(),
        5 => image.rotate90().fliph(),
        6 => image.rotate90(),
        7 => image.rotate270().fliph(),
        8 => image.rotate270(),
        _ => image,
    }
}

/// The Exif block: segments follow one another until the picture's own data begin.
fn exif(sent: &[u8]) -> Option<&[u8]> {
    let mut rest = sent.get(2..)?;
    loop {
        let &[0xff, marker, high, low, ..] = rest else { return None };
        if marker == 0xda {
            return None;
        }
        let segment = rest.get(4..2 + usize::from(u16::from_be_bytes([high, low])))?;
        match segment.strip_prefix(b"Exif\0\0") {
            Some(exif) if marker == 0xe1 => return Some(exif),
            _ => rest = rest.get(4 + segment.len()..)?,
        }
    }
}

/// A TIFF header, then a directory of entries of twelve bytes.
fn orientation(exif: &[u8]) -> Option<u16> {
    let big = match exif.get(..4)? {
        b"MM\0*" => true,
        b"II*\0" => false,
        _ => return None,
    };
    let short = |at: usize| -> Option<u16> {
        let bytes = exif.get(at..at.checked_add(2)?)?.try_into().ok()?;
        Some(if big { u16::from_be_bytes(bytes) } else { u16::from_le_bytes(bytes) })
    };
    let bytes: [u8; 4] = exif.get(4..8)?.try_into().ok()?;
    let start = if big { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) };
    let start = usize::try_from(start).ok()?;
    let count = usize::from(short(start)?);
    let entries = (0..count).filter_map(|n| start.checked_add(2 + 12 * n));
    let entry = entries.into_iter().find(|at| short(*at) == Some(ORIENTATION))?;
    short(entry.checked_add(8)?)
}

#[cfg(test)]
pub(super) mod tests {
    use image::{GenericImageView as _, Rgb, RgbImage};

    use super::*;

    /// An Exif segment that says this orientation, in either order of bytes.
    pub(in crate::picture) fn segment(orientation: u8, big: bool) -> Vec<u8> {
        let tiff: Vec<u8> = if big {
            [b"MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0".as_slice(), &[orientation, 0, 0]]
                .concat()
        } else {
            [b"II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0".as_slice(), &[orientation, 0, 0, 0]]
                .concat()
        };
        let body = [b"Exif\0\0".as_slice(), &tiff].concat();
        let length = u16::try_from(body.len() + 2).unwrap().to_be_bytes();
        [b"\xff\xe1".as_slice(), &length, &body].concat()
    }

    #[test]
    fn the_orientation_is_found_in_both_orders_of_bytes() {
        for big in [true, false] {
            for turn in 1..=8 {
                let other = b"\xff\xe0\0\x04ab".as_slice();
                let jpeg = [b"\xff\xd8", other, &segment(turn, big), b"\xff\xda\0\x02"].concat();
                assert_eq!(of_jpeg(&jpeg), u16::from(turn), "{big}");
                for end in 0..jpeg.len() {
                    let _ = of_jpeg(&jpeg[..end]);
                }
            }
        }
        assert_eq!(of_jpeg(&[b"\xff\xd8".as_slice(), &segment(9, true)].concat()), 1);
        assert_eq!(of_jpeg(b"\xff\xd8\xff\xda\0\x02"), 1);
        // A directory that lies far behind the end.
        let far = b"\xff\xd8\xff\xe1\0\x10Exif\0\0II*\0\xff\xff\xff\xff".as_slice();
        assert_eq!(of_jpeg(far), 1);
    }

    #[test]
    fn each_orientation_brings_the_corner_back() {
        // The mark is at the top left of the upright picture, three wide and two high.
        for (turn, size, stored_at) in [
            (1, (3, 2), (0, 0)),
            (2, (3, 2), (2, 0)),
            (3, (3, 2), (2, 1)),
            (4, (3, 2), (0, 1)),
            (5, (2, 3), (0, 0)),
            (6, (2, 3), (0, 2)),
            (7, (2, 3), (1, 2)),
            (8, (2, 3), (1, 0)),
        ] {
            let mut stored = RgbImage::new(size.0, size.1);
            stored.put_pixel(stored_at.0, stored_at.1, Rgb([255, 0, 0]));
            let upright = upright(DynamicImage::ImageRgb8(stored), turn);
            assert_eq!(upright.dimensions(), (3, 2), "{turn}");
            assert_eq!(upright.to_rgb8().get_pixel(0, 0), &Rgb([255, 0, 0]), "{turn}");
        }
    }
}
