//! HTML: the text of a page as it is seen.
//!
//! - `tree`, `nesting`: the page as browsers parse it (html5ever), within bounds.
//! - `declarations`, `style_rules`, `seen`: the elements that are seen.
//! - `block_taker`, `page_blocks`: their texts as flowing content; `pictures`: those that may hold more.
//!
//! Nothing is fetched, and no script is run: a page is what it is when it is opened without a network.

mod block_taker;
mod declarations;
mod nesting;
mod page_blocks;
mod pictures;
mod seen;
mod style_rules;
#[cfg(test)]
mod tests;
mod tree;

use super::file_text::{FileText, Unread};
use super::markup_text;
use super::markup_unread::{MarkupFault, MarkupFormat};

/// Returns whether a text is a page, by its beginning: its type or its first tag, after comments and instructions.
pub(crate) fn is_page(text: &str) -> bool {
    let mut rest = text.trim_start_matches('\u{FEFF}').trim_start();
    loop {
        let end = if rest.starts_with("<!--") {
            rest.find("-->").map(|end| end + 3)
        } else if rest.starts_with("<?") {
            rest.find('>').map(|end| end + 1)
        } else {
            break;
        };
        let Some(after) = end.and_then(|end| rest.get(end..)) else { return false };
        rest = after.trim_start();
    }
    let begins = |word: &str| {
        let (own, after) = rest.split_at_checked(word.len()).unwrap_or_default();
        own.eq_ignore_ascii_case(word)
            && after.starts_with(|c: char| c.is_whitespace() || matches!(c, '>' | '/'))
    };
    ["<!doctype html", "<html", "<head", "<body"].into_iter().any(begins)
}

/// Reads a page.
pub(crate) fn read(text: &str) -> Result<FileText, Unread> {
    let unread = |fault| Unread::Markup { format: MarkupFormat::Html, fault };
    let beyond = || unread(MarkupFault::TooLarge);
    let tree = nesting::parse(text).ok_or_else(beyond)?;
    let blocks = page_blocks::read(&tree).ok_or_else(beyond)?;
    let (text, structure) = markup_text::write(&blocks).ok_or_else(beyond)?;
    if text.trim().is_empty() {
        return Err(unread(MarkupFault::NoText));
    }
    let structure = structure.with_pictures(pictures::count(&tree));
    Ok(FileText { text, structure, ..FileText::default() })
}
