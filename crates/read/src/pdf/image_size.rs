//! Sizes of images before they are decoded: what a file declares, and what the image itself begins with.

use super::super::file_text::Unread;
use super::bounded::give_up;
use super::inflation::inflated_size;
use hayro_interpret::hayro_syntax::Filter;
use hayro_interpret::hayro_syntax::object::Stream;

/// The most pixels of an image: two sheets of A3 at 600 dots per inch.
const MOST_PIXELS: u64 = 160_000_000;
/// The most bytes to which an image inflates.
const MOST_INFLATED: u64 = 640 << 20;

/// The number of pixels of an image and its masks. The reading is given up if they are too many.
pub(super) fn pixels(image: &Stream<'_>) -> u64 {
    let dict = image.dict();
    let masks = [b"SMask".as_slice(), b"Mask"].into_iter().filter_map(|key| dict.get::<Stream<'_>>(key));
    masks.map(|mask| own_pixels(&mask)).fold(own_pixels(image), u64::saturating_add)
}

fn own_pixels(image: &Stream<'_>) -> u64 {
    let dict = image.dict();
    let side = |names: [&[u8]; 2]| names.into_iter().find_map(|name| dict.get::<u32>(name)).unwrap_or(0);
    let declared = (side([b"W", b"Width"]), side([b"H", b"Height"]));
    let own = match image.filters().as_slice() {
        [Filter::DctDecode] => jpeg_sides(&image.raw_data()),
        [Filter::JpxDecode] => jpeg_2000_sides(&image.raw_data()),
        [Filter::Jbig2Decode] => jbig2_sides(&image.raw_data()),
        _ => None,
    };
    let area = |(width, height): (u32, u32)| u64::from(width).saturating_mul(u64::from(height));
    let pixels = area(declared).max(own.map_or(0, area));
    if pixels > MOST_PIXELS || inflated_size(image, MOST_INFLATED).is_none() {
        give_up(Unread::TooMuchWork);
    }
    pixels
}

/// The sides in the frame of a JPEG image.
fn jpeg_sides(data: &[u8]) -> Option<(u32, u32)> {
    let mut rest = data.get(2..)?;
    loop {
        let at = rest.iter().position(|byte| *byte == 0xff)?;
        rest = rest.get(at + 1..)?;
        match *rest.first()? {
            // Fill bytes and markers without a length.
            0xff | 0x00 | 0x01 | 0xd0..=0xd9 => continue,
            // Frames, but not the tables among them.
            0xc0..=0xc3 | 0xc5..=0xc7 | 0xc9..=0xcb | 0xcd..=0xcf => {
                return Some((number(rest, 6, 2)?, number(rest, 4, 2)?));
            }
            _ => rest = rest.get(1 + usize::try_from(number(rest, 1, 2)?).ok()?..)?,
        }
    }
}

/// The sides in the first marker of a JPEG 2000 code stream.
fn jpeg_2000_sides(data: &[u8]) -> Option<(u32, u32)> {
    let at = data.windows(4).position(|marker| marker == [0xff, 0x4f, 0xff, 0x51])?;
    let size = data.get(at..)?;
    Some((number(size, 8, 4)?, number(size, 12, 4)?))
}

/// The sides in the page information, as the first segment of JBIG2 data tells them; a height may be unknown.
fn jbig2_sides(data: &[u8]) -> Option<(u32, u32)> {
    const PAGE_INFORMATION: u8 = 48;
    let is_page = data.get(4)? & 0x3f == PAGE_INFORMATION;
    let (width, height) = (number(data, 11, 4)?, number(data, 15, 4)?);
    is_page.then_some((width, if height == u32::MAX { 1 } else { height }))
}

/// A number of so many bytes.
fn number(data: &[u8], at: usize, bytes: usize) -> Option<u32> {
    let own = data.get(at..at.checked_add(bytes)?)?;
    Some(own.iter().fold(0, |number, byte| number << 8 | u32::from(*byte)))
}
