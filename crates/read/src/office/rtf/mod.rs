//! RTF files: what their pages show.
//!
//! [`tokens`] are control words, groups and bytes; [`state`] is what a group sets; [`story`] is the text that comes of it;
//! [`tables`] are its rows and cells.

mod code_pages;
mod destinations;
mod picture;
mod state;
mod story;
mod tables;
#[cfg(test)]
mod tests;
mod tokens;

use self::destinations::destination;
use self::picture::RtfPicture;
use self::state::{RtfDestination, RtfState, RtfTables};
use self::story::RtfStory;
use self::tokens::{RtfToken, RtfTokens};
use super::file_text::FileText;
use super::ink::Ink;
use super::office_unread::OfficeFault;

/// The first bytes of an RTF file.
pub(crate) const SIGNATURE: &[u8] = b"{\\rtf";
/// The most groups in one another.
const MOST_DEPTH: usize = 10_000;

/// Reads an RTF file.
///
/// # Errors
/// When it is damaged, too long, or shows no text.
pub(crate) fn read(bytes: &[u8]) -> Result<FileText, OfficeFault> {
    let mut reader = RtfReader {
        tables: RtfTables::new(),
        state: RtfState::new(),
        outer: Vec::new(),
        story: RtfStory::default(),
        pending: Vec::new(),
        skip: 0,
        high: None,
        is_optional: false,
        color: [None; 3],
        style: (0, String::new()),
        picture: RtfPicture::default(),
        pictures: 0,
    };
    let mut tokens = RtfTokens::new(bytes);
    while let Some(token) = tokens.next() {
        match token {
            RtfToken::Open => reader.open()?,
            RtfToken::Close => {
                reader.close()?;
                if reader.outer.is_empty() {
                    let read = reader.story.finish()?;
                    let structure = read.structure.with_pictures(reader.pictures);
                    return Ok(FileText { structure, ..read });
                }
            }
            RtfToken::Control("bin", number) => {
                reader.binary(tokens.take_bytes(number.and_then(|n| n.try_into().ok()).unwrap_or(0)));
            }
            RtfToken::Control(word, number) => reader.control(word, number),
            RtfToken::Symbol(symbol) => reader.symbol(symbol),
            RtfToken::Byte(byte) => reader.byte(byte),
        }
    }
    // The first group never ended: the rest of the file is missing.
    Err(OfficeFault::Damaged)
}

/// A reader at some place of a file.
struct RtfReader {
    tables: RtfTables,
    state: RtfState,
    /// The states of the groups around the one that is open.
    outer: Vec<RtfState>,
    story: RtfStory,
    /// Bytes of text that are not decoded yet: a character may have two.
    pending: Vec<u8>,
    /// The characters that repeat the last Unicode character for programs that know none.
    skip: usize,
    /// The first half of a character beyond the basic plane.
    high: Option<u16>,
    /// `true` behind `\*`: who does not know the next word skips the group.
    is_optional: bool,
    /// The parts of the colour whose `;` comes next.
    color: [Option<u8>; 3],
    /// The number and name of the style that is being read.
    style: (i32, String),
    /// The picture that is being read.
    picture: RtfPicture,
    /// The number of pictures that are seen and may hold text.
    pictures: usize,
}

impl RtfReader {
    fn open(&mut self) -> Result<(), OfficeFault> {
        self.flush();
        self.skip = 0;
        if self.outer.len() >= MOST_DEPTH {
            return Err(OfficeFault::TooLong);
        }
        self.outer.push(self.state.clone());
        if self.state.destination == RtfDestination::Styles {
            self.style = (0, String::new());
        }
        Ok(())
    }

    fn close(&mut self) -> Result<(), OfficeFault> {
        self.flush();
        (self.skip, self.is_optional) = (0, false);
        let ended = self.state.destination;
        if ended == RtfDestination::Picture {
            self.end_picture();
        }
        self.state = self.outer.pop().ok_or(OfficeFault::Damaged)?;
        if ended != self.state.destination {
            self.story.end(ended, self.state.destination);
        }
        Ok(())
    }

