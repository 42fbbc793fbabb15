//! Reports when files are saved, for verbs that keep running and check again.

mod file_watch;
mod settle;

pub(crate) use file_watch::{FileWatch, WatchError};
