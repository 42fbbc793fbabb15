//! Files: the one module that opens them for reading, walks folders, and replaces files whole.

mod folder;
mod ownership;
mod read;
#[cfg(feature = "run")]
mod replace;
#[cfg(feature = "cli")]
mod space;
mod walk;
#[cfg(feature = "run")]
mod within;

pub(crate) use folder::{Entry, EntryKind, FolderKey, OpenFolder, followed};
pub(crate) use ownership::{Stranger, check_place, check_shared, read_own, stranger, stranger_to};
pub(crate) use read::{ReadError, find_below, open, open_input, read, read_below, read_input};
#[cfg(feature = "cli")]
pub(crate) use replace::write_whole;
#[cfg(feature = "run")]
pub(crate) use replace::{Access, make_private_folder, replace, replace_unsynced, try_folder};
#[cfg(all(feature = "journal", feature = "network"))]
pub(crate) use replace::{remove, write_private};
#[cfg(feature = "cli")]
pub(crate) use space::free_bytes;
pub(crate) use walk::{MAX_ENTRIES, files_below};
#[cfg(feature = "run")]
pub(crate) use within::lies_within;
#[cfg(feature = "cli")]
pub(crate) use within::real_place;
