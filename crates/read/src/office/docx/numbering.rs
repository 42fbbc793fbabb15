//! Numbers and bullets of a Word document's lists (`numbering.xml`), counted as its paragraphs come.

use super::look::run_format;
use crate::office::list_numbers::NumberStyle;
use crate::office::office_unread::OfficeFault;
use crate::office::symbol_fonts::{SymbolFont, shown};
use crate::office::xml_cursor::{XmlCursor, XmlTag};
use std::collections::{BTreeMap, HashMap, HashSet};

/// The levels of a list.
const LEVELS: usize = 9;
/// The bullet of levels whose own one is a letter of a font of symbols that is not known here.
const BULLET: &str = "•";

/// The lists of a document, and their counters.
#[derive(Debug, Default)]
pub(super) struct WordNumbering {
    lists: HashMap<String, WordList>,
    /// The kinds of lists: several lists may continue each other. In an order: of several that define a style, the first counts.
    kinds: BTreeMap<String, ListKind>,
    /// For each kind, the number of the last item of each level.
    counters: HashMap<String, [Option<u32>; LEVELS]>,
    /// Lists that have begun.
    begun: HashSet<String>,
}

#[derive(Debug, Default)]
struct WordList {
    kind: String,
    /// Levels with a number of their own to begin with, or a definition of their own.
    starts: HashMap<usize, u32>,
    levels: HashMap<usize, ListLevel>,
}

#[derive(Debug, Default)]
struct ListKind {
    levels: HashMap<usize, ListLevel>,
    /// The style whose list this one is, and the one that links to it.
    style: Option<String>,
    of_style: Option<String>,
}

#[derive(Debug, Clone, Default)]
struct ListLevel {
    start: Option<u32>,
    style: NumberStyle,
    is_bullet: bool,
    /// `%1.%2.`
    text: String,
    font: Option<SymbolFont>,
    is_legal: bool,
}

impl WordNumbering {
    /// Reads the lists of a document.
    pub(super) fn read(text: &str) -> Result<Self, OfficeFault> {
        let mut numbering = WordNumbering::default();
        let mut xml = XmlCursor::new(text);
        xml.root()?;
        while let Some(tag) = xml.child()? {
            match tag.name() {
                "abstractNum" => {
                    let id = tag.value("abstractNumId").unwrap_or_default();
                    numbering.kinds.insert(id, kind(&mut xml)?);
                }
                "num" => {
                    let id = tag.value("numId").unwrap_or_default();
                    numbering.lists.insert(id, list(&mut xml)?);
                }
                _ => xml.skip()?,
            }
        }
        Ok(numbering)
    }

    /// Counts an item of a list, and returns its number or bullet; `None` if there is no such list.
    pub(super) fn next(&mut self, id: &str, level: usize) -> Option<String> {
        let level = level.min(LEVELS - 1);
        let list = self.lists.get(id)?;
        let kind_id = self.defining(&list.kind)?;
        let kind = self.kinds.get(&kind_id)?;
        let definition = |level: usize| list.levels.get(&level).or_else(|| kind.levels.get(&level));
        let start = |level: usize| {
            let own = list.starts.get(&level).copied();
            own.or_else(|| definition(level)?.start).unwrap_or(1)
        };
        let counters = self.counters.entry(kind_id.clone()).or_default();
        if self.begun.insert(id.to_owned()) {
            for level in list.starts.keys() {
                if let Some(counter) = counters.get_mut(*level) {
                    *counter = None;
                }
            }
        }
        for (at, counter) in counters.iter_mut().enumerate() {
            if at < level {
                counter.get_or_insert_with(|| start(at));
            } else if at == level {
                *counter = Some(counter.map_or_else(|| start(at), |last| last.saturating_add(1)));
            } else {
                *counter = None;
            }
        }
        let own = definition(level)?;
        if own.is_bullet {
            return Some(bullet(own));
        }
        Some(label(own, counters, definition))
    }

    /// The kind of list that defines the levels of another one.
    fn defining(&self, kind: &str) -> Option<String> {
        let Some(style) = self.kinds.get(kind)?.of_style.as_ref() else { return Some(kind.to_owned()) };
        let mut others = self.kinds.iter();
        let defining = others.find(|(_, other)| other.style.as_ref() == Some(style));
        Some(defining.map_or_else(|| kind.to_owned(), |(id, _)| id.clone()))
    }
}

