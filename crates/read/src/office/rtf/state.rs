//! The state of a group of an RTF file, which ends with it.

use super::code_pages::{code_page, of_charset};
use crate::office::ink::{Backdrop, Ink};
use crate::office::symbol_fonts::{self, SymbolFont};
use crate::office::text_look::raised;
use encoding_rs::Encoding;
use std::collections::HashMap;

/// The place to which the text of a group belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RtfDestination {
    Body,
    /// Nowhere: it is no text, or is not seen.
    Nowhere,
    /// Nowhere, but that the text of some of its groups is seen.
    Shape,
    /// Nowhere: it is the bytes of a picture.
    Picture,
    Fonts,
    Colors,
    Styles,
    /// The number or bullet of a list's item.
    ListText,
    Note,
    Header,
    Footer,
    FormField,
}

/// The state of a group.
#[derive(Debug, Clone)]
pub(super) struct RtfState {
    pub(super) destination: RtfDestination,
    pub(super) font: i32,
    is_hidden: bool,
    is_deleted: bool,
    half_points: i32,
    ink: i32,
    shade: Option<i32>,
    is_raised: bool,
    /// Bytes that follow a Unicode character for programs that know none.
    pub(super) fallback: usize,
}

impl RtfState {
    pub(super) fn new() -> Self {
        RtfState {
            destination: RtfDestination::Body,
            font: -1,
            is_hidden: false,
            is_deleted: false,
            half_points: 24,
            ink: 0,
            shade: None,
            is_raised: false,
            fallback: 1,
        }
    }

    /// Reads a control word about the look of text; `false` if it is none.
    pub(super) fn look(&mut self, word: &str, number: Option<i32>, default_font: i32) -> bool {
        let is_on = number != Some(0);
        match word {
            "plain" => {
                let (destination, fallback) = (self.destination, self.fallback);
                *self = RtfState { destination, fallback, font: default_font, ..RtfState::new() };
            }
            "v" => self.is_hidden = is_on,
            "deleted" | "mvf" => self.is_deleted = is_on,
            "super" => self.is_raised = is_on,
            "nosupersub" | "sub" => self.is_raised = false,
            "fs" => self.half_points = number.unwrap_or(24),
            "cf" => self.ink = number.unwrap_or_default(),
            "cb" | "highlight" | "chcbpat" => self.shade = number.filter(|number| *number != 0),
            "f" => self.font = number.unwrap_or_default(),
            _ => return false,
        }
        true
    }

    /// The characters that are seen of a text.
    pub(super) fn shown(&self, text: &str, tables: &RtfTables) -> String {
        let shown = symbol_fonts::shown(text, tables.symbols(self.font));
        if self.is_raised { raised(shown) } else { shown }
    }

    /// Returns whether what is here was deleted or hidden, whatever its colour.
    pub(super) fn is_deleted(&self) -> bool {
        self.is_hidden || self.is_deleted
    }

    /// Returns whether text is seen, on a background that a paragraph or cell may have.
    pub(super) fn is_seen(&self, tables: &RtfTables, behind: Option<i32>) -> bool {
        let shade = self.shade.or(behind).filter(|shade| *shade != 0);
        let backdrop = match shade {
            None => Backdrop::Plain(Ink::WHITE),
            Some(shade) => tables.color(shade).map_or(Backdrop::Unknown, Backdrop::Plain),
        };
        let is_in_its_colour = tables.color(self.ink).is_some_and(|ink| !ink.is_seen_on(backdrop));
        !(self.is_hidden || self.is_deleted || self.half_points <= 2 || is_in_its_colour)
    }
}

/// The tables at the beginning of a file.
#[derive(Debug)]
pub(super) struct RtfTables {
    /// The code page of the document.
    pub(super) page: i32,
    pub(super) default_font: i32,
    fonts: HashMap<i32, RtfFont>,
    colors: Vec<Option<Ink>>,
    /// The levels of headings, from 1, by the numbers of their styles.
    pub(super) headings: HashMap<i32, u8>,
}

/// A font.
#[derive(Debug, Clone, Default)]
pub(super) struct RtfFont {
    pub(super) charset: Option<i32>,
    pub(super) page: Option<i32>,
    pub(super) name: String,
}

impl RtfTables {
    pub(super) fn new() -> Self {
        RtfTables {
            page: 1252,
            default_font: 0,
            fonts: HashMap::new(),
            colors: Vec::new(),
            headings: HashMap::new(),
        }
    }

    pub(super) fn font_mut(&mut self, font: i32) -> &mut RtfFont {
        self.fonts.entry(font).or_default()
    }

    /// The characters of a font's bytes; `None` if they are not known.
    pub(super) fn encoding(&self, font: i32) -> Option<&'static Encoding> {
        let font = self.fonts.get(&font);
        let own = font.and_then(|font| font.page.or_else(|| of_charset(font.charset?)));
        code_page(own.unwrap_or(self.page))
    }

    /// The font, if it is one of symbols.
    pub(super) fn symbols(&self, font: i32) -> Option<SymbolFont> {
        let font = self.fonts.get(&font)?;
        SymbolFont::of(font.name.trim().trim_end_matches(';'))
    }

    pub(super) fn add_color(&mut self, color: Option<Ink>) {
        self.colors.push(color);
    }

    fn color(&self, at: i32) -> Option<Ink> {
        self.colors.get(usize::try_from(at).ok()?).copied().flatten()
    }
}
