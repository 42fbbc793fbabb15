//! Findings of `loopctl evaluate`, for people: `text` for terminals, `page`, `page_view`, `plots` as HTML, `words` for
//! both.

mod page;
mod page_view;
mod plots;
mod text;
mod words;

pub use page::evaluation_html;
pub use text::evaluation_text;
