//! PNG files: read within bounds, or refused.

use loopctl_ppocr::{PpocrError, RgbPicture};
use proptest::prelude::*;
use std::io::Cursor;

/// A PNG file with these samples.
pub(crate) fn png(width: u32, height: u32, color: png::ColorType, samples: &[u8]) -> Vec<u8> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, width, height);
    encoder.set_color(color);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header().unwrap();
    writer.write_image_data(samples).unwrap();
    writer.finish().unwrap();
    file
}

fn read(file: Vec<u8>) -> Result<RgbPicture, PpocrError> {
    RgbPicture::from_png(Cursor::new(file))
}

#[test]
fn every_kind_of_color_is_read() {
    let expected = RgbPicture::new(2, 1, vec![[0; 3], [255; 3]]).unwrap();
    for (color, samples) in [
        (png::ColorType::Grayscale, &[0, 255][..]),
        (png::ColorType::GrayscaleAlpha, &[0, 255, 9, 0]),
        (png::ColorType::Rgb, &[0, 0, 0, 255, 255, 255]),
        (png::ColorType::Rgba, &[0, 0, 0, 255, 7, 8, 9, 0]),
    ] {
        assert_eq!(read(png(2, 1, color, samples)).unwrap(), expected, "{color:?}");
    }
}

/// The header says the size; nothing else of the file is needed to refuse it.
#[test]
fn huge_pictures_are_refused_before_they_are_decoded() {
    for (width, height) in [(50_000_u32, 50_000_u32), (60_000, 10), (9_000, 9_000)] {
        let mut file = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
        file.extend(width.to_be_bytes());
        file.extend(height.to_be_bytes());
        file.extend([8, 0, 0, 0, 0]);
        let mut crc = u32::MAX;
        for byte in &file[12..] {
            crc ^= u32::from(*byte);
            for _ in 0..8 {
                crc = if crc & 1 == 1 { 0xEDB8_8320 ^ (crc >> 1) } else { crc >> 1 };
            }
        }
        file.extend((!crc).to_be_bytes());
        let error = read(file).unwrap_err();
        assert!(matches!(error, PpocrError::TooLarge { .. }), "{error}");
        assert!(error.to_string().contains(&format!("{width} × {height} pixels")), "{error}");
    }
}

#[test]
fn a_picture_keeps_its_mean_in_another_size() {
    let pixels: Vec<[u8; 3]> = (0..64 * 48).map(|at| [if (at / 3) % 2 == 0 { 0 } else { 240 }; 3]).collect();
    let picture = RgbPicture::new(64, 48, pixels).unwrap();
    for (width, height) in [(64, 48), (16, 12), (200, 150), (1, 1)] {
        let resized = picture.resized(width, height);
        assert_eq!((resized.width(), resized.height()), (width, height));
    }
    assert_eq!(picture.resized(1, 1), RgbPicture::new(1, 1, vec![[120; 3]]).unwrap());
    assert_eq!(RgbPicture::new(2, 2, vec![[0; 3]; 3]), None);
    assert_eq!(RgbPicture::new(0, 0, Vec::new()), None);
}

proptest! {
    /// Damaged files are refused or read, and never more.
    #[test]
    fn damaged_files_are_refused_or_read(at in 0..200_usize, value: u8, length in 0..200_usize) {
        let samples: Vec<u8> = (0..=255).collect();
        let mut file = png(16, 16, png::ColorType::Grayscale, &samples);
        if let Some(byte) = file.get_mut(at) {
            *byte = value;
        }
        let _ = read(file.clone());
        file.truncate(length);
        // Without the data of its pixels nothing can be read.
        prop_assert!(read(file).is_err() || length > 33);
    }
}