fn label<'l>(
    own: &ListLevel,
    counters: &[Option<u32>; LEVELS],
    definition: impl Fn(usize) -> Option<&'l ListLevel>,
) -> String {
    let mut label = String::new();
    let mut rest = own.text.chars();
    while let Some(character) = rest.next() {
        let level = (character == '%').then(|| rest.clone().next()?.to_digit(10)).flatten();
        let level = level.and_then(|digit| usize::try_from(digit).ok()?.checked_sub(1));
        match level {
            Some(level) => {
                rest.next();
                let style = definition(level).map(|other| other.style).unwrap_or_default();
                let is_plain = own.is_legal && style != NumberStyle::Hidden;
                let style = if is_plain { NumberStyle::Decimal } else { style };
                label.push_str(&style.print(counters.get(level).copied().flatten().unwrap_or_default()));
            }
            None => label.push(character),
        }
    }
    label
}

/// A bullet as it is seen. `o` is a circle in the fonts that lists use.
fn bullet(level: &ListLevel) -> String {
    let text = shown(level.text.trim(), level.font);
    let is_letter = text.chars().any(char::is_alphanumeric);
    if text.is_empty() || is_letter { BULLET.to_owned() } else { text }
}

fn kind(xml: &mut XmlCursor<'_>) -> Result<ListKind, OfficeFault> {
    let mut kind = ListKind::default();
    while let Some(tag) = xml.child()? {
        match tag.name() {
            "lvl" => {
                let at = tag.number("ilvl").unwrap_or_default();
                kind.levels.insert(at, level(xml)?);
            }
            "styleLink" => {
                kind.style = tag.value("val");
                xml.skip()?;
            }
            "numStyleLink" => {
                kind.of_style = tag.value("val");
                xml.skip()?;
            }
            _ => xml.skip()?,
        }
    }
    Ok(kind)
}

fn list(xml: &mut XmlCursor<'_>) -> Result<WordList, OfficeFault> {
    let mut list = WordList::default();
    while let Some(tag) = xml.child()? {
        match tag.name() {
            "abstractNumId" => {
                list.kind = tag.value("val").unwrap_or_default();
                xml.skip()?;
            }
            "lvlOverride" => {
                let at = tag.number("ilvl").unwrap_or_default();
                while let Some(tag) = xml.child()? {
                    match tag.name() {
                        "startOverride" => {
                            list.starts.extend(tag.number("val").map(|start| (at, start)));
                            xml.skip()?;
                        }
                        "lvl" => {
                            list.levels.insert(at, level(xml)?);
                        }
                        _ => xml.skip()?,
                    }
                }
            }
            _ => xml.skip()?,
        }
    }
    Ok(list)
}

fn level(xml: &mut XmlCursor<'_>) -> Result<ListLevel, OfficeFault> {
    let mut level = ListLevel::default();
    while let Some(tag) = xml.child()? {
        match tag.name() {
            "rPr" => {
                level.font = run_format(xml)?.look.font.flatten();
                continue;
            }
            "start" => level.start = tag.number("val"),
            "numFmt" => (level.style, level.is_bullet) = number_style(&tag),
            "lvlText" => level.text = tag.value("val").unwrap_or_default(),
            "isLgl" => level.is_legal = tag.is_on(),
            _ => {}
        }
        xml.skip()?;
    }
    Ok(level)
}

/// The way in which a level's numbers are printed, and whether it has a bullet instead.
fn number_style(tag: &XmlTag<'_>) -> (NumberStyle, bool) {
    match tag.value("val").as_deref() {
        Some("bullet") => (NumberStyle::Hidden, true),
        Some("none") => (NumberStyle::Hidden, false),
        Some("decimalZero") => (NumberStyle::TwoDigits, false),
        Some("upperLetter") => (NumberStyle::UpperLetter, false),
        Some("lowerLetter") => (NumberStyle::LowerLetter, false),
        Some("upperRoman") => (NumberStyle::UpperRoman, false),
        Some("lowerRoman") => (NumberStyle::LowerRoman, false),
        _ => (NumberStyle::Decimal, false),
    }
}
