//! Findings of `loopctl evaluate`, for people: `text` for terminals, `page_view` and `plots` as HTML, `words` for both.

mod page_view;
mod plots;
mod text;
mod words;

pub(super) use page_view::Page;
pub use text::evaluation_text;
