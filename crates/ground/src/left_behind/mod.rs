//! Left behind: the values that a document has for a record's fields and items, and that the record lacks.

mod like;
mod mentions;
mod rows;
mod taken;
mod words;

pub use mentions::{Mention, Sort, SoughtField, mentions};
pub use rows::{LeftRow, left_rows};
pub use taken::is_used;
