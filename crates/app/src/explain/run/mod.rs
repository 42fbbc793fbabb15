//! An account of what a finished run did and why, from its record: [`Record`] → [`Story`] → text, Markdown or JSON,
//! each step a pure function.
//!
//! A run is explained by what was recorded when it ran, never by the profile as it is today. Where the record lacks
//! something, the story says so.

mod choice;
mod compose;
mod journaled;
mod losses;
mod next_step;
mod open;
mod page;
mod record;
mod result_file;
mod story;
mod telling;
mod verdict;
mod words;

pub use open::{DocumentEntry, Looking, NotFound, OpenedRecord};
pub use page::{Line, Tone, as_markdown, as_text};
pub use record::Record;
pub use story::{CandidateStory, Story};
pub use telling::tell;
