//! Number formats of spreadsheets: a number as its cell shows it.
//!
//! Two things are written in one way, whatever the format: days as `2024-08-17`, because the order of a day and a month is
//! the reader's, and thousands without a sign between them, because that sign is a decimal one elsewhere.

mod date_format;
mod pattern;

use self::date_format::DateFormat;
use self::pattern::NumberPattern;

/// The most significant digits of a number that a spreadsheet keeps.
const DIGITS: usize = 14;

/// A format of numbers, dates and texts.
#[derive(Debug, Clone, Default)]
pub(super) struct NumberFormat {
    /// For positive numbers, negative ones, zero, and texts; fewer serve for the others.
    sections: Vec<FormatSection>,
}

#[derive(Debug, Clone)]
struct FormatSection {
    /// The numbers that it is for, if it says so itself.
    condition: Option<(NumberComparison, f64)>,
    kind: FormatKind,
}

#[derive(Debug, Clone)]
enum FormatKind {
    /// As many digits as the number has.
    General,
    /// Nothing is shown.
    Hidden,
    /// Only words, or the text of the cell.
    Words(String),
    Date(DateFormat),
    Number(NumberPattern),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NumberComparison {
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Equal,
    Other,
}

/// The day from which a workbook counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum FirstDay {
    /// The last day of 1899.
    #[default]
    Of1900,
    /// The first day of 1904.
    Of1904,
}

impl NumberFormat {
    /// The format that this code describes.
    pub(super) fn of(code: &str) -> Self {
        NumberFormat {
            sections: split_sections(code).into_iter().map(|section| section_of(&section)).collect(),
        }
    }

    /// The format that has this number without being described.
    pub(super) fn built_in(number: u32) -> Self {
        NumberFormat::of(match number {
            1 => "0",
            2 => "0.00",
            3 | 37 | 38 => "#,##0",
            4 | 39 | 40 => "#,##0.00",
            9 => "0%",
            10 => "0.00%",
            14..=16 | 27..=31 | 34..=36 | 50..=54 | 57 | 58 => "yyyy-mm-dd",
            17 | 55 | 56 => "yyyy-mm",
            18 | 20 | 32 => "h:mm",
            19 | 21 | 33 => "h:mm:ss",
            22 => "yyyy-mm-dd h:mm",
            45 => "mm:ss",
            46 => "[h]:mm:ss",
            47 => "mm:ss.0",
            49 => "@",
            _ => "General",
        })
    }

    /// A number as it is shown.
    pub(super) fn number(&self, value: f64, first_day: FirstDay) -> String {
        let Some((section, is_abs)) = self.section(value) else { return general(value) };
        let shown = if is_abs { value.abs() } else { value };
        match &section.kind {
            FormatKind::General => general(shown),
            FormatKind::Hidden => String::new(),
            FormatKind::Words(words) => words.replace('@', &general(value)),
            FormatKind::Date(format) => format.print(value, first_day).unwrap_or_else(|| general(value)),
            FormatKind::Number(pattern) => pattern.print(shown),
        }
    }

    /// Returns whether texts are shown.
    pub(super) fn shows_texts(&self) -> bool {
        !matches!(self.sections.get(3), Some(FormatSection { kind: FormatKind::Hidden, .. }))
    }

    /// The section for a number, and whether it shows the number without its sign.
    fn section(&self, value: f64) -> Option<(&FormatSection, bool)> {
        let numbers = self.sections.get(..self.sections.len().min(3))?;
        if numbers.iter().any(|section| section.condition.is_some()) {
            let holds = |section: &&FormatSection| {
                section.condition.is_none_or(|(comparison, bound)| comparison.holds(value, bound))
            };
            return numbers.iter().find(holds).map(|section| (section, false));
        }
        match numbers {
            [] => None,
            [one] => Some((one, false)),
            [positive, negative] => Some(if value < 0.0 { (negative, true) } else { (positive, false) }),
            [positive, negative, zero, ..] => Some(if value < 0.0 {
                (negative, true)
            } else if value == 0.0 {
                (zero, false)
            } else {
                (positive, false)
            }),
        }
    }
}

