//! Asks one test of one value. Allocates only for long lists that must be unique or must resolve.

use super::chain::broken_step;
use super::memo::{Asks, Known, Memo};
use crate::rules::{Bound, Datatype, JsonType, Moment, Reference, Test, is_format, parse_date};
use crate::value::{Decimal, Digits, Fuel, JsonPath, Pointer, Segment, canonical, compare_numbers};
use jiff::civil::Date;
use serde_json::{Map, Value};
use std::cell::RefCell;
use std::cmp::Ordering;
use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::fmt::Write;

/// Lists up to this long are compared pairwise, which needs no memory.
const PAIRWISE: usize = 64;

/// What a test looks at: a JSON value, or the key under which one stands.
#[derive(Debug, Clone, Copy)]
pub(super) enum Item<'a> {
    Null,
    Bool(bool),
    Number(&'a serde_json::Number),
    Text(&'a str),
    List(&'a [Value]),
    Map(&'a Map<String, Value>),
}

impl<'a> From<&'a Value> for Item<'a> {
    fn from(value: &'a Value) -> Self {
        match value {
            Value::Null => Item::Null,
            Value::Bool(b) => Item::Bool(*b),
            Value::Number(number) => Item::Number(number),
            Value::String(text) => Item::Text(text),
            Value::Array(items) => Item::List(items),
            Value::Object(members) => Item::Map(members),
        }
    }
}

/// A number, or a text that wholly is one; compared as it is written.
#[derive(Debug, Clone, Copy)]
pub(super) enum Number<'a> {
    Json(&'a serde_json::Number),
    Text(&'a str),
}

impl Number<'_> {
    fn compare(self, other: Number<'_>) -> Option<Ordering> {
        if let (Number::Json(a), Number::Json(b)) = (self, other) {
            return compare_numbers(a, b);
        }
        let (mut room, mut others) = (Digits::default(), Digits::default());
        Some(self.decimal(&mut room)?.compare(&other.decimal(&mut others)?))
    }

    fn decimal<'r>(&'r self, room: &'r mut Digits) -> Option<Decimal<'r>> {
        match self {
            Number::Json(number) => Decimal::of_number(number, room),
            Number::Text(text) => Decimal::of_text(text),
        }
    }
}

impl<'a> Item<'a> {
    /// The number that it is, or that its text wholly is.
    fn exact(&self) -> Option<Number<'a>> {
        match *self {
            Item::Number(number) => Some(Number::Json(number)),
            Item::Text(text) => {
                let text = text.trim();
                Decimal::of_text(text).map(|_| Number::Text(text))
            }
            _ => None,
        }
    }
}

impl Item<'_> {
    fn is_present(&self) -> bool {
        match self {
            Item::Null => false,
            Item::Text(text) => !text.is_empty(),
            Item::List(items) => !items.is_empty(),
            Item::Map(members) => !members.is_empty(),
            Item::Bool(_) | Item::Number(_) => true,
        }
    }

    /// The same, to count with.
    fn number(&self) -> Option<f64> {
        let number = match self {
            Item::Number(number) => number.as_f64()?,
            Item::Text(text) => {
                let text = text.trim();
                // The standard library also reads `inf`, `nan` and `infinity`.
                if text.contains(|c: char| c.is_alphabetic() && !matches!(c, 'e' | 'E')) {
                    return None;
                }
                text.parse().ok()?
            }
            _ => return None,
        };
        number.is_finite().then_some(number)
    }

    fn is_of(&self, kind: JsonType) -> bool {
        match (kind, self) {
            (JsonType::Text, Item::Text(_))
            | (JsonType::Number, Item::Number(_))
            | (JsonType::Boolean, Item::Bool(_))
            | (JsonType::List, Item::List(_))
            | (JsonType::Mapping, Item::Map(_)) => true,
            (JsonType::Integer, Item::Number(number)) => {
                number.is_i64() || number.is_u64() || number.as_f64().is_some_and(|f| f.fract() == 0.0)
            }
            (JsonType::Numeric, item) => item.exact().is_some(),
            _ => false,
        }
    }

    /// One text for all that are equal.
    fn canonical(&self) -> String {
        match self {
            Item::Null => canonical(&Value::Null),
            Item::Bool(b) => canonical(&Value::Bool(*b)),
            Item::Number(number) => canonical(&Value::Number((*number).clone())),
            Item::Text(text) => canonical(&Value::from(*text)),
            Item::List(items) => canonical(&Value::from(*items)),
            Item::Map(members) => canonical(&Value::Object((*members).clone())),
        }
    }

    pub(super) fn equals(&self, value: &Value, ignore_case: bool) -> bool {
        match (self, value) {
            (Item::Text(a), Value::String(b)) if ignore_case => same_letters(a, b),
            (Item::Text(a), Value::String(b)) => a == b,
            (Item::Null, Value::Null) => true,
            (Item::Bool(a), Value::Bool(b)) => a == b,
            (Item::Number(a), Value::Number(b)) => same_number(a, b),
            (Item::List(a), Value::Array(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(x, y)| Item::from(x).equals(y, ignore_case))
            }
            (Item::Map(a), Value::Object(b)) => {
                a.len() == b.len()
                    && a.iter()
                        .all(|(key, x)| b.get(key).is_some_and(|y| Item::from(x).equals(y, ignore_case)))
            }
            _ => false,
        }
    }
}

