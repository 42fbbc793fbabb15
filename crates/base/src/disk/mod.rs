//! Files: the one module that opens them for reading, walks folders, and replaces files whole.

mod folder;
mod ownership;
mod read;
mod replace;
mod space;
mod walk;
mod within;

pub use folder::{Entry, EntryKind, FolderKey, OpenFolder, followed};
pub use ownership::{Stranger, check_place, check_shared, read_own, stranger, stranger_to};
pub use read::{ReadError, find_below, open, open_input, read, read_below, read_input};
pub use replace::write_whole;
pub use replace::{Access, make_private_folder, replace, replace_unsynced, try_folder};
pub use replace::{remove, write_private};
pub use space::free_bytes;
pub use walk::{MAX_ENTRIES, files_below};
pub use within::lies_within;
pub use within::real_place;
