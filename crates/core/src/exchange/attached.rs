//! The file of a document and pictures of its pages, as calls get them.

use super::protocol::Attachment;
use crate::document::{Document, MOST_ATTACHED_BYTES};
use crate::plan::Plan;
use crate::profile::{Attach, AttachedPages, Call};
use crate::value::os_text;
use base64::Engine;
use base64::prelude::BASE64_STANDARD as BASE64;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The media type of pictures of pages.
const PNG: &str = "image/png";

/// A picture of a page that a call gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct PageRequest {
    /// The number of the page in its file, from 1.
    pub page: usize,
    /// The longest side of its picture, in pixels.
    pub pixels: u64,
}

/// The file of a document, and pictures of its pages, as far as calls get them.
#[derive(Debug, Clone)]
pub struct Attached {
    /// The name of its file, or its own.
    name: String,
    /// The file itself.
    file: Option<Attachment>,
    /// The numbers of the pages that can be drawn.
    pages: Vec<usize>,
    /// The pictures that the host has drawn so far.
    pictures: BTreeMap<PageRequest, Attachment>,
    /// The text by which prompts say that it is attached, where the document's own is not shown.
    instead_of_text: Option<String>,
}

impl Attached {
    /// The attachments of a document, before its pages are drawn; `None` where the profile attaches nothing of it.
    #[must_use]
    pub fn of(plan: &Plan, document: &Document) -> Option<Self> {
        let attaches_file =
            |call: &Call| matches!(call.attach.as_ref().map(|attach| &attach.value), Some(Attach::Document));
        let media =
            document.media.as_ref().filter(|_| plan.asked_calls().any(|(_, call)| attaches_file(call)));
        let pages = document.drawable_pages();
        if media.is_none() && !plan.asked_calls().any(|(_, call)| !requested(call, &pages).is_empty()) {
            return None;
        }
        let name = document.path.as_deref().and_then(Path::file_name);
        let name = name.map_or_else(|| document.id.to_string(), |name| os_text(name).into_owned());
        let instead_of_text = if plan.shows_file_of(document) {
            Some(format!("[the document is the attached file {name}]"))
        } else if document.text.is_err() && plan.shows_pages_of(document) {
            Some("[the document is shown by the attached pictures of its pages]".to_owned())
        } else {
            None
        };
        let file = media.map(|media| Attachment {
            name: name.clone(),
            media_type: media.media_type().to_owned(),
            data: BASE64.encode(media.bytes()),
        });
        Some(Attached { name, file, pages, pictures: BTreeMap::new(), instead_of_text })
    }

    /// The text by which prompts say that the document is attached; `None` where they show its own.
    #[must_use]
    pub fn instead_of_text(&self) -> Option<&str> {
        self.instead_of_text.as_deref()
    }

    /// The pictures that calls get and that are not drawn yet, each once.
    #[must_use]
    pub fn missing(&self, plan: &Plan) -> Vec<PageRequest> {
        let wanted: BTreeSet<PageRequest> =
            plan.asked_calls().flat_map(|(_, call)| requested(call, &self.pages)).collect();
        wanted.into_iter().filter(|request| !self.pictures.contains_key(request)).collect()
    }

    /// Adds the picture of a page, a PNG file.
    ///
    /// # Errors
    /// When a call would get more bytes than are sent to a model.
    pub fn add(&mut self, plan: &Plan, request: PageRequest, png: &[u8]) -> Result<(), String> {
        let name = format!("{}-page-{}.png", self.name, request.page);
        let picture = Attachment { name, media_type: PNG.to_owned(), data: BASE64.encode(png) };
        self.pictures.insert(request, picture);
        let excess = plan.asked_calls().find_map(|(name, call)| {
            let requests = requested(call, &self.pages);
            let drawn = requests.iter().filter_map(|request| self.pictures.get(request));
            let bytes: usize = drawn.map(|picture| picture.data.len() / 4 * 3).sum();
            let first = requests.first().filter(|_| bytes > MOST_ATTACHED_BYTES)?;
            let (pages, pixels) = (requests.len(), first.pixels);
            Some(format!(
                "{name} is shown pictures of {pages} pages (`attach: pages`) of {pixels} pixels, which have more than the {MOST_ATTACHED_BYTES} bytes that are sent to a model; choose fewer pages (`attach: {{ pages }}`) or pixels (`attach: {{ pixels }}`), or split the document"
            ))
        });
        excess.map_or(Ok(()), Err)
    }

    /// The files that go with the prompt of a call.
    pub(super) fn to(&self, call: &Call) -> Vec<Attachment> {
        match call.attach.as_ref().map(|attach| &attach.value) {
            None => Vec::new(),
            Some(Attach::Document) => self.file.iter().cloned().collect(),
            Some(Attach::Pages(_)) => {
                let requests = requested(call, &self.pages);
                requests.iter().filter_map(|request| self.pictures.get(request)).cloned().collect()
            }
        }
    }
}

/// The pictures that a call gets of a document with these pages, in their order.
pub(crate) fn requested(call: &Call, pages: &[usize]) -> Vec<PageRequest> {
    let attached = call.attach.as_ref().and_then(|attach| attach.value.pages());
    let numbered = |attached: &AttachedPages| -> Vec<PageRequest> {
        let chosen = attached.pages.of(pages);
        chosen.into_iter().map(|page| PageRequest { page, pixels: attached.pixels }).collect()
    };
    attached.map_or_else(Vec::new, numbered)
}
