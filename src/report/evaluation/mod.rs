//! Findings of `loopctl evaluate`, for people: `text` for terminals, `page`, `page_view`, `plots` as HTML, `words` for
//! both.

mod page;
mod page_view;
mod plots;
mod text;
mod words;

pub(crate) use page::evaluation_html;
pub(crate) use text::evaluation_text;
