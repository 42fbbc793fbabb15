//! Pictures of a document's pages, drawn for the calls that get them.

use super::document_run::DocumentRun;
use super::off_thread::on_blocking_thread;
use super::session::Session;
use crate::ingest::{Document, DocumentReader, OpenPages};
use crate::store::StoreError;
use std::sync::Arc;

impl Session {
    /// This document with its pages counted, if calls get pictures of them and they were not counted when it was read.
    pub(super) async fn with_pages_counted(
        &self,
        document: &Document,
        reader: &DocumentReader,
    ) -> Result<Option<Document>, StoreError> {
        if !self.plan.shows_pages() || document.text.is_ok() {
            return Ok(None);
        }
        let (reader, document) = (reader.clone(), document.clone());
        on_blocking_thread(move || Ok(Some(reader.with_pages_counted(document)))).await
    }

    /// Draws the pages of which calls get pictures, and that are not drawn yet. A run that is being stopped draws no more,
    /// because it makes no more calls either.
    ///
    /// Returns the reason why calls can't get them.
    pub(super) async fn draw_pages(
        &self,
        task: &mut DocumentRun<'_>,
    ) -> Result<Result<(), String>, StoreError> {
        let (Some(attached), Some(file)) = (&mut task.attached, &task.file) else { return Ok(Ok(())) };
        // One process draws all of them.
        let mut opened: Option<Arc<OpenPages>> = None;
        for request in attached.missing(&self.plan) {
            if self.takes_no_calls() {
                return Ok(Ok(()));
            }
            let (reader, file, before) = (task.reader.clone(), Arc::clone(file), opened.take());
            let drawn = on_blocking_thread(move || {
                let pages = before.map_or_else(|| reader.open_pages(file).map(Arc::new), Ok);
                Ok(pages.and_then(|pages| Ok((pages.picture_within(request.page, request.pixels)?, pages))))
            });
            let added = match drawn.await? {
                Ok((picture, pages)) => {
                    opened = Some(pages);
                    attached.add(&self.plan, request, picture.png())
                }
                Err(why) => Err(format!(
                    "page {} can't be drawn for `attach: pages`: {why}; {}",
                    request.page,
                    why.help()
                )),
            };
            if added.is_err() {
                return Ok(added);
            }
        }
        Ok(Ok(()))
    }
}
