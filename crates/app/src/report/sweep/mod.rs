//! The findings of an experiment: as text, and as one page of HTML.

mod page;
mod page_view;
mod plots;
mod race;
mod text;
mod words;

pub use page::sweep_html;
pub use text::sweep_text;
