//! A page parsed within bounds: elements below a depth are not nested further, and a page of too many is given up.

use super::tree::{NodeId, PageTree, TreeTaker};
use html5ever::TokenizerResult;
use html5ever::buffer_queue::BufferQueue;
use html5ever::interface::TreeSink;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts};

/// The depth below which elements are not nested further, as in browsers: their texts follow one another.
pub(super) const DEEPEST: usize = 200;
/// The most nodes of a page.
const MOST_NODES: usize = 3_000_000;

/// A tree builder that is given the tokens of a page as long as it is within its bounds.
struct BoundedBuilder {
    builder: TreeBuilder<NodeId, TreeTaker>,
    /// The page is XML, in which any element may end with its beginning: `<script/>`.
    is_xml: bool,
}

impl BoundedBuilder {
    fn is_full(&self) -> bool {
        self.builder.sink.len() > MOST_NODES
    }
}

impl TokenSink for BoundedBuilder {
    type Handle = NodeId;

    fn process_token(&self, token: Token, line: u64) -> TokenSinkResult<NodeId> {
        let is_deep = self.builder.sink.depth() >= DEEPEST;
        match &token {
            _ if self.is_full() => return TokenSinkResult::Continue,
            // Of what is not rendered as its text, the end would be lost with its beginning.
            Token::TagToken(tag) if is_deep && tag.kind == TagKind::StartTag && !is_raw(&tag.name) => {
                return TokenSinkResult::Continue;
            }
            Token::TagToken(tag) if self.is_xml && tag.self_closing && !is_void(&tag.name) => {
                // Of what would be read up to an end that never comes, there is nothing in it.
                if !is_raw(&tag.name) {
                    let end = Tag { kind: TagKind::EndTag, attrs: Vec::new(), ..tag.clone() };
                    let _ = self.builder.process_token(token, line);
                    let _ = self.builder.process_token(Token::TagToken(end), line);
                }
                return TokenSinkResult::Continue;
            }
            _ => {}
        }
        self.builder.process_token(token, line)
    }

    fn end(&self) {
        self.builder.end();
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.builder.adjusted_current_node_present_but_not_in_html_namespace()
    }
}

/// Returns whether an element of this name holds text that is not markup.
fn is_raw(name: &str) -> bool {
    matches!(
        name,
        "script" | "style" | "textarea" | "title" | "xmp" | "iframe" | "noembed" | "noframes" | "noscript"
    )
}

/// Returns whether an element of this name never has an end.
fn is_void(name: &str) -> bool {
    matches!(
        name,
        "area"
            | "base"
            | "br"
            | "col"
            | "embed"
            | "hr"
            | "img"
            | "input"
            | "link"
            | "meta"
            | "source"
            | "track"
            | "wbr"
    )
}

/// The tree of a page; `None` if it has more elements than a document may.
pub(super) fn parse(text: &str) -> Option<PageTree> {
    let builder = BoundedBuilder {
        builder: TreeBuilder::new(
            TreeTaker::new(),
            TreeBuilderOpts { scripting_enabled: true, drop_doctype: true, ..TreeBuilderOpts::default() },
        ),
        is_xml: text.trim_start_matches('\u{FEFF}').trim_start().starts_with("<?xml"),
    };
    let tokenizer = Tokenizer::new(builder, TokenizerOpts::default());
    let input = BufferQueue::default();
    input.push_back(StrTendril::from_slice(text));
    // It stops after each script, which is not run, and after each declared encoding, which is known already.
    while !matches!(tokenizer.feed(&input), TokenizerResult::Done) {}
    tokenizer.end();
    let bounded = tokenizer.sink;
    if bounded.is_full() { None } else { Some(bounded.builder.sink.finish()) }
}
