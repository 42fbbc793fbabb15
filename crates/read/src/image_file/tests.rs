//! Images whole, damaged and too large.

use super::*;
use crate::{DocumentReader, OcrSettings};
use loopctl_core::value::DocumentId;

/// A TIFF file with a page of 8 by 4 grey pixels for each shade, which lead from one to the next and at last to `end`.
fn tiff(shades: &[u8], end: u32) -> Vec<u8> {
    let mut file = vec![b'I', b'I', b'*', 0, 8, 0, 0, 0];
    for (at, shade) in shades.iter().enumerate() {
        let entries: [(u16, u16, u32); 8] = [
            (256, 3, 8),
            (257, 3, 4),
            (258, 3, 8),
            (259, 3, 1),
            (262, 3, 1),
            (273, 4, u32::try_from(file.len()).unwrap() + 2 + 8 * 12 + 4),
            (278, 3, 4),
            (279, 4, 32),
        ];
        file.extend(u16::try_from(entries.len()).unwrap().to_le_bytes());
        for (tag, kind, value) in entries {
            file.extend(tag.to_le_bytes());
            file.extend(kind.to_le_bytes());
            file.extend(1_u32.to_le_bytes());
            file.extend(value.to_le_bytes());
        }
        let next = u32::try_from(file.len()).unwrap() + 4 + 32;
        file.extend(if at + 1 == shades.len() { end } else { next }.to_le_bytes());
        file.extend([*shade; 32]);
    }
    file
}

fn pages(bytes: Vec<u8>) -> Result<usize, Unread> {
    read(ImageKind::of(&bytes).unwrap(), &bytes).map(|read| read.pages.unwrap().len())
}

#[test]
fn each_page_of_a_tiff_file_is_one() {
    let file = tiff(&[10, 200, 90], 0);
    assert_eq!(pages(file.clone()), Ok(3));
    let shade = |page| grey(ImageKind::Tiff, &file, page, 300.0).map(|(grey, _)| grey.at(3, 3));
    assert_eq!([shade(1), shade(2), shade(3)], [Ok(10), Ok(200), Ok(90)]);
    assert_eq!(shade(4), Err(Unread::NoPage { page: 4 }));
    assert_eq!(shade(0), Err(Unread::NoPage { page: 0 }));
}

#[test]
fn a_chain_of_pages_without_end_is_refused() {
    assert_eq!(pages(tiff(&[10, 200], 8)), Err(Unread::TooLong));
    assert_eq!(pages(tiff(&[], 0)), Err(Unread::DamagedImage));
}

#[test]
fn a_jpeg_that_is_cut_off_says_so() {
    let image = GrayImage::from_fn(64, 64, |x, y| image::Luma([u8::try_from((x * y) % 251).unwrap()]));
    let mut file = Cursor::new(Vec::new());
    image.write_to(&mut file, ImageFormat::Jpeg).unwrap();
    let file = file.into_inner();
    let missing = |bytes: &[u8]| {
        let read = read(ImageKind::Jpeg, bytes).unwrap();
        read.pages.unwrap().iter().next().unwrap().signals.missing_parts
    };
    assert_eq!(missing(&file), Some(0.0));
    assert_eq!(missing(&[file.as_slice(), b"\0\0 more"].concat()), Some(0.0));
    assert_eq!(missing(&file[..file.len() - 40]), Some(1.0));
}

/// The beginning of a PNG file of this size.
fn png_header(width: u32, height: u32) -> Vec<u8> {
    let image = GrayImage::from_pixel(1, 1, image::Luma([255]));
    let mut file = Cursor::new(Vec::new());
    image.write_to(&mut file, ImageFormat::Png).unwrap();
    let mut file = file.into_inner();
    file[16..20].copy_from_slice(&width.to_be_bytes());
    file[20..24].copy_from_slice(&height.to_be_bytes());
    let checksum = crc32(&file[12..29]).to_be_bytes();
    file[29..33].copy_from_slice(&checksum);
    file
}

fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0_u32, |crc, byte| {
        (0..8).fold(
            crc ^ u32::from(*byte),
            |crc, _| if crc & 1 == 1 { crc >> 1 ^ 0xEDB8_8320 } else { crc >> 1 },
        )
    })
}

#[test]
fn an_image_of_too_many_pixels_is_refused_before_it_is_decoded() {
    let too_large = Unread::ImageTooLarge { width: 50_000, height: 50_000 };
    assert_eq!(pages(png_header(50_000, 50_000)), Err(too_large));
    let reader = DocumentReader::in_process().with_ocr(OcrSettings::default());
    let why = reader.document(DocumentId::new("large"), png_header(50_000, 50_000)).text.unwrap_err();
    assert_eq!(why.to_string(), "the document is an image of 50000 × 50000 pixels, more than one may have");
}

#[test]
fn an_image_without_ocr_is_what_it_was() {
    let why =
        DocumentReader::in_process().document(DocumentId::new("image"), png_header(1, 1)).text.unwrap_err();
    assert_eq!(why.to_string(), "the document is a PNG image, not plain text");
}

#[test]
fn transparent_pixels_are_paper() {
    let image = image::RgbaImage::from_fn(8, 8, |x, _| image::Rgba([0, 0, 0, if x < 4 { 255 } else { 0 }]));
    let mut file = Cursor::new(Vec::new());
    image.write_to(&mut file, ImageFormat::Png).unwrap();
    let (grey, _) = grey(ImageKind::Png, &file.into_inner(), 1, 300.0).unwrap();
    assert_eq!((grey.at(1, 1), grey.at(grey.width() - 2, 1)), (0, 255));
}

#[test]
fn a_picture_of_an_image_is_that_image_at_most_as_large() {
    let file = tiff(&[10], 0);
    let side = |size| {
        let picture = picture(ImageKind::Tiff, &file, 1, size).unwrap();
        u32::from_be_bytes(picture.png()[16..20].try_into().unwrap())
    };
    assert_eq!([0.5, 1.0, 4.0].map(PictureSize::Scale).map(side), [4, 8, 8]);
    assert_eq!([6, 8, 1600].map(PictureSize::LongestSide).map(side), [6, 8, 8]);
}

proptest::proptest! {
    #[test]
    fn damaged_images_are_refused_or_read(at in 0_usize..300, byte in 0_u8..=255, cut in 0_usize..300) {
        for mut bytes in [tiff(&[10, 200], 0), png_header(3, 2)] {
            let length = bytes.len();
            if let Some(place) = bytes.get_mut(at % length) {
                *place = byte;
            }
            bytes.truncate(length.saturating_sub(cut / 4));
            if let Some(kind) = ImageKind::of(&bytes)
                && let Ok(read) = read(kind, &bytes)
            {
                let pages = read.pages.unwrap().len();
                proptest::prop_assert!(pages > 0);
                let drawn = grey(kind, &bytes, pages.min(3), 300.0);
                proptest::prop_assert!(drawn.is_err() || drawn.is_ok_and(|(grey, points)| grey.width() > 0 && points > 0.0));
            }
        }
    }
}
