//! A user's files that replace files that ship with loopctl, and so change profiles that ship.

use crate::context::Context;
use crate::profile::{Files, Library, Reached, file_of, read_text_file};
use crate::value::ShownPath;
use std::path::Path;

/// The files that change a profile, if it ships with loopctl. `reached` is what loading and compiling it inspected. An
/// unchanged copy changes nothing.
pub fn changed_by(profile: &str, reached: &Reached, context: &Context) -> Vec<String> {
    let ships = file_of(profile, &Library::embedded()).is_ok_and(|file| file.is_some());
    if !ships {
        return Vec::new();
    }
    reached.present().filter(|path| !is_copy(path, context)).map(shown).collect()
}

/// Returns whether a file has the same text as the shipped one of its name.
fn is_copy(path: &Path, context: &Context) -> bool {
    let name = context.home().and_then(|home| path.strip_prefix(home).ok().map(Path::to_owned));
    let name = name.unwrap_or_else(|| path.strip_prefix(".").unwrap_or(path).to_owned());
    let shipped = Library::embedded().read(&name.to_string_lossy()).ok().flatten();
    shipped.is_some_and(|shipped| read_text_file(path).is_ok_and(|file| file.text() == shipped.text()))
}

/// A path as people write it.
fn shown(path: &Path) -> String {
    path.strip_prefix(".").unwrap_or(path).shown().into_owned()
}