    fn control(&mut self, word: &str, number: Option<i32>) {
        if word == "u" {
            self.unicode(number.unwrap_or_default());
            return;
        }
        self.flush();
        self.skip = 0;
        if let Some(next) = destination(word, std::mem::take(&mut self.is_optional), self.state.destination) {
            let outer = std::mem::replace(&mut self.state.destination, next);
            if outer != next {
                self.story.begin(next, outer);
            }
            return;
        }
        match self.state.destination {
            RtfDestination::Fonts => self.font(word, number),
            RtfDestination::Colors => self.color_part(word, number),
            RtfDestination::Styles => self.style_word(word, number),
            RtfDestination::FormField => self.story.form_field(word, number),
            RtfDestination::Picture => self.picture.control(word, number),
            RtfDestination::Nowhere | RtfDestination::Shape => self.keep_up(word, number),
            RtfDestination::Body
            | RtfDestination::ListText
            | RtfDestination::Note
            | RtfDestination::Header
            | RtfDestination::Footer => {
                self.text_word(word, number);
            }
        }
    }

    /// Reads bytes that are no text.
    fn binary(&mut self, bytes: &[u8]) {
        if self.state.destination == RtfDestination::Picture {
            self.picture.bytes(bytes);
        }
    }

    /// Ends a picture, or a group within it, in which nothing of it is.
    fn end_picture(&mut self) {
        if self.outer.last().is_some_and(|outer| outer.destination == RtfDestination::Picture) {
            return;
        }
        let picture = std::mem::take(&mut self.picture);
        self.pictures += usize::from(!self.state.is_deleted() && picture.may_hold_text());
    }

    /// Reads what holds for the text of groups within one that has none.
    fn keep_up(&mut self, word: &str, number: Option<i32>) {
        if word == "uc" {
            self.state.fallback = number.and_then(|n| n.try_into().ok()).unwrap_or(1);
        } else {
            self.state.look(word, number, self.tables.default_font);
        }
    }

    fn text_word(&mut self, word: &str, number: Option<i32>) {
        match word {
            "ansicpg" => self.tables.page = number.filter(|page| *page != 0).unwrap_or(1252),
            "mac" => self.tables.page = 10_000,
            "pc" => self.tables.page = 437,
            "pca" => self.tables.page = 850,
            "deff" => {
                self.tables.default_font = number.unwrap_or_default();
                self.state.font = self.tables.default_font;
            }
            "uc" => self.state.fallback = number.and_then(|n| n.try_into().ok()).unwrap_or(1),
            _ if self.state.look(word, number, self.tables.default_font) => {}
            _ => match special(word) {
                Some(character) => self.text(character.encode_utf8(&mut [0; 4])),
                // The format of a label is not its paragraph's.
                None if self.state.destination == RtfDestination::ListText => {}
                None => self.story.control(word, number, self.state.is_deleted(), &self.tables),
            },
        }
    }

    fn symbol(&mut self, symbol: u8) {
        if symbol == b'*' {
            self.is_optional = true;
            return;
        }
        match symbol {
            b'\\' | b'{' | b'}' => self.byte(symbol),
            b'~' => self.character('\u{a0}'),
            b'_' => self.character('-'),
            b'\r' | b'\n' => self.control("par", None),
            b'\t' => self.control("tab", None),
            // Where a word may be divided; formulas; entries of an index.
            _ => {}
        }
    }

    fn character(&mut self, character: char) {
        if self.skip > 0 {
            self.skip -= 1;
            return;
        }
        self.flush();
        self.text(character.encode_utf8(&mut [0; 4]));
    }

    fn byte(&mut self, byte: u8) {
        self.is_optional = false;
        if self.skip > 0 {
            self.skip -= 1;
            return;
        }
        match self.state.destination {
            RtfDestination::Fonts => self.tables.font_mut(self.state.font).name.push(char::from(byte)),
            RtfDestination::Styles if byte == b';' => self.end_style(),
            RtfDestination::Styles => self.style.1.push(char::from(byte)),
            RtfDestination::Colors if byte == b';' => {
                let parts = std::mem::take(&mut self.color);
                let ink = match parts {
                    [Some(red), Some(green), Some(blue)] => Some(Ink([red, green, blue])),
                    _ => None,
                };
                self.tables.add_color(ink);
            }
            RtfDestination::Picture => self.picture.digit(byte),
            RtfDestination::Colors
            | RtfDestination::Nowhere
            | RtfDestination::Shape
            | RtfDestination::FormField => {}
            RtfDestination::Body
            | RtfDestination::ListText
            | RtfDestination::Note
            | RtfDestination::Header
            | RtfDestination::Footer => {
                self.pending.push(byte);
            }
        }
    }