impl NumberComparison {
    fn holds(self, value: f64, bound: f64) -> bool {
        match self {
            NumberComparison::Less => value < bound,
            NumberComparison::LessOrEqual => value <= bound,
            NumberComparison::Greater => value > bound,
            NumberComparison::GreaterOrEqual => value >= bound,
            NumberComparison::Equal => value == bound,
            NumberComparison::Other => value != bound,
        }
    }
}

/// A number with as many digits as it has.
pub(super) fn general(value: f64) -> String {
    if !value.is_finite() {
        return String::new();
    }
    let rounded: f64 = format!("{value:.DIGITS$e}").parse().unwrap_or(value);
    // Not `-0`.
    format!("{}", rounded + 0.0)
}

/// The sections of a code, which `;` sets apart.
fn split_sections(code: &str) -> Vec<Vec<FormatToken>> {
    let mut sections = vec![Vec::new()];
    for token in tokens(code) {
        if token == FormatToken::Next {
            sections.push(Vec::new());
        } else if let Some(last) = sections.last_mut() {
            last.push(token);
        }
    }
    sections
}

/// A part of a format's code.
#[derive(Debug, Clone, PartialEq)]
enum FormatToken {
    /// Text that is shown as it is.
    Literal(String),
    /// A part in brackets.
    Bracket(String),
    /// A letter or sign that means something.
    Sign(char),
    /// The end of a section.
    Next,
}

fn tokens(code: &str) -> Vec<FormatToken> {
    let mut found = Vec::new();
    let mut rest = code.chars();
    while let Some(character) = rest.next() {
        found.push(match character {
            '"' => FormatToken::Literal(rest.by_ref().take_while(|c| *c != '"').collect()),
            '\\' | '!' => FormatToken::Literal(rest.next().map(String::from).unwrap_or_default()),
            '[' => FormatToken::Bracket(rest.by_ref().take_while(|c| *c != ']').collect()),
            // A blank as wide as the next character; a character that fills the cell.
            '_' => {
                rest.next();
                FormatToken::Literal(" ".to_owned())
            }
            '*' => {
                rest.next();
                continue;
            }
            ';' => FormatToken::Next,
            character => FormatToken::Sign(character),
        });
    }
    found
}

fn section_of(tokens: &[FormatToken]) -> FormatSection {
    let mut condition = None;
    let mut kept = Vec::new();
    for token in tokens {
        match token {
            FormatToken::Bracket(text) if text.starts_with(['<', '>', '=']) => condition = compared(text),
            // `[$€-407]` is a currency and a language.
            FormatToken::Bracket(text) if text.starts_with('$') => {
                let currency = text.strip_prefix('$').unwrap_or(text).split('-').next().unwrap_or_default();
                kept.push(FormatToken::Literal(currency.to_owned()));
            }
            FormatToken::Bracket(text) if DateFormat::is_elapsed(text) => kept.push(token.clone()),
            // Colours.
            FormatToken::Bracket(_) => {}
            FormatToken::Literal(_) | FormatToken::Sign(_) | FormatToken::Next => kept.push(token.clone()),
        }
    }
    FormatSection { condition, kind: kind_of(&kept) }
}

fn compared(text: &str) -> Option<(NumberComparison, f64)> {
    let bound = text.trim_start_matches(['<', '>', '=']);
    let comparison = match text.get(..text.len() - bound.len())? {
        "<" => NumberComparison::Less,
        "<=" => NumberComparison::LessOrEqual,
        ">" => NumberComparison::Greater,
        ">=" => NumberComparison::GreaterOrEqual,
        "<>" => NumberComparison::Other,
        _ => NumberComparison::Equal,
    };
    Some((comparison, bound.trim().parse().ok()?))
}

fn kind_of(tokens: &[FormatToken]) -> FormatKind {
    let signs: String = tokens
        .iter()
        .filter_map(|token| match token {
            FormatToken::Sign(sign) => Some(*sign),
            FormatToken::Literal(_) | FormatToken::Bracket(_) | FormatToken::Next => None,
        })
        .collect();
    if tokens.is_empty() {
        return FormatKind::Hidden;
    }
    if signs.to_ascii_lowercase().contains("general") {
        return FormatKind::General;
    }
    if let Some(date) = DateFormat::of(tokens) {
        return FormatKind::Date(date);
    }
    // Fractions and powers of ten: the number itself says as much.
    if signs.contains(['/', 'E', 'e']) {
        return FormatKind::General;
    }
    if signs.contains(['0', '#', '?']) {
        return FormatKind::Number(NumberPattern::of(tokens));
    }
    FormatKind::Words(words(tokens))
}

