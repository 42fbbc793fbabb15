//! The arguments that record calls, replay them, and answer repeated ones from a cache.

use crate::requests::{RecordedPath, RecordingRequest};
use clap::Args;
use std::path::PathBuf;

#[derive(Args, Clone, Default)]
pub(super) struct RecorderArguments {
    /// Record every call of a provider in this folder. Answers of models are kept, and quote the document; of requests,
    /// only a digest. Keys never are
    #[arg(long, value_name = "DIR", conflicts_with_all = ["replay", "cache", "cache_dir"])]
    record: Option<PathBuf>,
    /// With --record, also keep the requests: prompts with the whole text of the documents
    #[arg(long, requires = "record")]
    record_requests: bool,
    /// Answer every call from the recording in this folder, without network or keys
    #[arg(long, value_name = "DIR", conflicts_with_all = ["cache", "cache_dir"])]
    replay: Option<PathBuf>,
    /// Answer calls that were made before free of charge, from `cache` in the state folder. Answers are kept until the
    /// folder is removed
    #[arg(long)]
    cache: bool,
    /// Like --cache, with another folder
    #[arg(long, value_name = "DIR")]
    cache_dir: Option<PathBuf>,
}

impl RecorderArguments {
    /// The request that they make.
    pub(super) fn request(&self) -> RecordingRequest {
        let folder = |path: &Option<PathBuf>| path.as_deref().map(RecordedPath::from);
        RecordingRequest {
            record: folder(&self.record),
            record_requests: self.record_requests,
            replay: folder(&self.replay),
            cache: self.cache,
            cache_dir: folder(&self.cache_dir),
        }
    }
}
