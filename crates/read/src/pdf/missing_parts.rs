//! Parts of a page that its file names and lacks, or that can't be decoded: signs of a file that is cut off or damaged.

use hayro_interpret::hayro_syntax::object::{Array, Dict, Stream};
use hayro_interpret::hayro_syntax::page::Page as PdfPage;
use hayro_interpret::{InterpreterSettings, InterpreterWarning};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The most entries of a page's resources that are looked at.
const MOST_ENTRIES: usize = 1_000;

/// Counts the parts of a page's content, its forms, pictures and fonts that the file lacks.
pub(super) fn missing_parts(page: &PdfPage<'_>) -> usize {
    let (raw, resources) = (page.raw(), page.resources());
    let has_none = raw.contains_key(b"Resources") && raw.get::<Dict<'_>>(b"Resources").is_none();
    let forms_and_pictures =
        lacking(&resources.x_objects, |name| resources.x_objects.get::<Stream<'_>>(name).is_some());
    let fonts = lacking(&resources.fonts, |name| resources.fonts.get::<Dict<'_>>(name).is_some());
    missing_content(page) + usize::from(has_none) + forms_and_pictures + fonts
}

/// Counts the streams of the content that are not there, or of which none can be decoded.
fn missing_content(page: &PdfPage<'_>) -> usize {
    let raw = page.raw();
    if let Some(streams) = raw.get::<Array<'_>>(b"Contents") {
        let all = streams.raw_iter().take(MOST_ENTRIES).count();
        let mut each = streams.flex_iter();
        return (0..all).filter(|_| each.next::<Stream<'_>>().is_none()).count();
    }
    usize::from(raw.contains_key(b"Contents") && page.page_stream().is_none())
}

/// Counts the entries of which there is no object.
fn lacking(entries: &Dict<'_>, is_there: impl Fn(&[u8]) -> bool) -> usize {
    entries.keys().take(MOST_ENTRIES).filter(|name| !is_there(name.as_ref())).count()
}

/// A count of the pictures that could not be decoded while a page was drawn.
#[derive(Debug, Clone, Default)]
pub(super) struct BrokenPictures(Arc<AtomicUsize>);

impl BrokenPictures {
    /// Settings of an interpreter that counts here.
    pub(super) fn counted(&self) -> InterpreterSettings {
        let count = Arc::clone(&self.0);
        InterpreterSettings {
            warning_sink: Arc::new(move |warning| {
                if matches!(warning, InterpreterWarning::ImageDecodeFailure) {
                    count.fetch_add(1, Ordering::Relaxed);
                }
            }),
            ..InterpreterSettings::default()
        }
    }

    /// The count.
    pub(super) fn count(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}
