//! The check `quantity`: a number with its unit, converted and checked against bounds.

use super::Test;
use super::check::{CheckOfValue, Definition};
use crate::diag::{Code, Problem, Problems};
use crate::mapping;
use crate::rules::bound::Bound;
use crate::value::decode::{Decode, Spanned};
use crate::value::shape::{Key, Shape};
use crate::value::yaml::{Data, Node};
use crate::value::{Decimal, Digits, Item, PERCENT, Unit, unit_named};
#[cfg(test)]
use serde_json::json;
use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt::{self, Write};
use std::ops::Range;

/// Connectors between numbers that share the unit after the last of them: `1.2 x 0.8 cm`, `4 to 6 mm`.
const CONNECTORS: [&str; 9] = ["x", "×", "*", "by", "to", "and", "-", "–", "±"];

/// Dashes that may be between a number and its unit: `12-mm`.
const DASHES: [char; 4] = ['-', '\u{2010}', '\u{2011}', '–'];

pub(super) const QUANTITY: Definition = Definition {
    key: Key::new(
        "quantity",
        || Shape::Mapping(Written::mapping()),
        "The text must have a number with one of these units, and each number that has one must lie within bounds. Numbers \
         joined as in `1.2 x 0.8 cm` share a unit.",
    )
    .examples(&["{ units: [mm, cm], min: 1, max: 500, in: mm }"]),
    read: |node, problems| quantity(node, problems).map(|found| Test::Quantity(Box::new(found))),
    named: |_| None,
    #[cfg(test)]
    cases,
};

/// Numbers with units, each within bounds.
#[derive(Debug, Clone)]
pub struct Quantity {
    units: Vec<Measure>,
    /// The unit of the bounds.
    within: Measure,
    min: Option<Bound>,
    max: Option<Bound>,
}

/// A unit as it is written in a rule.
#[derive(Debug, Clone)]
struct Measure {
    written: String,
    /// The unit, if it is known. One that is not known (`g/dL`) is found by its letters and is not converted.
    unit: Option<Unit>,
}

mapping! {
    /// A number with its unit, and bounds: `min`, `max` or both. The bounds themselves are allowed.
    "quantity" is "quantity";
    struct Written {
        /// The units that the number may have, all of one kind. Lengths, masses, volumes and per cent are converted; any
        /// other unit, such as `g/dL`, must be the only one.
        #[key(shaped(|| Shape::one_or_more(Shape::text("a unit such as `mm`"))), required, examples(&["[mm, cm]"]))]
        units: Vec<Spanned<String>> as String = units,
        /// The least, in the unit of `in`. Without it there is none.
        #[key(examples(&["1"]))]
        min: Option<Bound>,
        /// The greatest, in the unit of `in`. Without it there is none.
        #[key(examples(&["500"]))]
        max: Option<Bound>,
        /// The unit of `min` and `max`. Without it, the first of `units`.
        #[key(name("in"), shaped(|| Shape::text("a unit such as `mm`")), examples(&["mm"]))]
        within: Option<Spanned<String>>,
    }
}

fn units(node: &Node, problems: &mut Problems) -> Option<Vec<Spanned<String>>> {
    match &node.data {
        Data::List(_) => Decode::decode(node, problems),
        _ => Some(vec![Decode::decode(node, problems)?]),
    }
}

/// Reads the setting of the check.
fn quantity(node: &Node, problems: &mut Problems) -> Option<Quantity> {
    let Written { units, min, max, within } = Written::read_mapping(node, problems)?;
    let empty = |unit: &&Spanned<String>| unit.value.trim().is_empty();
    if let Some(unit) = units.iter().chain(&within).find(empty) {
        problems.push(Problem::error(Code::Empty, &unit.span, "a unit can't be empty"));
        return None;
    }
    let Some(first) = units.first() else {
        problems.push(Problem::error(Code::Empty, &node.span, "`units` needs at least one unit"));
        return None;
    };
    match (&min, &max) {
        (None, None) => {
            let problem = Problem::error(Code::Empty, &node.span, "give `min`, `max` or both");
            problems.push(problem.help("a number with any value and one of these units is asked by `unit`"));
            return None;
        }
        (Some(low), Some(high)) if low > high => {
            let problem = Problem::error(Code::Conflict, &node.span, "`min` is larger than `max`");
            problems.push(problem.help("swap the two"));
            return None;
        }
        _ => {}
    }
    let to = within.as_ref().unwrap_or(first);
    let target = Measure::new(&to.value);
    let mut measures = Vec::new();
    for unit in &units {
        let measure = Measure::new(&unit.value);
        if target.power_from(&measure).is_none() {
            let message = format!("`{}` can't be converted to `{}`", measure.written, target.written);
            problems.push(Problem::error(Code::Conflict, &unit.span, message).related(&to.span, "the unit of the bounds").help(
                "list units of one kind: of length, of mass, of volume or per cent; a unit that is none of these stands alone",
            ));
            return None;
        }
        measures.push(measure);
    }
    Some(Quantity { units: measures, within: target, min, max })
}