/// The words and signs of a section.
fn words(tokens: &[FormatToken]) -> String {
    tokens
        .iter()
        .map(|token| match token {
            FormatToken::Literal(text) => text.clone(),
            FormatToken::Sign(sign) => sign.to_string(),
            FormatToken::Bracket(_) | FormatToken::Next => String::new(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(code: &str, value: f64) -> String {
        NumberFormat::of(code).number(value, FirstDay::Of1900)
    }

    #[test]
    fn numbers_are_shown_as_their_format_says() {
        for (code, value, expected) in [
            ("General", 0.1 + 0.2, "0.3"),
            ("General", 4_012_345_678_901.0, "4012345678901"),
            ("General", -0.0, "0"),
            ("0.00", 2.345_678, "2.35"),
            ("#,##0.00", 1234.5, "1234.50"),
            ("#,##0.0#", 1234.5, "1234.5"),
            ("0%", 0.456, "46%"),
            ("0.0 %", 0.4567, "45.7 %"),
            ("00000", 1234.0, "01234"),
            ("000\\-0000", 5_551_234.0, "555-1234"),
            ("#,##0.00 \"€\"", -3.5, "-3.50 €"),
            ("[$$-409]#,##0.00", 12.0, "$12.00"),
            ("#,##0;[Red]\\(#,##0\\)", -1500.0, "(1500)"),
            ("#,##0;-#,##0;\"none\"", 0.0, "none"),
            ("[<1]\"<1\";0.0", 0.2, "<1"),
            ("[<1]\"<1\";0.0", 3.0, "3.0"),
            (";;;", 5.0, ""),
            ("0.0,,\" M\"", 12_300_000.0, "12.3 M"),
            ("0.00E+00", 12345.0, "12345"),
            ("# ?/?", 0.5, "0.5"),
            ("#", 0.0, ""),
            ("#.##", 0.5, "0.5"),
            ("@", 7.0, "7"),
            ("0 \"mg/dl\"", 140.2, "140 mg/dl"),
            ("0.0", -0.01, "0.0"),
        ] {
            assert_eq!(shown(code, value).trim(), expected, "{code} {value}");
        }
        assert!(!NumberFormat::of(";;;").shows_texts());
        assert!(NumberFormat::of("0.00").shows_texts());
    }

    #[test]
    fn days_are_written_in_one_way() {
        for (code, value, expected) in [
            ("dd/mm/yyyy", 45_521.0, "2024-08-17"),
            ("m/d/yy h:mm", 45_521.562_5, "2024-08-17 13:30"),
            ("d. mmmm yyyy", 45_521.0, "2024-08-17"),
            ("[$-F800]dddd\\,\\ mmmm\\ dd\\,\\ yyyy", 45_521.0, "2024-08-17"),
            ("mmm yyyy", 45_521.0, "2024-08"),
            ("yyyy", 45_521.0, "2024"),
            ("h:mm:ss AM/PM", 0.75, "18:00:00"),
            ("[h]:mm", 1.25, "30:00"),
            ("mm:ss", 0.0625, "30:00"),
            ("yyyy-mm-dd", 1.0, "1900-01-01"),
            ("yyyy-mm-dd", 59.0, "1900-02-28"),
            ("yyyy-mm-dd", 61.0, "1900-03-01"),
            ("yyyy-mm-dd", -5.0, "-5"),
            ("yyyy-mm-dd", 1e12, "1000000000000"),
            ("yyyy-mm-dd hh:mm", 45_520.999_999_9, "2024-08-17 00:00"),
        ] {
            assert_eq!(shown(code, value), expected, "{code} {value}");
        }
        assert_eq!(NumberFormat::built_in(14).number(44_059.0, FirstDay::Of1904), "2024-08-17");
    }
}
