//! Lists of an OpenDocument text: numbers and bullets, counted as their items come.

use crate::office::list_numbers::NumberStyle;
use crate::office::office_unread::OfficeFault;
use crate::office::symbol_fonts::shown;
use crate::office::xml_cursor::XmlCursor;
use std::collections::HashMap;

/// A style of lists.
#[derive(Debug, Clone, Default)]
pub(super) struct OpenList {
    levels: HashMap<usize, OpenLevel>,
}

#[derive(Debug, Clone, Default)]
struct OpenLevel {
    bullet: Option<String>,
    style: NumberStyle,
    prefix: String,
    suffix: String,
    /// The number of levels whose numbers are shown.
    shown: usize,
    start: u32,
}

/// The numbers of the items of a list so far, from its outermost level.
#[derive(Debug, Clone, Default)]
pub(super) struct OpenCounters(Vec<Option<u32>>);

/// Reads a style of lists.
pub(super) fn open_list(xml: &mut XmlCursor<'_>) -> Result<OpenList, OfficeFault> {
    let mut list = OpenList::default();
    while let Some(tag) = xml.child()? {
        let style = match tag.value("num-format").as_deref() {
            Some("1") => NumberStyle::Decimal,
            Some("a") => NumberStyle::LowerLetter,
            Some("A") => NumberStyle::UpperLetter,
            Some("i") => NumberStyle::LowerRoman,
            Some("I") => NumberStyle::UpperRoman,
            _ => NumberStyle::Hidden,
        };
        let level = OpenLevel {
            bullet: tag.value("bullet-char").map(|bullet| shown(&bullet, None)),
            style,
            prefix: tag.value("num-prefix").unwrap_or_default(),
            suffix: tag.value("num-suffix").unwrap_or_default(),
            shown: tag.number("display-levels").unwrap_or(1),
            start: tag.number("start-value").unwrap_or(1),
        };
        list.levels.extend(tag.number("level").map(|at| (at, level)));
        xml.skip()?;
    }
    Ok(list)
}

impl OpenList {
    /// Counts an item of a level, from 1, and returns its number or bullet.
    pub(super) fn next(
        &self,
        level: usize,
        start: Option<u32>,
        counters: &mut OpenCounters,
    ) -> Option<String> {
        let own = self.levels.get(&level)?;
        let counters = &mut counters.0;
        counters.resize(level, None);
        let last = counters.last_mut()?;
        let next = last.map_or(own.start, |last| last.saturating_add(1));
        *last = Some(start.unwrap_or(next));
        if let Some(bullet) = &own.bullet {
            return Some(bullet.clone());
        }
        let first = (level + 1).saturating_sub(own.shown.max(1)).max(1);
        let numbers = (first..=level).filter_map(|at| {
            let style = self.levels.get(&at).map(|level| level.style).unwrap_or_default();
            let number = counters.get(at.checked_sub(1)?).copied().flatten().unwrap_or(1);
            Some(style.print(number)).filter(|number| !number.is_empty())
        });
        let numbers: Vec<String> = numbers.collect();
        let label = format!("{}{}{}", own.prefix, numbers.join("."), own.suffix);
        (!numbers.is_empty()).then_some(label)
    }
}
