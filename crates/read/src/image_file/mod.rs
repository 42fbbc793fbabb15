//! Files that are images: PNG, JPEG, GIF, WebP, and TIFF with its pages.

#[cfg(test)]
mod tests;
mod tiff_pages;

use super::file_text::{FileText, Unread};
use super::grey_picture::{GreyPicture, WHITE};
use super::page_picture::{PagePicture, PictureSize};
use image::imageops::{FilterType, resize};
use image::{
    DynamicImage, GrayImage, ImageDecoder, ImageFormat, ImageReader, Limits as ImageLimits, RgbImage,
};
use loopctl_core::document::{DocumentPage, PageSignals, Pages};
use std::io::Cursor;
use tiff_pages::ImagePage;

/// The most pixels of an image, which are counted before it is decoded: an A3 sheet at 600 dots per inch has 70 million.
const MOST_PIXELS: u64 = 80_000_000;
/// The most memory for decoding one, in bytes.
const MOST_MEMORY: u64 = 1 << 30;
/// The most pages of a TIFF file.
const MOST_PAGES: usize = 5_000;
/// The most pixels of an image as it is enlarged for OCR, and the most by which it is.
const MOST_ENLARGED: f64 = 40_000_000.0;
const MOST_ENLARGEMENT: f64 = 4.0;
/// The longer side of the sheet that an image is assumed to show, in inches: few files tell their true size, and
/// pictures by telephones none.
const SHEET_INCHES: f64 = 11.7;

/// The least pixels of a picture within a document that may hold text, and of its shorter side; and the least bytes of one
/// that has no pixels.
const LEAST_PIXELS: u64 = 200_000;
const LEAST_SIDE: u32 = 200;
const LEAST_BYTES: usize = 20_000;

/// A format of images.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ImageKind {
    Png,
    Jpeg,
    Gif,
    WebP,
    Tiff,
}

impl ImageKind {
    /// The format of a file that begins with these bytes.
    pub(super) fn of(bytes: &[u8]) -> Option<Self> {
        match bytes {
            [0x89, b'P', b'N', b'G', ..] => Some(ImageKind::Png),
            [0xFF, 0xD8, 0xFF, ..] => Some(ImageKind::Jpeg),
            [b'G', b'I', b'F', b'8', ..] => Some(ImageKind::Gif),
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some(ImageKind::WebP),
            [b'I', b'I', b'*', 0, ..] | [b'M', b'M', 0, b'*', ..] => Some(ImageKind::Tiff),
            _ => None,
        }
    }

    /// Its media type.
    pub(super) fn media_type(self) -> &'static str {
        self.format().to_mime_type()
    }

    fn format(self) -> ImageFormat {
        match self {
            ImageKind::Png => ImageFormat::Png,
            ImageKind::Jpeg => ImageFormat::Jpeg,
            ImageKind::Gif => ImageFormat::Gif,
            ImageKind::WebP => ImageFormat::WebP,
            ImageKind::Tiff => ImageFormat::Tiff,
        }
    }
}

/// Returns whether a picture within a document is large enough to hold text that a person reads: logos and icons are
/// smaller. Drawings of lines (WMF, EMF) tell no pixels; their bytes do.
pub(super) fn may_hold_text(bytes: &[u8]) -> bool {
    let Some(kind) = ImageKind::of(bytes) else { return bytes.len() >= LEAST_BYTES };
    let size = ImageReader::with_format(Cursor::new(bytes), kind.format()).into_dimensions();
    size.is_ok_and(|(width, height)| is_large(width, height))
}

/// Returns whether a picture of so many pixels is large enough to hold text that a person reads.
pub(super) fn is_large(width: u32, height: u32) -> bool {
    width.min(height) >= LEAST_SIDE && u64::from(width) * u64::from(height) >= LEAST_PIXELS
}

/// The pages of an image file, of which OCR has to read the text. A pixel is a point of its page.
///
/// # Errors
/// When it is damaged or has too many pixels or pages.
pub(super) fn read(kind: ImageKind, bytes: &[u8]) -> Result<FileText, Unread> {
    let pages = directories(kind, bytes)?;
    let mut shown = Vec::with_capacity(pages.len());
    for page in &pages {
        let mut decoder = decoder(kind, ImagePage::of(bytes, *page))?;
        let (width, height) = decoder.dimensions();
        let is_turned = decoder.orientation().is_ok_and(is_quarter_turn);
        let (width, height) = if is_turned { (height, width) } else { (width, height) };
        #[expect(clippy::cast_precision_loss, reason = "sides of an image of bounded size")]
        let (width, height) = (width as f32, height as f32);
        let missing_parts = Some(if is_cut_off(kind, bytes) { 1.0 } else { 0.0 });
        let signals = PageSignals { missing_parts, ..PageSignals::default() };
        shown.push(DocumentPage { width, height, is_picture: true, signals, ..DocumentPage::default() });
    }
    let for_ocr = (1..=pages.len()).collect();
    Ok(FileText { pages: Some(Pages::new(shown)), for_ocr, ..FileText::default() })
}

/// Returns whether a JPEG ends before its picture does: decoders show the rest of it in grey or white. Files of other
/// formats that are cut off are refused.
fn is_cut_off(kind: ImageKind, bytes: &[u8]) -> bool {
    const SCAN: [u8; 2] = [0xFF, 0xDA];
    const END: [u8; 2] = [0xFF, 0xD9];
    let last = |marker: [u8; 2]| bytes.windows(2).rposition(|two| two == marker);
    kind == ImageKind::Jpeg && last(END) < last(SCAN)
}

