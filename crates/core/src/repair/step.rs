//! The steps of a repair: their kinds, reasons and positions.

use super::Operation;
use serde::{Deserialize, Serialize};

/// One thing that was done to a text or a value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RepairStep {
    /// The kind of step.
    pub kind: RepairKind,
    /// The reason, for people. Never text of the document.
    pub reason: String,
    /// The first position in the text; `None` for steps on values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<TextPosition>,
    /// The number of occurrences, for steps on text: one step covers them all.
    #[serde(default = "once", skip_serializing_if = "is_once")]
    pub times: usize,
    /// The change as JSON Patch (RFC 6902). Steps before the value is read have none: the last step on text carries the
    /// operation that puts the value in the text's place.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub patch: Vec<Operation>,
}

fn once() -> usize {
    1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde calls")]
fn is_once(times: &usize) -> bool {
    *times == 1
}

/// A position in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TextPosition {
    /// Bytes before it.
    pub offset: usize,
    /// Its line, from 1.
    pub line: usize,
    /// Its column in characters, from 1.
    pub column: usize,
}

impl TextPosition {
    /// The position of a byte in a text.
    #[must_use]
    pub fn of(text: &str, offset: usize) -> Self {
        let offset = offset.min(text.len());
        let before = text.char_indices().take_while(|(at, _)| *at < offset).map(|(_, c)| c);
        let (mut line, mut column) = (1, 1);
        for c in before {
            if c == '\n' {
                (line, column) = (line + 1, 1);
            } else {
                column += 1;
            }
        }
        TextPosition { offset, line, column }
    }
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident = $reason:literal,)+) => {
        /// The kinds of repair. The word in JSON is the name in snake case.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        #[non_exhaustive]
        pub enum RepairKind {
            $($(#[$doc])* $name,)+
        }

        impl RepairKind {
            /// The reason for the repair, for people.
            #[must_use]
            pub fn reason(self) -> &'static str {
                match self {
                    $(RepairKind::$name => $reason,)+
                }
            }
        }
    };
}

