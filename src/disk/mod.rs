//! Files: the one place that opens them for reading, walks folders of a project, and replaces files whole.

mod ownership;
mod read;
#[cfg(feature = "run")]
mod replace;
mod walk;

pub use ownership::{Stranger, check_folder, check_place, check_shared, read_own, stranger, stranger_to};
pub use read::{ReadError, find_below, open, open_below, open_input, read, read_below, read_input};
#[cfg(feature = "run")]
pub use replace::{Access, replace, try_folder};
pub use walk::{MAX_ENTRIES, Walk, files_below};
