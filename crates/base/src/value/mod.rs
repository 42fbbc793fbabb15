//! JSON values, the YAML they come from, and the small exact types of the loop.

mod candidate;
mod decimal;
mod fuel;
mod item;
mod json_path;
mod kebab;
mod kind;
mod page_box;
mod path_text;
mod pointer;
mod presence;
mod printed;
mod quantity;
mod template;
mod text_pattern;
mod thinking_marks;
mod unit;
mod usage;
mod wild;
mod words;
#[doc(hidden)]
pub mod declare;
#[doc(hidden)]
pub mod decode;
#[doc(hidden)]
pub mod prose;
#[doc(hidden)]
pub mod shape;
#[doc(hidden)]
pub mod yaml;
#[doc(hidden)]
pub mod yaml_text;

#[doc(hidden)]
pub use candidate::about_bytes;
#[doc(hidden)]
pub use candidate::digest_bytes;
pub use candidate::{Digest, MAX_CANDIDATE_DEPTH, canonical, is_deeper};
#[doc(hidden)]
pub use decimal::{Decimal, Digits, as_fraction, compare_numbers};
pub use fuel::{Cancel, Fuel};
#[doc(hidden)]
pub use item::{Children, Item, ReadNode, ReadValue};
pub use json_path::{JsonPath, PathError, PathStep};
#[doc(hidden)]
pub use kebab::to_kebab;
#[doc(hidden)]
pub use kind::kind_in_words;
pub use page_box::{PageBox, PagePassage};
#[doc(hidden)]
pub use page_box::{page_numbers_in_words, pages_in_words};
#[doc(hidden)]
pub use path_text::{ShownPath, os_text, path_of, path_serde, path_text};
#[doc(hidden)]
pub use pointer::{
    MAX_STEPS, Pointer, Segment, escape, has_too_many_steps, index_of, push_segment, unescape,
    unescape_fragment,
};
pub use presence::is_present;
#[doc(hidden)]
pub use presence::{is_blank, is_unseen};
#[doc(hidden)]
pub use printed::{PrintedNumbers, PrintedWords};
pub use quantity::{DocumentId, Millis, Score, Usd};
#[doc(hidden)]
pub use quantity::{EPSILON, at_least, below};
pub use template::Limits;
#[doc(hidden)]
pub use template::{
    CONDITION, Comparisons, Engine, KeptTemplate, MAX_BLOCK_BYTES, MESSAGE, Operation, PATH, PROMPT, Program,
    fill_in_path, long_block, unknown_functions, unknown_operations,
};
pub use text_pattern::TextPattern;
#[doc(hidden)]
pub use text_pattern::{BY_WORDS, Needs, PatternSyntax};
#[doc(hidden)]
pub use thinking_marks::{ThinkingMarks, thinking_marks};
#[doc(hidden)]
pub use unit::{PERCENT, Unit, unit_named};
pub use usage::Usage;
#[doc(hidden)]
pub use wild::{is_wild, sanitize_line};
pub use words::{Disposition, Severity};
