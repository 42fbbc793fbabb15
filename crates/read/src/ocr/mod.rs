//! Reading by OCR: pages that are only a picture, and files that are images.
//!
//! [`preparation`] makes the picture that an engine reads, evenly lit ([`even_light`]), upright and
//! level, in the process that reads files;
//! [`engine`] runs an engine on it; [`tesseract_table`] reads what it answers; [`placement`] places the words for the
//! layout of pages; [`proofreading`] holds a second reading against the first one,
//! and [`word_ink`] the ink of its characters ([`character_ink`]); [`layer`] keeps what a page's file says itself; [`scan`] does
//! all of it for a document.

mod character_ink;
mod engine;
mod engine_slots;
mod even_light;
mod layer;
mod line_sheet;
mod placement;
mod preparation;
mod proofreading;
mod scan;
mod settings;
mod skew;
mod tesseract_table;
#[cfg(test)]
mod tests;
mod word_ink;

pub(super) use even_light::even_light;
pub(super) use line_sheet::{LineSheet, SheetTask, lines_of};
pub(super) use preparation::{PictureFrame, PreparedPicture, Turn, prepared};
pub(super) use scan::{PagePictures, read_scans};
pub use settings::OcrSettings;

use super::grey_picture::GreyPicture;