kinds! {
    // Steps on text.
    /// Bytes that are not UTF-8.
    Encoding = "bytes that are not UTF-8 were decoded or replaced",
    /// U+FEFF before or in the JSON.
    ByteOrderMark = "a byte order mark was left out",
    /// A space that JSON does not know.
    OddSpace = "a space that JSON does not know was taken as one",
    /// `\n` between values.
    EscapedSpace = "an escaped line break or tab between values was taken as space",
    /// Sequences for a terminal.
    TerminalEscape = "what was written for a terminal was left out",
    /// `：` and `，` outside of texts.
    FullWidth = "full-width punctuation outside of texts was taken as JSON's",
    /// `<think>` … `</think>` and its kin.
    Thinking = "what the model thought was left out",
    /// The whole JSON was escaped as if inside a string.
    EscapedText = "the JSON was escaped as if it stood inside a string",
    /// Markdown code fences.
    Fence = "the marks of a code block were left out",
    /// Text before, between or after the values.
    Prose = "text around the JSON was left out",
    /// A comment.
    Comment = "a comment was left out",
    /// `...` in a list or an object.
    Ellipsis = "an ellipsis was left out",
    /// `,` before a closing bracket.
    TrailingComma = "a comma before the end of a list or object was left out",
    /// A superfluous comma.
    ExtraComma = "a comma with nothing before it was left out",
    /// A missing comma.
    MissingComma = "a missing comma was added",
    /// A missing colon.
    MissingColon = "a missing colon was added",
    /// A key without a value.
    MissingValue = "a key without a value was given null",
    /// Quotes other than `"`.
    Quotes = "quotes other than \" were taken as such",
    /// Quotes doubled or tripled.
    RepeatedQuotes = "doubled or tripled quotes were taken as one",
    /// A missing closing quote.
    MissingQuote = "a missing closing quote was added",
    /// `"` in a text without `\`.
    UnescapedQuote = "a quote inside a text was escaped",
    /// A line break or another control character in a text.
    UnescapedControl = "a line break or control character inside a text was escaped",
    /// An escape that JSON does not know.
    BadEscape = "an escape that JSON does not know was taken literally",
    /// A lone surrogate, or characters that JSON can't hold.
    BadCharacter = "half a character was replaced",
    /// Texts joined by `+`.
    Concatenation = "texts joined by + were joined",
    /// A key without quotes.
    UnquotedKey = "a key was put in quotes",
    /// A text without quotes.
    UnquotedText = "a text was put in quotes",
    /// `True`, `None`, `undefined`, ….
    Literal = "a literal of another language was taken as JSON's",
    /// `NaN`, `Infinity`.
    NotANumber = "a number that JSON can't hold became null",
    /// `+1`, `.5`, `5.`, `1_000`.
    NumberForm = "a number was written as JSON writes it",
    /// `2e`, `-`: the rest of the number is missing.
    CutNumber = "a number without its end was read as far as it goes",
    /// A whole number that 64 bits can't hold, in JSON that is whole.
    LostDigits = "a whole number too long for 64 bits was rounded: digits of it are lost",
    /// `007`, `1,500`, `1e999`.
    NumberAsText = "digits that are not a JSON number were kept as text",
    /// `(1, 2)`, `{1, 2}`.
    Tuple = "a tuple or set was taken as a list",
    /// `f(…)`.
    Call = "the function call around a value was left out",
    /// A bracket of the wrong kind.
    WrongBracket = "a closing bracket of the wrong kind was replaced",
    /// A missing bracket.
    MissingBracket = "a missing bracket was added",
    /// A superfluous bracket.
    ExtraBracket = "a bracket too many was left out",
    /// Members after the end of their object, a list in pieces.
    Reunited = "members after the end of their object or list were put into it",
    /// Text that belongs nowhere.
    Stray = "text that is neither key nor value was left out",
    /// A key that appeared before.
    DuplicateKey = "a key that stood twice keeps its last value",
    /// The text ends too early.
    Truncated = "the text ends in the middle; what was open was closed",
    /// Several values, taken as a list.
    SeveralValues = "several values were taken as one list",
    /// Several values of which the last is taken.
    Superseded = "of several values of the same form the last was taken",
    /// Values beside the one that fits what is expected.
    Chosen = "a value beside the one that fits was passed over",
    /// A value that appears once more.
    Repeated = "the same value stood there again",
    /// `{"extraction": …}` or a tool call around the value.
    Envelope = "an envelope around the value was left out",
    /// An empty or a quoted value beside the real one.
    Beside = "an empty value or reference beside the JSON was left out",

    // Steps on values.
    /// An optional value that its schema refuses.
    DropInvalid = "an optional value that the schema does not allow was left out",
    /// A member that no schema knows.
    DropUnknown = "a member that the schema forbids was left out",
    /// A list of one where one is wanted.
    Unwrap = "a list of one value was replaced by the value",
    /// One value where a list is wanted.
    Wrap = "a single value was put into a list",
    /// Another type that says the same.
    Coerce = "a value was written in the type that the schema wants",
    /// Space round a text.
    Trim = "space around a text was left out",
    /// A default of the schema.
    Default = "a missing value was given the schema's default",
}

impl RepairKind {
    /// Returns whether something that the answer said may be gone after it.
    #[must_use]
    pub fn loses(self) -> bool {
        matches!(
            self,
            RepairKind::Stray
                | RepairKind::NotANumber
                | RepairKind::LostDigits
                | RepairKind::DuplicateKey
                | RepairKind::Truncated
                | RepairKind::Superseded
                | RepairKind::Chosen
                | RepairKind::DropInvalid
                | RepairKind::DropUnknown
        )
    }

    /// Returns whether the end of something that was written is missing: of the text, a number or a text, or of a list
    /// that continues in dots. The answer was cut off, and is asked for again.
    #[must_use]
    pub fn cuts(self) -> bool {
        matches!(
            self,
            RepairKind::Truncated | RepairKind::CutNumber | RepairKind::MissingQuote | RepairKind::Ellipsis
        )
    }

    /// Returns whether a part of what was written is missing: the value that was read may lack anything.
    #[must_use]
    pub fn misses_something(self) -> bool {
        self.cuts() || self == RepairKind::MissingValue
    }
}

impl RepairStep {
    /// A step on a value.
    #[must_use]
    pub fn on_value(kind: RepairKind, detail: &str, patch: Vec<Operation>) -> Self {
        let reason = if detail.is_empty() {
            kind.reason().to_owned()
        } else {
            format!("{} ({detail})", kind.reason())
        };
        RepairStep { kind, reason, place: None, times: 1, patch }
    }
}
