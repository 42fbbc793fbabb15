//! The parts of a document of which each is about one of several specimens, tumours or impressions, and their
//! positions.

mod find;
mod headings;
mod read;
mod sections;

#[cfg(test)]
mod tests;

pub use find::{DocumentPart, Parts};
pub use read::{FoundPart, read_mentions_of_part, read_parts};
