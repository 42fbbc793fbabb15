//! The findings of an experiment: as text, and as one page of HTML.

mod page_view;
mod plots;
mod race;
mod text;
mod words;

pub(super) use page_view::Page;
pub use text::sweep_text;
