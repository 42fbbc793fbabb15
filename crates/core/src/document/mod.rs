//! Documents in memory: their text or why they have none, images and PDFs as such, and their types.

mod classify;
mod gate;
mod media;
mod page_signals;
mod page_origin;
mod pages;
mod sections;
mod structure;
mod text;
mod weighted_pattern;

pub use crate::value::{PageBox, PagePassage};
pub use classify::{Classification, Classifier, Matched, UNKNOWN};
pub use gate::GateFinding;
pub use media::{MEDIA_ENDINGS, MOST_ATTACHED_BYTES, Media, pdf_header};
pub use page_origin::{DoubtfulWord, OtherReading, PageOcr, PageOrigin, ReadingDoubt};
pub use page_signals::{PageSignal, PageSignals};
pub use pages::{DocumentPage, PageWord, Pages};
pub use sections::{CutReason, Section};
pub use structure::{MarkedPart, PartRole, Structure};
pub use text::{Encoding, SourceText, Unreadable};

use crate::value::prose::list;
use crate::value::{DocumentId, digest_bytes, os_text};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A document in memory.
#[derive(Debug, Clone)]
pub struct Document {
    /// Its name, unique among the inputs.
    pub id: DocumentId,
    /// Its file; `None` for standard input and for the text of a record.
    pub path: Option<PathBuf>,
    /// SHA-256 of its bytes, in hexadecimal.
    pub digest: String,
    /// Its text, or the reason why it has none: then it ends as `failed / unreadable_input`.
    pub text: Result<SourceText, Unreadable>,
    /// Its pages, if its reader saw any.
    pub pages: Option<Arc<Pages>>,
    /// Its structure, as far as its file marks it.
    pub structure: Arc<Structure>,
    /// The names of files that it holds, which are not read.
    pub attachments: Vec<String>,
    /// The document itself, if it is an image or PDF.
    pub media: Option<Media>,
    /// The bytes of its file, if pages of that can be drawn. That of a section holds the pages of others, too.
    pub file: Option<Arc<Vec<u8>>>,
    /// Its type, if it is known beforehand.
    pub document_type: Option<String>,
    /// Variables of prompts that are its own.
    pub variables: BTreeMap<String, String>,
}

impl Document {
    /// The name of its file, without folders; `None` if it is in no file.
    #[must_use]
    pub fn file_name(&self) -> Option<String> {
        let name = self.path.as_deref().and_then(Path::file_name)?;
        Some(os_text(name).into_owned())
    }

    /// The numbers of its pages that can be drawn: in its file, from 1. A document without such pages has none.
    #[must_use]
    pub fn drawable_pages(&self) -> Vec<usize> {
        let pages = self.pages.as_ref().filter(|_| self.file.is_some());
        pages.map_or_else(Vec::new, |pages| pages.numbers())
    }

    /// Clauses about what it shows and what was not read, or not well enough: pages, pictures, files of an e-mail; `None` if
    /// there is none.
    #[must_use]
    pub fn doubts(&self) -> Option<String> {
        let pages = self.pages.as_ref().and_then(|pages| pages.doubts());
        // A PDF has files beside its own text; those of an e-mail are often what it is about.
        let files = self.unread_attachments().filter(|_| self.media.is_none());
        let clauses: Vec<String> =
            pages.into_iter().chain(self.structure.unread_pictures()).chain(files).collect();
        (!clauses.is_empty()).then(|| clauses.join("; "))
    }

    /// A clause that names the files that it holds and that are not read; `None` if there is none.
    #[must_use]
    pub fn unread_attachments(&self) -> Option<String> {
        let names: Vec<String> = self.attachments.iter().map(|name| format!("`{name}`")).collect();
        match names.as_slice() {
            [] => None,
            [one] => Some(format!("the file that it holds is not read: {one}")),
            several => Some(format!("the files that it holds are not read: {}", list(several, "and"))),
        }
    }

    /// A document that is given as text, under a name that is unique among those of a run. One without any text is not
    /// an error here: see [`Document::text`].
    #[must_use]
    pub fn from_text(id: impl Into<String>, text: impl Into<String>) -> Self {
        Self::from_bytes(DocumentId::new(id), text.into().into_bytes())
    }

    /// A document of these bytes, which are decoded as text as far as they are text. It has no file, type or variables.
    #[must_use]
    pub fn from_bytes(id: DocumentId, bytes: Vec<u8>) -> Self {
        Document {
            id,
            path: None,
            digest: digest_bytes(&bytes),
            text: SourceText::from_bytes(bytes),
            pages: None,
            structure: Arc::default(),
            attachments: Vec::new(),
            media: None,
            file: None,
            document_type: None,
            variables: BTreeMap::new(),
        }
    }
}