fn same_letters(a: &str, b: &str) -> bool {
    a.chars().flat_map(char::to_lowercase).eq(b.chars().flat_map(char::to_lowercase))
}

fn same_number(a: &serde_json::Number, b: &serde_json::Number) -> bool {
    compare_numbers(a, b) == Some(Ordering::Equal)
}

/// Where a rule stands while it runs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scope<'c, 's> {
    /// The whole candidate.
    pub candidate: &'c Value,
    /// The value of the rule's target.
    pub value: &'s Value,
    /// Where that stands.
    pub at: &'s Pointer<'s>,
    /// How much may still be looked at.
    pub fuel: &'s Fuel,
    /// What holds for all targets.
    pub memo: &'s RefCell<Memo<'c>>,
}

impl<'c> Scope<'c, '_> {
    /// Calls `visit` with each value that a reference selects.
    pub(super) fn look(&self, reference: &Reference, visit: &mut dyn FnMut(&Value)) {
        match reference {
            Reference::Field(name) => {
                if let Some(value) = self.candidate.get(name) {
                    visit(value);
                }
            }
            Reference::Root(path) => path.visit(self.candidate, self.fuel, &mut |_, value| visit(value)),
            Reference::Target(path) => path.visit(self.value, self.fuel, &mut |_, value| visit(value)),
            Reference::Holder { up, path } => {
                if let Some(holder) = self.above(*up).and_then(|at| at.resolve(self.candidate)) {
                    path.visit(holder, self.fuel, &mut |_, value| visit(value));
                }
            }
            Reference::Before(path) => {
                if let Some(before) = self.before() {
                    path.visit(before, self.fuel, &mut |_, value| visit(value));
                }
            }
        }
    }

    /// Where what holds the target stands, `up` levels above it.
    pub(super) fn above(&self, up: usize) -> Option<&Pointer<'_>> {
        let mut at = self.at;
        for _ in 0..up {
            at = at.parent()?;
        }
        Some(at)
    }

    /// The element before the target in its list.
    fn before(&self) -> Option<&Value> {
        let Some(Segment::Index(index)) = self.at.last() else { return None };
        self.at.parent()?.resolve(self.candidate)?.get(index.checked_sub(1)?)
    }

    /// The pointers of two equal values among those that a reference into the candidate or the target selects: the first
    /// that repeats another, and that other.
    pub(super) fn repeated(&self, reference: &Reference) -> Option<(String, String)> {
        let mut seen: HashMap<String, String> = HashMap::new();
        let mut repeated = None;
        let mut look = |base: &str, path: &JsonPath, root: &Value| {
            path.visit(root, self.fuel, &mut |at, value| {
                if repeated.is_some() {
                    return;
                }
                let place = format!("{base}{at}");
                match seen.entry(canonical(value)) {
                    Entry::Occupied(first) => repeated = Some((place, first.get().clone())),
                    Entry::Vacant(free) => {
                        free.insert(place);
                    }
                }
            });
        };
        match reference {
            Reference::Root(path) => look("", path, self.candidate),
            Reference::Target(path) => look(&self.at.to_string(), path, self.value),
            Reference::Field(_) | Reference::Holder { .. } | Reference::Before(_) => {}
        }
        repeated
    }

    /// The first value that a reference selects.
    pub(super) fn first(&self, reference: &Reference) -> Option<Value> {
        let mut first = None;
        self.look(reference, &mut |value| {
            if first.is_none() {
                first = Some(value.clone());
            }
        });
        first
    }

    /// Whether the number `item` is at most (or at least, for the largest) each number there; also when one of the two is
    /// none.
    fn is_beyond_none(&self, item: Item<'_>, other: &Reference, asks: Asks) -> bool {
        let Some(number) = item.exact() else { return true };
        let beyond = if asks == Asks::Smallest { Ordering::Greater } else { Ordering::Less };
        let Reference::Root(path) = other else {
            let mut all = true;
            self.look(other, &mut |value| {
                all &= Item::from(value).exact().is_none_or(|other| number.compare(other) != Some(beyond));
            });
            return all;
        };
        let key = (std::ptr::from_ref(path) as usize, asks);
        let mut memo = self.memo.borrow_mut();
        let extreme = match memo.get(key) {
            Some(Known::Number(known)) => *known,
            _ => {
                let mut extreme: Option<Number<'c>> = None;
                path.visit(self.candidate, self.fuel, &mut |_, value| {
                    let more = Item::from(value).exact();
                    if let Some(more) = more
                        && extreme.is_none_or(|known| known.compare(more) == Some(beyond))
                    {
                        extreme = Some(more);
                    }
                });
                memo.keep(key, Known::Number(extreme));
                extreme
            }
        };
        extreme.is_none_or(|extreme| number.compare(extreme) != Some(beyond))
    }

    /// Whether `item` equals each value there.
    fn equals_all(&self, item: Item<'_>, other: &Reference) -> bool {
        let Reference::Root(path) = other else {
            let mut same = true;
            self.look(other, &mut |value| same = same && item.equals(value, false));
            return same;
        };
        let key = (std::ptr::from_ref(path) as usize, Asks::Same);
        let mut memo = self.memo.borrow_mut();
        let known = match memo.get(key) {
            Some(Known::Same(known)) => *known,
            _ => {
                let mut known: Result<Option<&'c Value>, ()> = Ok(None);
                path.visit(self.candidate, self.fuel, &mut |_, value| {
                    known = match known {
                        Ok(None) => Ok(Some(value)),
                        Ok(Some(first)) if Item::from(first).equals(value, false) => Ok(Some(first)),
                        _ => Err(()),
                    };
                });
                memo.keep(key, Known::Same(known));
                known
            }
        };
        known.is_ok_and(|one| one.is_none_or(|one| item.equals(one, false)))
    }

    /// Whether a reference selects a value that is present.
    pub(super) fn has(&self, reference: &Reference) -> bool {
        let look = || {
            let mut found = false;
            self.look(reference, &mut |value| found |= Item::from(value).is_present());
            found
        };
        let Reference::Root(path) = reference else { return look() };
        let key = (std::ptr::from_ref(path) as usize, Asks::Present);
        if let Some(Known::Present(known)) = self.memo.borrow_mut().get(key) {
            return *known;
        }
        let found = look();
        self.memo.borrow_mut().keep(key, Known::Present(found));
        found
    }

    /// Whether a value, or each element of a list, is among those that a path selects. What is asked often is found by
    /// what all of them hash to; that takes memory.
    fn resolves(&self, item: Item<'_>, path: &JsonPath) -> bool {
        let wanted: &[Value] = match &item {
            Item::List(items) => items,
            _ => &[],
        };
        let key = (std::ptr::from_ref(path) as usize, Asks::Among);
        let mut memo = self.memo.borrow_mut();
        if memo.get(key).is_none() {
            memo.keep(key, Known::Among(0, HashSet::new()));
        }
        let Some(Known::Among(asked, known)) = memo.get(key) else { return false };
        if *asked <= PAIRWISE {
            *asked += wanted.len().max(1);
            if *asked > PAIRWISE {
                path.visit(self.candidate, self.fuel, &mut |_, value| {
                    known.insert(canonical(value));
                });
            }
        }
        if *asked > PAIRWISE {
            return match item {
                Item::List(items) => items.iter().all(|one| known.contains(&canonical(one))),
                other => known.contains(&other.canonical()),
            };
        }
        drop(memo);
        let found = |wanted: Item<'_>| {
            let mut found = false;
            path.visit(self.candidate, self.fuel, &mut |_, value| {
                found = found || wanted.equals(value, false);
            });
            found
        };
        match item {
            Item::List(items) => items.iter().all(|one| found(one.into())),
            other => found(other),
        }
    }

    /// Whether the test holds for the target's key; false when it has none.
    pub(super) fn key_holds(&self, test: &Test, text: &mut String) -> bool {
        match self.at.last() {
            Some(Segment::Key(key)) => self.holds(test, Item::Text(key), text),
            Some(Segment::Index(index)) => {
                self.holds(test, Item::Number(&serde_json::Number::from(index)), text)
            }
            None => false,
        }
    }

    /// Whether the test holds for one of the values that a reference selects.
    pub(super) fn any_holds(&self, test: &Test, reference: &Reference, text: &mut String) -> bool {
        let mut holds = false;
        self.look(reference, &mut |value| holds = holds || self.holds(test, value.into(), text));
        holds
    }

    /// Whether the test holds for `item`. `text` is room to write numbers in.
    pub(super) fn holds(&self, test: &Test, item: Item<'_>, text: &mut String) -> bool {
        match test {
            Test::Require(all) | Test::RequireWith(all) => return all.iter().all(|one| self.has(one)),
            Test::Forbid(all) => return !all.iter().any(|one| self.has(one)),
            _ => {}
        }
        if !item.is_present() {
            return false;
        }
        match test {
            Test::Present | Test::Require(_) | Test::RequireWith(_) | Test::Forbid(_) => true,
            Test::Type(kinds) => kinds.iter().any(|kind| item.is_of(*kind)),
            Test::Matches(regex) => text_of(item, text).is_some_and(|text| regex.is_match(text)),
            Test::OneOf { values, ignore_case } => {
                values.iter().any(|value| item.equals(value, *ignore_case))
            }
            Test::Range { min, max } => item.exact().is_some_and(|number| {
                let compare = |bound: &Bound| number.compare(Number::Json(bound.number()));
                min.as_ref().is_none_or(|min| compare(min).is_some_and(Ordering::is_ge))
                    && max.as_ref().is_none_or(|max| compare(max).is_some_and(Ordering::is_le))
            }),
            Test::Quantity(quantity) => match item {
                Item::Text(written) => quantity.admits(written, text),
                _ => false,
            },
            Test::Length { min, max } => {
                let length = match item {
                    // A text has at most as many characters as bytes.
                    Item::Text(text) if min.is_none() && max.is_some_and(|max| text.len() as u64 <= max) => {
                        return true;
                    }
                    Item::Text(text) => text.chars().count(),
                    Item::List(items) => items.len(),
                    Item::Map(members) => members.len(),
                    _ => return false,
                } as u64;
                min.is_none_or(|min| length >= min) && max.is_none_or(|max| length <= max)
            }
            Test::Format(format) => text_of(item, text).is_some_and(|text| is_format(*format, text)),
            Test::FormatNamedAt(reference) => {
                let mut fits = true;
                self.look(reference, &mut |named| {
                    if let Some(datatype) = named.as_str().and_then(Datatype::named) {
                        fits &= text_of(item, text).is_some_and(|text| datatype.admits(text));
                    }
                });
                fits
            }
            Test::Distinct(reference) => self.repeated(reference).is_none(),
            Test::Uniform { path } => match item {
                Item::List(items) => first_different(items, path.as_ref(), self.fuel).is_none(),
                _ => false,
            },
            Test::SameAs(reference) => self.equals_all(item, reference),
            Test::AtMost(other) => self.is_beyond_none(item, other, Asks::Smallest),
            Test::AtLeast(other) => self.is_beyond_none(item, other, Asks::Largest),
            Test::PathResolves(chain) => match item {
                Item::List(steps) => broken_step(chain, steps, self.candidate, self.fuel).is_none(),
                _ => false,
            },
            Test::Unique { key } => is_unique(item, key.as_deref()),
            Test::Equals(value) => item.equals(value, false),
            Test::Contains { pattern, value } => match item {
                Item::List(items) => items.iter().any(|one| Item::from(one).equals(value, true)),
                other => pattern
                    .as_ref()
                    .is_some_and(|pattern| text_of(other, text).is_some_and(|text| pattern.is_match(text))),
            },
            Test::Before(other) => self.compare_dates(item, other, |date, other| date < other),
            Test::After(other) => self.compare_dates(item, other, |date, other| date > other),
            Test::SumTo { value, tolerance } => {
                let sum = match item {
                    Item::List(items) => sum(items.iter()),
                    Item::Map(members) => sum(members.values()),
                    _ => None,
                };
                sum.is_some_and(|sum| (sum - value).abs() <= *tolerance)
            }
            Test::Resolves(path) => self.resolves(item, path),
        }
    }

    /// A date compared with another; the other side's absence is not this value's fault.
    fn compare_dates(&self, item: Item<'_>, other: &Moment, holds: fn(Date, Date) -> bool) -> bool {
        let Item::Text(text) = item else { return false };
        let Some(date) = parse_date(text) else { return false };
        match other {
            Moment::Literal(other) => holds(date, *other),
            Moment::At(reference) => {
                let mut all = true;
                self.look(reference, &mut |value| {
                    if let Some(other) = value.as_str().and_then(parse_date) {
                        all &= holds(date, other);
                    }
                });
                all
            }
        }
    }
}