/// The number of pages of an image file.
///
/// # Errors
/// When it is damaged or has too many pages.
pub(super) fn page_count(kind: ImageKind, bytes: &[u8]) -> Result<usize, Unread> {
    Ok(directories(kind, bytes)?.len())
}

/// A page of an image file as a person sees it on white paper, with at most one pixel for one of its own.
///
/// # Errors
/// When it has no such page, is damaged or has too many pixels.
pub(super) fn picture(
    kind: ImageKind,
    bytes: &[u8],
    page: usize,
    size: PictureSize,
) -> Result<PagePicture, Unread> {
    let image = coloured_on_paper(decoded(kind, bytes, page)?);
    #[expect(clippy::cast_precision_loss, reason = "sides of an image of bounded size")]
    let (width, height) = (image.width() as f32, image.height() as f32);
    let scale = f64::from(size.scale(width, height)).clamp(0.01, 1.0);
    let sides = (scaled(image.width(), scale), scaled(image.height(), scale));
    let shown = if scale < 1.0 { resize(&image, sides.0, sides.1, FilterType::Triangle) } else { image };
    PagePicture::of(shown).ok_or(Unread::DamagedImage)
}

/// An image in colour, white where it is transparent.
fn coloured_on_paper(image: DynamicImage) -> RgbImage {
    if !image.color().has_alpha() {
        return image.into_rgb8();
    }
    let image = image.into_rgba8();
    RgbImage::from_fn(image.width(), image.height(), |x, y| {
        let [red, green, blue, alpha] = image.get_pixel(x, y).0;
        image::Rgb([red, green, blue].map(|shade| on_white(shade, alpha)))
    })
}

/// A page of an image file in grey, at about so many dots per inch, and the points of its page for each pixel.
///
/// # Errors
/// When it has no such page, is damaged or has too many pixels.
pub(super) fn grey(
    kind: ImageKind,
    bytes: &[u8],
    page: usize,
    dpi: f64,
) -> Result<(GreyPicture, f64), Unread> {
    let image = on_paper(&decoded(kind, bytes, page)?);
    let (width, height) = (f64::from(image.width()), f64::from(image.height()));
    let wanted = dpi * SHEET_INCHES / width.max(height);
    let scale = wanted.min(MOST_ENLARGEMENT).min((MOST_ENLARGED / (width * height)).sqrt());
    let sized = if (scale - 1.0).abs() < 0.05 {
        image
    } else {
        resize(&image, scaled(image.width(), scale), scaled(image.height(), scale), FilterType::CatmullRom)
    };
    let points = width / f64::from(sized.width().max(1));
    let size = (sized.width() as usize, sized.height() as usize);
    let grey = GreyPicture::new(size.0, size.1, sized.into_raw()).ok_or(Unread::DamagedImage)?;
    Ok((grey, points))
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a part of the side of an image")]
fn scaled(side: u32, scale: f64) -> u32 {
    (f64::from(side) * scale).round().max(1.0) as u32
}

/// The directories of the pages of a file; none for the only page of a file without directories.
fn directories(kind: ImageKind, bytes: &[u8]) -> Result<Vec<Option<u32>>, Unread> {
    match kind {
        ImageKind::Tiff => Ok(tiff_pages::pages(bytes, MOST_PAGES)?.into_iter().map(Some).collect()),
        ImageKind::Png | ImageKind::Jpeg | ImageKind::Gif | ImageKind::WebP => Ok(vec![None]),
    }
}

/// A decoder of a file, whose size is within bounds.
fn decoder(kind: ImageKind, page: ImagePage<'_>) -> Result<impl ImageDecoder, Unread> {
    let mut reader = ImageReader::with_format(page, kind.format());
    let mut limits = ImageLimits::no_limits();
    limits.max_alloc = Some(MOST_MEMORY);
    reader.limits(limits);
    let decoder = reader.into_decoder().map_err(|_| Unread::DamagedImage)?;
    let (width, height) = decoder.dimensions();
    if u64::from(width) * u64::from(height) > MOST_PIXELS {
        return Err(Unread::ImageTooLarge { width, height });
    }
    Ok(decoder)
}

fn decoded(kind: ImageKind, bytes: &[u8], page: usize) -> Result<DynamicImage, Unread> {
    let pages = directories(kind, bytes)?;
    let directory = page.checked_sub(1).and_then(|at| pages.get(at)).ok_or(Unread::NoPage { page })?;
    let mut decoder = decoder(kind, ImagePage::of(bytes, *directory))?;
    let orientation = decoder.orientation();
    let mut image = DynamicImage::from_decoder(decoder).map_err(|_| Unread::DamagedImage)?;
    if let Ok(orientation) = orientation {
        image.apply_orientation(orientation);
    }
    Ok(image)
}

/// An image in grey, white where it is transparent.
fn on_paper(image: &DynamicImage) -> GrayImage {
    if !image.color().has_alpha() {
        return image.to_luma8();
    }
    let image = image.to_luma_alpha8();
    GrayImage::from_fn(image.width(), image.height(), |x, y| {
        let [grey, alpha] = image.get_pixel(x, y).0;
        image::Luma([on_white(grey, alpha)])
    })
}

/// A shade of a pixel that is more or less transparent, on white.
fn on_white(shade: u8, alpha: u8) -> u8 {
    let (shade, alpha, white) = (u32::from(shade), u32::from(alpha), u32::from(WHITE));
    u8::try_from((shade * alpha + white * (white - alpha)) / white).unwrap_or(WHITE)
}

fn is_quarter_turn(orientation: image::metadata::Orientation) -> bool {
    use image::metadata::Orientation::{Rotate90, Rotate90FlipH, Rotate270, Rotate270FlipH};
    matches!(orientation, Rotate90 | Rotate270 | Rotate90FlipH | Rotate270FlipH)
}
