//! Files watched while a verb keeps running: a profile with all that it reaches, and recorded runs that are scored again when
//! one of these files is saved.

mod file_watch;
mod lines;
mod profile_watch;
mod settle;

pub use profile_watch::ProfileWatch;