/// The text of a text, number or truth value, as JSON writes it.
fn text_of<'t>(item: Item<'t>, room: &'t mut String) -> Option<&'t str> {
    match item {
        Item::Text(text) => Some(text),
        Item::Bool(b) => Some(if b { "true" } else { "false" }),
        Item::Number(number) => {
            room.clear();
            // Writing to a String can't fail.
            let _ = write!(room, "{number}");
            Some(room)
        }
        Item::Null | Item::List(_) | Item::Map(_) => None,
    }
}

fn sum<'v>(mut values: impl Iterator<Item = &'v Value>) -> Option<f64> {
    values.try_fold(0.0, |sum, value| Some(sum + Item::from(value).number()?))
}

/// What tells an element apart: itself, or one of its members.
fn side<'v>(value: &'v Value, key: Option<&str>) -> Option<&'v Value> {
    key.map_or(Some(value), |key| value.get(key))
}

/// The position of the first element that differs from the first one, by what a path selects in each.
pub(super) fn first_different(items: &[Value], path: Option<&JsonPath>, fuel: &Fuel) -> Option<usize> {
    let mut model: Option<Vec<&Value>> = None;
    items.iter().position(|item| {
        let mut selected = Vec::new();
        match path {
            Some(path) => path.visit(item, fuel, &mut |_, value| selected.push(value)),
            None => selected.push(item),
        }
        if selected.is_empty() {
            return false;
        }
        let Some(model) = &model else {
            model = Some(selected);
            return false;
        };
        model.len() != selected.len()
            || model.iter().zip(&selected).any(|(a, b)| !Item::from(*a).equals(b, false))
    })
}

/// The positions of two elements that are equal, by a member if one is named: the first that repeats another, and that
/// other.
pub(super) fn repetition(items: &[Value], key: Option<&str>) -> Option<(usize, usize)> {
    let mut seen = HashMap::new();
    items.iter().enumerate().find_map(|(position, value)| {
        let text = canonical(side(value, key)?);
        match seen.entry(text) {
            Entry::Occupied(first) => Some((position, *first.get())),
            Entry::Vacant(free) => {
                free.insert(position);
                None
            }
        }
    })
}

/// Whether no two elements are equal, by a member if one is named.
fn is_unique(item: Item<'_>, key: Option<&str>) -> bool {
    let Item::List(items) = item else { return false };
    if items.len() <= PAIRWISE {
        return items.iter().enumerate().all(|(i, a)| {
            let Some(a) = side(a, key) else { return true };
            items.iter().skip(i + 1).filter_map(|b| side(b, key)).all(|b| !Item::from(a).equals(b, false))
        });
    }
    let mut seen = HashSet::new();
    items.iter().filter_map(|value| side(value, key)).all(|value| seen.insert(canonical(value)))
}
