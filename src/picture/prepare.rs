//! From what was sent to what is served.

use std::io::Cursor;

use image::codecs::jpeg::{JpegDecoder, JpegEncoder};
use image::codecs::png::{CompressionType, FilterType as Filter, PngDecoder, PngEncoder};
use image::codecs::webp::WebPDecoder;
use image::imageops::FilterType;
use image::io::Limits;
use image::{ColorType, DynamicImage, ImageDecoder, ImageEncoder as _, ImageError};

use super::header::{Format, SIDE_MAX, look};
use super::{Kind, PictureFile, Refusal, orientation};

/// The longer side of the picture on the product's page, pixels.
const LARGE: u16 = 1600;
/// The longer side of the one in lists.
const SMALL: u16 = 640;
const JPEG_QUALITY: u8 = 85;
/// The most that the pixels of one picture may take while it is decoded.
const PIXEL_BYTES_MAX: u64 = 192 * 1024 * 1024;
/// The most that may come out of the compressed metadata of one picture, which nobody looks at.
const METADATA_BYTES_MAX: u64 = 16 * 1024 * 1024;

/// A picture that was drawn anew: it holds pixels and nothing else.
#[derive(Debug, Clone)]
pub struct Prepared {
    /// The large one's name.
    pub file: PictureFile,
    /// The large one.
    pub large: Vec<u8>,
    /// The small one.
    pub small: Vec<u8>,
}

/// Reads, checks and redraws a picture. Takes time and memory: not for a thread that serves requests.
///
/// # Errors
/// [`Refusal`], told by the header alone wherever it can be.
pub fn prepare(sent: &[u8]) -> Result<Prepared, Refusal> {
    let format = look(sent)?;
    let decoded = shrunk(decode(sent, format)?, LARGE);
    let turn = if format == Format::Jpeg { orientation::of_jpeg(sent) } else { 1 };
    let large = orientation::upright(decoded, turn);
    let small = shrunk(large.clone(), SMALL);
    let kind = if is_opaque(&large) { Kind::Jpeg } else { Kind::Png };
    let (large, small) = (encode(&large, kind)?, encode(&small, kind)?);
    Ok(Prepared { file: PictureFile::of(&large, kind), large, small })
}

impl From<ImageError> for Refusal {
    fn from(error: ImageError) -> Self {
        match error {
            ImageError::Limits(_) => Self::TooHeavy,
            _ => Self::Damaged,
        }
    }
}

fn decode(sent: &[u8], format: Format) -> Result<DynamicImage, Refusal> {
    let sent = Cursor::new(sent);
    match format {
        Format::Png => pixels(PngDecoder::with_limits(sent, limits())?),
        Format::Jpeg => {
            let mut decoder = JpegDecoder::new(sent)?;
            // A large one is made smaller while it is decoded, at a fraction of the memory.
            decoder.scale(LARGE, LARGE)?;
            pixels(decoder)
        }
        Format::WebP => pixels(WebPDecoder::new(sent)?),
    }
}

fn limits() -> Limits {
    let mut limits = Limits::default();
    limits.max_image_width = Some(SIDE_MAX);
    limits.max_image_height = Some(SIDE_MAX);
    // Of what the decoder itself holds; the pixels are in our hands.
    limits.max_alloc = Some(METADATA_BYTES_MAX);
    limits
}

fn pixels<'a>(decoder: impl ImageDecoder<'a>) -> Result<DynamicImage, Refusal> {
    if decoder.total_bytes() > PIXEL_BYTES_MAX {
        return Err(Refusal::TooHeavy);
    }
    Ok(DynamicImage::from_decoder(decoder)?)
}

/// The picture with its longer side within the bound; a smaller one stays as it is. In two steps: the
/// good filter works on numbers four times as large, so it only gets what a coarse one has left.
fn shrunk(image: DynamicImage, side: u16) -> DynamicImage {
    let side = u32::from(side);
    let longer = |image: &DynamicImage| image.width().max(image.height());
    if longer(&image) <= side {
        return image;
    }
    let near = if longer(&image) > 2 * side { image.thumbnail(2 * side, 2 * side) } else { image };
    near.resize(side, side, FilterType::CatmullRom)
}

fn is_opaque(image: &DynamicImage) -> bool {
    !image.color().has_alpha() || image.to_rgba8().pixels().all(|pixel| pixel.0[3] == u8::MAX)
}

fn encode(image: &DynamicImage, kind: Kind) -> Result<Vec<u8>, Refusal> {
    let mut encoded = Vec::new();
    match kind {
        Kind::Jpeg => JpegEncoder::new_with_quality(&mut encoded, JPEG_QUALITY)
            .encode_image(&image.to_rgb8())?,
        Kind::Png => {
            let (width, height, pixels) = (image.width(), image.height(), image.to_rgba8());
            PngEncoder::new_with_quality(&mut encoded, CompressionType::Best, Filter::Adaptive)
                .write_image(&pixels, width, height, ColorType::Rgba8)?;
        }
    }
    Ok(encoded)
}