    fn unicode(&mut self, number: i32) {
        self.flush();
        self.is_optional = false;
        self.skip = self.state.fallback;
        let Ok(unit) = u16::try_from(number.rem_euclid(0x1_0000)) else { return };
        let units: Vec<u16> = self.high.take().into_iter().chain([unit]).collect();
        if (0xD800..0xDC00).contains(&unit) {
            self.high = Some(unit);
            return;
        }
        self.text(&String::from_utf16_lossy(&units));
    }

    /// Decodes the bytes so far.
    fn flush(&mut self) {
        if self.pending.is_empty() {
            return;
        }
        let bytes = std::mem::take(&mut self.pending);
        let symbols = self.tables.symbols(self.state.font);
        let decoded: String = match (symbols, self.tables.encoding(self.state.font)) {
            // Their bytes are places in the font.
            (Some(_), _) => bytes.iter().copied().map(char::from).collect(),
            (None, Some(encoding)) => encoding.decode_without_bom_handling(&bytes).0.into_owned(),
            (None, None) => {
                let known =
                    |byte: &u8| if byte.is_ascii() { char::from(*byte) } else { char::REPLACEMENT_CHARACTER };
                bytes.iter().map(known).collect()
            }
        };
        self.text(&decoded);
    }

    /// Adds text, if it is seen.
    fn text(&mut self, text: &str) {
        let has_text = matches!(
            self.state.destination,
            RtfDestination::Body
                | RtfDestination::ListText
                | RtfDestination::Note
                | RtfDestination::Header
                | RtfDestination::Footer
        );
        if has_text && self.state.is_seen(&self.tables, self.story.shade()) {
            self.story.text(&self.state.shown(text, &self.tables));
        }
    }

    fn font(&mut self, word: &str, number: Option<i32>) {
        match word {
            "f" => self.state.font = number.unwrap_or_default(),
            "fcharset" => self.tables.font_mut(self.state.font).charset = number,
            "cpg" => self.tables.font_mut(self.state.font).page = number.filter(|page| *page != 0),
            _ => {}
        }
    }

    fn color_part(&mut self, word: &str, number: Option<i32>) {
        let part = match word {
            "red" => 0,
            "green" => 1,
            "blue" => 2,
            _ => return,
        };
        if let Some(own) = self.color.get_mut(part) {
            *own = number.and_then(|n| n.try_into().ok());
        }
    }

    fn style_word(&mut self, word: &str, number: Option<i32>) {
        match (word, number.and_then(|n| u8::try_from(n).ok())) {
            ("s", _) => self.style.0 = number.unwrap_or_default(),
            ("outlinelevel", Some(level)) if level < 9 => {
                self.tables.headings.insert(self.style.0, level + 1);
            }
            _ => {}
        }
    }

    fn end_style(&mut self) {
        let name = self.style.1.trim().to_ascii_lowercase();
        let level = name.strip_prefix("heading ").and_then(|level| level.parse().ok());
        let level = level.or_else(|| (name == "title").then_some(1));
        if let Some(level) = level.filter(|level| (1..=9).contains(level)) {
            self.tables.headings.insert(self.style.0, level);
        }
    }
}

/// The character that a control word means.
fn special(word: &str) -> Option<char> {
    Some(match word {
        "emdash" => '—',
        "endash" => '–',
        "bullet" => '•',
        "lquote" => '‘',
        "rquote" => '’',
        "ldblquote" => '“',
        "rdblquote" => '”',
        "emspace" | "enspace" | "qmspace" => ' ',
        "tab" => '\t',
        "line" | "lbr" => '\n',
        _ => return None,
    })
}