impl Measure {
    fn new(written: &str) -> Self {
        let written = written.trim().to_owned();
        let unit = if written == "%" { Some(PERCENT) } else { unit_named(&folded(&written)) };
        Measure { written, unit }
    }

    /// The power of ten that turns a number of `other` into one of this unit; none when it can't be converted.
    fn power_from(&self, other: &Measure) -> Option<i32> {
        match (self.unit, other.unit) {
            (Some(to), Some(from)) => {
                (to.dimension == from.dimension).then(|| from.power.saturating_sub(to.power))
            }
            (None, None) => (folded(&self.written) == folded(&other.written)).then_some(0),
            _ => None,
        }
    }
}

/// The text that follows a number.
enum After<'q> {
    /// One of the units.
    Unit(&'q Measure),
    /// Another unit that measures the same.
    OtherUnit,
    Nothing,
}

impl Quantity {
    /// Returns whether the text has a number with one of the units, and every number with such a unit is within the
    /// bounds. Numbers joined as in `1.2 x 0.8 cm` share a unit. `room` is for writing numbers in.
    fn admits(&self, text: &str, room: &mut String) -> bool {
        let mut seen = false;
        // Numbers that wait for their unit.
        let mut waiting: Option<Range<usize>> = None;
        let mut at = 0;
        while let Some(number) = next_number(text, at) {
            at = number.end;
            let joined = waiting.as_ref().is_some_and(|run| {
                let between = text.get(run.end..number.start).unwrap_or_default().trim();
                CONNECTORS.iter().any(|connector| connector.eq_ignore_ascii_case(between))
            });
            let start = waiting.take().filter(|_| joined).map_or(number.start, |run| run.start);
            match self.after(text.get(number.end..).unwrap_or_default()) {
                After::Nothing => waiting = Some(start..number.end),
                After::OtherUnit => return false,
                After::Unit(measure) => {
                    let Some(power) = self.within.power_from(measure) else { return false };
                    let mut from = start;
                    while let Some(one) = next_number(text, from).filter(|one| one.end <= number.end) {
                        from = one.end;
                        let negative = is_negative(text, &one, one.start == start);
                        if !self.is_within(text.get(one).unwrap_or_default(), negative, power, room) {
                            return false;
                        }
                    }
                    seen = true;
                }
            }
        }
        seen
    }

    fn after(&self, rest: &str) -> After<'_> {
        let rest = rest.trim_start();
        let rest = rest.strip_prefix(DASHES).map_or(rest, str::trim_start);
        let literal = self.units.iter().find(|measure| {
            measure.unit.is_none()
                && rest
                    .get(..measure.written.len())
                    .is_some_and(|word| folded(word) == folded(&measure.written))
                && ends_a_unit(rest.get(measure.written.len()..).unwrap_or_default())
        });
        if let Some(measure) = literal {
            return After::Unit(measure);
        }
        let unit = if let Some(rest) = rest.strip_prefix('%') {
            Some(PERCENT).filter(|_| ends_a_unit(rest))
        } else {
            let end = rest.find(|c: char| !c.is_alphabetic()).unwrap_or(rest.len());
            let (word, rest) = rest.split_at(end);
            unit_named(&folded(word)).filter(|_| ends_a_unit(rest))
        };
        let Some(unit) = unit else { return After::Nothing };
        match self.units.iter().find(|measure| measure.unit == Some(unit)) {
            Some(measure) => After::Unit(measure),
            None if self
                .units
                .iter()
                .any(|one| one.unit.is_some_and(|one| one.dimension == unit.dimension)) =>
            {
                After::OtherUnit
            }
            None => After::Nothing,
        }
    }

    fn is_within(&self, number: &str, negative: bool, power: i32, room: &mut String) -> bool {
        room.clear();
        if negative {
            room.push('-');
        }
        push_plain(number, room);
        if write!(room, "e{power}").is_err() {
            return false;
        }
        let Some(number) = Decimal::of_text(room) else { return false };
        let holds = |bound: &Option<Bound>, wanted: fn(Ordering) -> bool| {
            bound.as_ref().is_none_or(|bound| {
                let mut digits = Digits::default();
                Decimal::of_number(bound.number(), &mut digits)
                    .is_some_and(|bound| wanted(number.compare(&bound)))
            })
        };
        holds(&self.min, Ordering::is_ge) && holds(&self.max, Ordering::is_le)
    }
}

impl CheckOfValue for Quantity {
    fn looks_inside(&self) -> bool {
        false
    }

