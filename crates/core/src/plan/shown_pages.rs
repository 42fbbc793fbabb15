//! The parts of a document that stages and judges are shown besides its text: its file, or pictures of its pages.

use super::Plan;
use crate::document::{Document, MOST_ATTACHED_BYTES, Pages};
use crate::profile::{Attach, AttachedPages, Call, Judge};
use crate::score::Panel;
use crate::value::page_numbers_in_words;
use std::sync::Arc;

/// The most pages of which one call is shown pictures.
pub const MOST_ATTACHED_PAGES: usize = 100;

impl Plan {
    /// Returns whether a stage gets to see documents that are images or PDFs.
    #[must_use]
    pub fn attaches(&self) -> bool {
        self.stages.iter().any(|stage| stage.stage.call.attach.is_some())
    }

    /// Returns whether pictures of pages go with a prompt.
    #[must_use]
    pub fn shows_pages(&self) -> bool {
        self.asked_calls().any(|(_, call)| pages_of(call).is_some())
    }

    /// Returns whether a stage gets to see this document as the file that it is, an image or a PDF, instead of a text.
    #[must_use]
    pub fn shows_file_of(&self, document: &Document) -> bool {
        let is_shown = |call: &Call| matches!(attach_of(call), Some(Attach::Document));
        document.media.is_some() && self.stages.iter().any(|stage| is_shown(&stage.stage.call))
    }

    /// Returns whether a stage gets to see pages of this document as pictures.
    #[must_use]
    pub fn shows_pages_of(&self, document: &Document) -> bool {
        let mut shown = self.stages.iter().filter_map(|stage| pages_of(&stage.stage.call));
        shown.any(|pages| !pages.pages.of(&document.drawable_pages()).is_empty())
    }

    /// The calls that may be made about a candidate, each after its name in messages.
    pub(crate) fn asked_calls(&self) -> impl Iterator<Item = (String, &Call)> {
        let stages = self
            .stages
            .iter()
            .map(|planned| (format!("the stage `{}`", planned.stage.id.value), &planned.stage.call));
        let judges = self.judges.iter().map(|planned| &planned.judge);
        stages.chain(judges.map(|judge| (format!("the judge `{}`", judge.id.value), &judge.call)))
    }

    /// The reason why calls can't be shown what the profile attaches of this document; `None` if they can.
    pub(crate) fn unattachable(&self, document: &Document) -> Option<String> {
        self.asked_calls().find_map(|(name, call)| match attach_of(call)? {
            Attach::Document => {
                let media = document.media.as_ref().filter(|media| !media.can_be_attached())?;
                let size = media.bytes().len();
                Some(format!(
                    "{name} is shown the file itself (`attach: document`), which has {size} bytes, and at most {MOST_ATTACHED_BYTES} are sent to a model; split it, or let stages read its text"
                ))
            }
            Attach::Pages(pages) => unattachable_pages(&name, pages, document),
        })
    }

    /// The panel for a document, in which a judge counts as one that has seen the document if it is shown all of it that was
    /// not read.
    pub(super) fn panel_for(&self, document: &Document) -> Arc<Panel> {
        if self.judges.iter().all(|planned| planned.judge.call.attach.is_none()) {
            return Arc::clone(&self.panel);
        }
        let judge =
            |id: &str| self.judges.iter().map(|planned| &planned.judge).find(|judge| judge.id.value == id);
        Arc::new(self.panel.seeing(|id| judge(id).is_some_and(|judge| sees(judge, document))))
    }

    /// Warnings about the judges that are shown a part of a document, and not all of it that was not read.
    pub(super) fn partly_shown(&self, document: &Document) -> Vec<String> {
        let judges = self.judges.iter().map(|planned| &planned.judge);
        let judges = judges.filter(|judge| judge.reference.is_none());
        let partly = judges.filter_map(|judge| {
            let shown = pages_of(&judge.call)?.pages.of(&document.drawable_pages());
            let unseen: Vec<usize> =
                unread_pages(document).into_iter().filter(|page| !shown.contains(page)).collect();
            let unseen = page_numbers_in_words(&unseen)?;
            let id = &judge.id.value;
            Some(format!(
                "judge `{id}` isn't shown {unseen}, of which not all is read, so a person must look there"
            ))
        });
        partly.collect()
    }
}

fn attach_of(call: &Call) -> Option<&Attach> {
    call.attach.as_ref().map(|attach| &attach.value)
}

fn pages_of(call: &Call) -> Option<&AttachedPages> {
    attach_of(call).and_then(Attach::pages)
}

fn unattachable_pages(name: &str, pages: &AttachedPages, document: &Document) -> Option<String> {
    let own = document.drawable_pages();
    let shown = pages.pages.of(&own).len();
    if shown == 0 && !own.is_empty() {
        let (chosen, count) = (&pages.pages, own.len());
        return Some(format!(
            "{name} is shown pictures of pages (`attach: {{ pages }}`), namely {chosen}, and the document has none of them: it has {count}; choose others, or `all`"
        ));
    }
    (shown > MOST_ATTACHED_PAGES).then(|| {
        format!(
            "{name} is shown pictures of {shown} pages (`attach: pages`), and at most {MOST_ATTACHED_PAGES} are sent to a model at once; choose pages by `attach: {{ pages }}`, or split the document"
        )
    })
}

/// The numbers of the pages that were not read, or not well enough: all of them where the document has no text.
fn unread_pages(document: &Document) -> Vec<usize> {
    let pages = document.pages.as_deref();
    let unread =
        if document.text.is_ok() { pages.map(Pages::doubtful_pages) } else { pages.map(Pages::numbers) };
    unread.unwrap_or_default()
}

/// Returns whether a judge is shown all of a document that was not read, or compares with the right answer.
fn sees(judge: &Judge, document: &Document) -> bool {
    let attached = match attach_of(&judge.call) {
        None => false,
        Some(Attach::Document) => document.media.is_some(),
        Some(Attach::Pages(pages)) if document.pages.is_none() => {
            // Its pages were not counted.
            document.file.is_some() && pages.pages.takes_all()
        }
        Some(Attach::Pages(pages)) => {
            let shown = pages.pages.of(&document.drawable_pages());
            !shown.is_empty() && unread_pages(document).iter().all(|page| shown.contains(page))
        }
    };
    attached || judge.reference.is_some()
}
