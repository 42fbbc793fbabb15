//! Documents as their runs read them: read again, and kept for a while, because a reader of files takes its time.

use super::costly_cache::{CacheBounds, CostlyCache};
use crate::api::ApiError;
use crate::ingest::{Document, DocumentReader};
use crate::requests::RunRequest;
use crate::review::{RecordedSource, SourceFile, SourceText};
use crate::state::Service;
use crate::store::{DocumentKey, StoredDocument, StoredRun};
use std::sync::Arc;
use std::time::Duration;

/// The bounds of what is kept. Its readers have limits of their own: two minutes, at the most.
const BOUNDS: CacheBounds = CacheBounds {
    weight: 128 << 20,
    fresh: Duration::from_secs(30 * 60),
    workers: 3,
    waiting: 24,
    patience: Duration::from_secs(20),
};

/// Bytes that the location of a word takes.
const OF_A_WORD: usize = 24;

/// Documents that were read, by their keys in the journal and the digests of their bytes.
pub(super) struct ReadDocuments(CostlyCache<(DocumentKey, String), Result<Arc<Document>, String>>);

impl Default for ReadDocuments {
    fn default() -> Self {
        ReadDocuments(CostlyCache::new(BOUNDS))
    }
}

/// A document as its run read it, and the bytes of its file.
pub(super) struct OpenFile {
    pub(super) document: Arc<Document>,
    pub(super) bytes: Vec<u8>,
    /// The reader of the file, with its password.
    pub(super) reader: DocumentReader,
    pub(super) digest: String,
}

/// The document that a run read, or the reason why it is not available.
pub(super) fn open_file(
    service: &Service,
    run: &StoredRun,
    stored: &StoredDocument,
) -> Result<Result<OpenFile, String>, ApiError> {
    let record = service.reading.source_record(stored.key)?;
    let folder = RunRequest::of_settings(&run.record.settings).and_then(|request| request.folder);
    let reader = &reader_of(service, run);
    let digest = &stored.record.source_digest;
    let file = SourceFile::read(RecordedSource {
        reader,
        folder: folder.as_ref().map(|folder| folder.0.as_path()),
        id: &stored.record.id,
        path: stored.record.path.as_deref(),
        record: record.as_deref(),
        digest,
    });
    Ok(file.and_then(|file| {
        let read = || file.clone().document(reader).map(Arc::new);
        let document = if DocumentReader::has_reader_for(file.bytes()) {
            let weighed = || {
                let document = read();
                let weight = document.as_ref().map_or(0, |document| weight(document));
                (document, weight)
            };
            let kept = service.desk.documents.0.get(&(stored.key, digest.clone()), digest, weighed);
            kept.map_err(|_| "it is being read at the moment; open it again in a minute".to_owned())??
        } else {
            read()?
        };
        let reader = file.reader(reader);
        Ok(OpenFile { document, bytes: file.into_bytes(), reader, digest: digest.clone() })
    }))
}

/// The reader of files with the settings of a run's profile; that of the service, if they are the same.
fn reader_of(service: &Service, run: &StoredRun) -> DocumentReader {
    let usual = service.profiles.context.reader();
    let profile = service.desk.plans.of_run(service.profiles.as_ref(), run);
    let own = profile.plan.map(|plan| usual.clone().with_ingest(&plan.profile.ingest));
    own.filter(|own| !own.reads_like(usual)).unwrap_or_else(|| usual.clone())
}

/// The document that a run read, without its file.
pub(super) fn read_source(
    service: &Service,
    run: &StoredRun,
    stored: &StoredDocument,
) -> Result<SourceText, ApiError> {
    Ok(match open_file(service, run, stored)? {
        Ok(open) => SourceText::Unchanged(open.document),
        Err(why) => SourceText::NotThere(why),
    })
}

/// The memory that a document takes, in bytes.
fn weight(document: &Document) -> usize {
    let media = document.media.as_ref().map_or(0, |media| media.bytes().len());
    let text = document.text.as_ref().map_or(0, |text| text.as_str().len());
    let pages = document.pages.iter().flat_map(|pages| pages.iter());
    media + text + pages.map(|page| OF_A_WORD * (page.words.len() + 4)).sum::<usize>()
}