    #[inline]
    fn holds(&self, item: Item<'_>, room: &mut String) -> bool {
        match item {
            Item::Text(text) => self.admits(text, room),
            _ => false,
        }
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number in ")?;
        for (at, measure) in self.units.iter().enumerate() {
            write!(f, "{}`{}`", if at > 0 { " or " } else { "" }, measure.written)?;
        }
        let unit = &self.within.written;
        match (&self.min, &self.max) {
            (Some(min), Some(max)) => write!(f, ", from {min} to {max} {unit}"),
            (Some(min), None) => write!(f, ", of {min} {unit} or more"),
            (None, Some(max)) => write!(f, ", of {max} {unit} or less"),
            (None, None) => Ok(()),
        }
    }
}

/// Small letters, and one letter for the sign of a millionth.
fn folded(word: &str) -> Cow<'_, str> {
    if word.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase()) {
        return Cow::Borrowed(word);
    }
    Cow::Owned(word.to_lowercase().replace('µ', "μ"))
}

/// Returns whether a unit ends before `rest`: `mm` does not in `mmHg`, `mm²` or `mm/s`.
fn ends_a_unit(rest: &str) -> bool {
    !rest.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '/' | '²' | '³' | '^' | '_'))
}

/// The position of the next number, from the byte `from` on: digits with dots and commas between them. A number within
/// a word (`T2`) does not count.
fn next_number(text: &str, from: usize) -> Option<Range<usize>> {
    let mut from = from;
    loop {
        let rest = text.get(from..)?;
        let mut start = from + rest.find(|c: char| c.is_ascii_digit())?;
        let before = text.get(..start)?;
        let length = digits_and_separators(text.get(start..)?);
        let end = start + length;
        let lead = before.chars().next_back();
        if lead.is_some_and(|c| c.is_alphabetic() || c == '_') {
            from = end;
            continue;
        }
        // `.5`
        if lead == Some('.') {
            let earlier = before.get(..before.len() - 1).and_then(|before| before.chars().next_back());
            if start > from && earlier.is_none_or(|c| c.is_whitespace() || c == '(') {
                start -= 1;
            }
        }
        return Some(start..end);
    }
}

fn digits_and_separators(text: &str) -> usize {
    let mut end = 0;
    let mut separated = None;
    for (at, c) in text.char_indices() {
        match c {
            '0'..='9' => {
                separated = None;
                end = at + 1;
            }
            '.' | ',' if separated.is_none() => separated = Some(at),
            _ => break,
        }
    }
    end
}

/// Returns whether a minus sign precedes a number; between two numbers it is a range.
fn is_negative(text: &str, number: &Range<usize>, is_first: bool) -> bool {
    let before = text.get(..number.start).unwrap_or_default();
    let Some(before) = before.strip_suffix(['-', '−']) else { return false };
    is_first && before.chars().next_back().is_none_or(|c| c.is_whitespace() || c == '(')
}

/// Writes a number with a point for its decimals. `1,500` and `1.234,5` are read as grounding reads them: a comma
/// before three digits groups, of two kinds of separators the last one is decimal, and one that appears more than once
/// groups.
fn push_plain(number: &str, to: &mut String) {
    let (dots, commas) = (number.matches('.').count(), number.matches(',').count());
    let last = number.rfind(['.', ',']);
    let is_decimal = match (dots, commas) {
        (1, 0) => true,
        (0, 1) => {
            let (before, after) = number.split_once(',').unwrap_or((number, ""));
            !(after.len() == 3 && (1..=3).contains(&before.len()) && !before.starts_with('0'))
        }
        (0, 0) | (_, 0) | (0, _) => false,
        _ => true,
    };
    for (at, c) in number.char_indices() {
        match c {
            '.' | ',' if is_decimal && Some(at) == last => to.push('.'),
            '.' | ',' => {}
            digit => to.push(digit),
        }
    }
}

#[cfg(test)]
fn cases() -> Vec<super::check::Case> {
    vec![
        (
            "quantity: {units: [mm, cm], min: 1, max: 500, in: mm}",
            json!([
                "1 mm",
                "50 cm",
                "50,0 CM",
                "12-mm",
                "12mm",
                "1.2 x 0.8 cm",
                "0.1cm",
                "4 to 6 mm",
                "a 3 cm mass",
                "1,5 cm",
                "3 centimetres",
                "T2, 12 mm"
            ]),
            json!(["0.9 mm", "50.1 cm", "501 mm", "1,500 mm", "12", "mm 12", "1.2 x 60 cm", "3 kg", "0.02 m, 5 mm", "12 mmHg", "5 mm²", "-5 mm", 12, [12], {"a": "3 mm"}, "9007199254740993 mm"]),
        ),
        (
            "quantity: {units: g/dL, max: 20}",
            json!(["13.5 g/dL", "13,5 G/DL"]),
            json!(["21 g/dL", "13.5 g", "13.5 mg/dL", "3 g/dLx"]),
        ),
        ("quantity: {units: '%', min: 10}", json!(["10 %", "12.5%", "15 percent"]), json!(["9.99%", "10"])),
        ("quantity: {units: cm, min: 0.5}", json!([".5 cm", "0,500 cm"]), json!([".4 cm", "5 mm"])),
    ]
}
