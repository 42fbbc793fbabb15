//! Telling when files are saved, for verbs that stay and look again.

mod file_watch;
mod settle;

pub(crate) use file_watch::{FileWatch, WatchError};
