//! `attach`: the document's file, or pictures of its pages, beside a prompt.

use super::page_selection::PageSelection;
use crate::diag::Problems;
use crate::mapping;
use crate::value::decode::{Decode, unknown_word, wrong_type};
use crate::value::shape::{Shape, Word};
use crate::value::yaml::{Data, Node};

/// The attachment that goes with a prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Attach {
    /// The document itself, when it is an image or PDF.
    Document,
    /// Pictures of its pages, when it has pages that can be drawn.
    Pages(AttachedPages),
}

mapping! {
    /// Pictures of the pages of a document, as PNG files.
    "attached_pages" is "set of attached pages", expects "a mapping such as `{ pages: '1-3, last', pixels: 1600 }`", all default;
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct AttachedPages {
        /// The pages that are shown: numbers, ranges and `last`, counted from the first page of the document, or of its section
        /// of a file. Pages that a document does not have are left out; a document that has none of them ends as `failed`,
        /// `unreadable_input`.
        #[key(default("all"), examples(&["'1-3, 7, last'", "1"]))]
        pub pages: PageSelection,
        /// The longest side of a picture in pixels. An image that has fewer is not enlarged.
        #[key(whole(200, 8000), default("1600"), examples(&["2400"]))]
        pub pixels: u64,
    }
}

const WORDS: [Word; 2] = [
    Word { word: "document", doc: "The document itself, when it is an image or a PDF." },
    Word {
        word: "pages",
        doc: "Pictures of all its pages, when it has pages that can be drawn: a PDF or an image.",
    },
];

impl Attach {
    /// The pages of which pictures go with the prompt, if any do.
    #[must_use]
    pub fn pages(&self) -> Option<&AttachedPages> {
        match self {
            Attach::Document => None,
            Attach::Pages(pages) => Some(pages),
        }
    }
}

impl Decode for Attach {
    const EXPECTED: &'static str =
        "`document`, `pages`, or a mapping such as `{ pages: '1-3, last', pixels: 1600 }`";

    fn shape() -> Shape {
        Shape::AnyOf(vec![Shape::Words(WORDS.to_vec()), Shape::Mapping(AttachedPages::mapping())])
    }

    fn decode(node: &Node, problems: &mut Problems) -> Option<Self> {
        match &node.data {
            Data::Map(_) => AttachedPages::read_mapping(node, problems).map(Attach::Pages),
            Data::Text { text, .. } => match text.as_str() {
                "document" => Some(Attach::Document),
                "pages" => Some(Attach::Pages(AttachedPages::default())),
                other => {
                    unknown_word(&node.span, "attachment", other, &WORDS.map(|word| word.word), problems)
                }
            },
            _ => wrong_type(node, Self::EXPECTED, problems),
        }
    }
}
