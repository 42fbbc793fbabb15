//! The findings of an experiment: as text, and as one page of HTML.

mod page;
mod page_view;
mod plots;
mod race;
mod text;
mod words;

pub(crate) use page::sweep_html;
pub(crate) use text::sweep_text;
