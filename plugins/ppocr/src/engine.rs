//! Reads a page, or a line: finds lines, reads them, and brings them into the order of reading.

use std::path::Path;
use std::sync::Arc;

use rten::ThreadPool;

use crate::crop::LineCrop;
use crate::detection::lines_of;
use crate::error::PpocrError;
use crate::geometry::TextRegion;
use crate::ink::LineInk;
use crate::models::{LoadedModel, characters};
use crate::picture::RgbPicture;
use crate::reading_order::{PageBlock, in_reading_order};
use crate::recognition::LineReader;
use crate::rounding::measure;

/// Lines below this confidence are not of text: they are left out.
const NO_TEXT: f64 = 0.5;

/// The share of the height of its ink that is free above a line, and below.
const MARGIN: f64 = 0.2;

/// The models, loaded.
pub struct PpocrEngine {
    detector: LoadedModel,
    recognizer: LoadedModel,
    characters: Vec<String>,
    /// One thread each, for lines.
    pools: Vec<Arc<ThreadPool>>,
    /// All threads, for pages.
    whole: Arc<ThreadPool>,
}

impl std::fmt::Debug for PpocrEngine {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("PpocrEngine").field("threads", &self.pools.len()).finish_non_exhaustive()
    }
}

impl PpocrEngine {
    /// Loads the models of a folder, to run on so many threads.
    ///
    /// # Errors
    /// When a file is not there, or is something else.
    pub fn load(folder: &Path, threads: usize) -> Result<Self, PpocrError> {
        let one = || Arc::new(ThreadPool::with_num_threads(1));
        let pools: Vec<_> = (0..threads.max(1)).map(|_| one()).collect();
        let whole = match pools.as_slice() {
            [pool] => Arc::clone(pool),
            pools => Arc::new(ThreadPool::with_num_threads(pools.len())),
        };
        Ok(PpocrEngine {
            detector: LoadedModel::detector(folder)?,
            recognizer: LoadedModel::recognizer(folder)?,
            characters: characters(folder)?,
            pools,
            whole,
        })
    }

    /// Reads a page.
    ///
    /// # Errors
    /// When a model fails.
    pub fn read_page(&self, picture: &RgbPicture) -> Result<Vec<PageBlock>, PpocrError> {
        let regions = lines_of(&self.detector, picture, &self.whole)?;
        let mut lines = self.reader(picture).read_all(regions, &self.pools)?;
        lines.retain(|line| line.confidence >= NO_TEXT);
        Ok(in_reading_order(lines))
    }

    /// Reads a picture that is one line of text.
    ///
    /// # Errors
    /// When the model fails.
    pub fn read_line(&self, picture: &RgbPicture) -> Result<Vec<PageBlock>, PpocrError> {
        let whole = TextRegion::upright(0.0, 0.0, measure(picture.width()), measure(picture.height()));
        let line = self.reader(picture).read_one(inked(picture, whole), &self.whole)?;
        Ok(in_reading_order(line.into_iter().filter(|line| !line.words.is_empty()).collect()))
    }

    fn reader<'a>(&'a self, picture: &'a RgbPicture) -> LineReader<'a> {
        LineReader { model: &self.recognizer, characters: &self.characters, picture }
    }
}

/// The rows around the ink of a line, shared out as the model was taught: it takes lines that fill most of their height.
fn inked(picture: &RgbPicture, whole: TextRegion) -> TextRegion {
    let rows = LineCrop::of(picture, whole).and_then(|crop| {
        let (first, end) = LineInk::of(&crop).rows()?;
        let margin = MARGIN * (end - first);
        Some(crop.part((0.0, measure(crop.width())), (first - margin, end + margin)))
    });
    rows.unwrap_or(whole)
}
