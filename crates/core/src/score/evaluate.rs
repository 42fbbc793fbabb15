//! Asks one test of one value. Allocates only for long lists that must be unique or must resolve.

use super::chain::broken_step;
use super::field_slots::FieldSlots;
use super::memo::{Asks, Known, Memo};
use super::wording::Shown;
use crate::rules::{
    Bound, Datatype, Index, JsonType, Moment, Reference, Test, compare_ordered, is_format, parse_date,
};
use crate::value::{Children, Decimal, Digits, Fuel, Item, JsonPath, Pointer, Segment, compare_numbers};
use jiff::civil::Date;
use std::cell::RefCell;
use std::cmp::Ordering;
use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::fmt::Write;

/// Lists up to this long are compared pairwise, which needs no memory.
const PAIRWISE: usize = 64;

/// A number, or a text that wholly is one; compared as written.
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

/// The number that a value is, or that its text wholly is.
#[inline]
fn exact(item: Item<'_>) -> Option<Number<'_>> {
    match item {
        Item::Number(number) => Some(Number::Json(number)),
        Item::Text(text) => {
            let text = text.trim();
            Decimal::of_text(text).map(|_| Number::Text(text))
        }
        _ => None,
    }
}

/// The number of a value as [`f64`], to calculate with.
fn number(item: Item<'_>) -> Option<f64> {
    let number = match item {
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

#[inline]
fn is_of(item: Item<'_>, kind: JsonType) -> bool {
    match (kind, item) {
        (JsonType::Text, Item::Text(_))
        | (JsonType::Number, Item::Number(_))
        | (JsonType::Boolean, Item::Bool(_))
        | (JsonType::List, Item::List(_))
        | (JsonType::Mapping, Item::Map(_)) => true,
        (JsonType::Integer, Item::Number(number)) => {
            number.is_i64() || number.is_u64() || number.as_f64().is_some_and(|f| f.fract() == 0.0)
        }
        (JsonType::Numeric, item) => exact(item).is_some(),
        _ => false,
    }
}

/// The context of a rule while it runs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scope<'c, 's> {
    /// The whole candidate.
    pub candidate: Item<'c>,
    /// Its top-level fields.
    pub fields: &'s FieldSlots<'c>,
    /// The value of the rule's target.
    pub value: Item<'c>,
    /// The path of that value.
    pub at: &'s Pointer<'s>,
    /// The steps that are left.
    pub fuel: &'s Fuel,
    /// The results that hold for all targets.
    pub memo: &'s RefCell<Memo<'c>>,
}

impl<'c> Scope<'c, '_> {
    /// Calls `visit` with each value that a path from the candidate selects; the fields that it begins with have these slots.
    pub(super) fn select(
        &self,
        path: &JsonPath,
        slots: &[Index],
        visit: &mut dyn FnMut(&Pointer<'_>, Item<'c>),
    ) {
        self.fields.select(self.candidate, path, slots, self.fuel, visit);
    }

    /// Calls `visit` with each value that a reference selects.
    pub(super) fn look(&self, reference: &Reference, visit: &mut dyn FnMut(Item<'c>)) {
        match reference {
            Reference::Field { name, slot } => {
                let field = match slot {
                    Some(slot) => self.fields.get(*slot),
                    None => self.candidate.member(name),
                };
                if let Some(value) = field {
                    visit(value);
                }
            }
            Reference::Root { path, slots } => self.select(path, slots, &mut |_, value| visit(value)),
            Reference::Target(path) => path.visit(self.value, self.fuel, &mut |_, value| visit(value)),
            Reference::Holder { up, path } => {
                if let Some(holder) = self.above(*up).and_then(|at| self.candidate.at(at)) {
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

    /// The path of the target's holder, `up` levels above it.
    pub(super) fn above(&self, up: usize) -> Option<&Pointer<'_>> {
        let mut at = self.at;
        for _ in 0..up {
            at = at.parent()?;
        }
        Some(at)
    }

    /// The element before the target in its list.
    fn before(&self) -> Option<Item<'c>> {
        let Some(Segment::Index(index)) = self.at.last() else { return None };
        self.candidate.at(self.at.parent()?)?.element(index.checked_sub(1)?)
    }

    /// Equal values among those that a reference into the candidate or the target selects: each that repeats another, with its
    /// pointer, and the pointer of that other.
    pub(super) fn repeated(&self, reference: &Reference) -> Vec<((String, Shown), String)> {
        let mut seen: HashMap<String, String> = HashMap::new();
        let mut repeated = Vec::new();
        let mut look = |base: &str, at: &Pointer<'_>, value: Item<'c>| {
            let place = format!("{base}{at}");
            match seen.entry(value.canonical()) {
                Entry::Occupied(first) => repeated.push(((place, Shown::of(value)), first.get().clone())),
                Entry::Vacant(free) => {
                    free.insert(place);
                }
            }
        };
        match reference {
            Reference::Root { path, slots } => self.select(path, slots, &mut |at, value| look("", at, value)),
            Reference::Target(path) => {
                let base = self.at.to_string();
                path.visit(self.value, self.fuel, &mut |at, value| look(&base, at, value));
            }
            Reference::Field { .. } | Reference::Holder { .. } | Reference::Before(_) => {}
        }
        repeated
    }

    /// The first value that a reference selects, as it is shown.
    pub(super) fn first(&self, reference: &Reference) -> Option<Shown> {
        let mut first = None;
        self.look(reference, &mut |value| {
            if first.is_none() {
                first = Some(Shown::of(value));
            }
        });
        first
    }

    /// Returns whether `item` is at most (or at least, for the largest) each value there: numbers, and dates, times and
    /// durations with others of their kind. Also when the two can't be compared.
    fn is_beyond_none(&self, item: Item<'_>, other: &Reference, asks: Asks) -> bool {
        let beyond = if asks == Asks::Smallest { Ordering::Greater } else { Ordering::Less };
        let number = exact(item);
        let order = |value: Item<'_>| match (number, exact(value)) {
            (Some(number), Some(other)) => number.compare(other),
            _ => compare_ordered(item.as_text()?.trim(), value.as_text()?.trim()),
        };
        let (Some(number), Reference::Root { path, slots }) = (number, other) else {
            let mut all = true;
            self.look(other, &mut |value| all &= order(value) != Some(beyond));
            return all;
        };
        let key = (std::ptr::from_ref(path) as usize, asks);
        let mut memo = self.memo.borrow_mut();
        let extreme = match memo.get(key) {
            Some(Known::Number(known)) => *known,
            _ => {
                let mut extreme: Option<Number<'c>> = None;
                self.select(path, slots, &mut |_, value| {
                    let more = exact(value);
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

    /// Returns whether `item` equals each value there.
    fn equals_all(&self, item: Item<'_>, other: &Reference) -> bool {
        let Reference::Root { path, slots } = other else {
            let mut same = true;
            self.look(other, &mut |value| same = same && item.equals(value, false));
            return same;
        };
        let key = (std::ptr::from_ref(path) as usize, Asks::Same);
        let mut memo = self.memo.borrow_mut();
        let known = match memo.get(key) {
            Some(Known::Same(known)) => *known,
            _ => {
                let mut known: Result<Option<Item<'c>>, ()> = Ok(None);
                self.select(path, slots, &mut |_, value| {
                    known = match known {
                        Ok(None) => Ok(Some(value)),
                        Ok(Some(first)) if first.equals(value, false) => Ok(Some(first)),
                        _ => Err(()),
                    };
                });
                memo.keep(key, Known::Same(known));
                known
            }
        };
        known.is_ok_and(|one| one.is_none_or(|one| item.equals(one, false)))
    }

    /// Returns whether a value, or each element of a list, is among those that a path selects. If asked often, it is
    /// found by the hashes of all of them; that takes memory.
    fn resolves(&self, item: Item<'_>, path: &JsonPath) -> bool {
        let wanted = if let Item::List(items) = item { items.len() } else { 0 };
        let key = (std::ptr::from_ref(path) as usize, Asks::Among);
        let mut memo = self.memo.borrow_mut();
        if memo.get(key).is_none() {
            memo.keep(key, Known::Among(0, HashSet::new()));
        }
        let Some(Known::Among(asked, known)) = memo.get(key) else { return false };
        if *asked <= PAIRWISE {
            *asked += wanted.max(1);
            if *asked > PAIRWISE {
                path.visit(self.candidate, self.fuel, &mut |_, value| {
                    known.insert(value.canonical());
                });
            }
        }
        if *asked > PAIRWISE {
            return match item {
                Item::List(_) => item.elements().all(|one| known.contains(&one.canonical())),
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
            Item::List(_) => item.elements().all(found),
            other => found(other),
        }
    }

    /// Returns whether the test holds for the target's key; `false` when it has none.
    pub(super) fn key_holds(&self, test: &Test, text: &mut String) -> bool {
        match self.at.last() {
            Some(Segment::Key(key)) => self.holds(test, Item::Text(key), text),
            Some(Segment::Index(index)) => {
                self.holds(test, Item::Number(&serde_json::Number::from(index)), text)
            }
            None => false,
        }
    }

    /// Returns whether the test holds for one of the values that a reference selects.
    pub(super) fn any_holds(&self, test: &Test, reference: &Reference, text: &mut String) -> bool {
        let mut holds = false;
        self.look(reference, &mut |value| holds = holds || self.holds(test, value, text));
        holds
    }

    /// Returns whether the test holds for `item`. `text` is room to write numbers in.
    pub(super) fn holds(&self, test: &Test, item: Item<'_>, text: &mut String) -> bool {
        match test {
            Test::Require(all) | Test::RequireWith(all) => return all.iter().all(|one| self.has_value(one)),
            Test::Forbid(all) => return !all.iter().any(|one| self.has(one)),
            Test::Present
            | Test::Type(_)
            | Test::Matches(_)
            | Test::OneOf { .. }
            | Test::Range { .. }
            | Test::Quantity(_)
            | Test::Length { .. }
            | Test::Format(_)
            | Test::FormatNamedAt(_)
            | Test::Unique { .. }
            | Test::Distinct(_)
            | Test::Uniform { .. }
            | Test::SameAs(_)
            | Test::AtMost(_)
            | Test::AtLeast(_)
            | Test::Equals(_)
            | Test::Contains { .. }
            | Test::Before(_)
            | Test::After(_)
            | Test::SumTo { .. }
            | Test::Resolves(_)
            | Test::PathResolves(_) => {}
        }
        if !item.is_present() {
            return false;
        }
        if let Some(holds) = holds_alone(test, item, text) {
            return holds;
        }
        match test {
            Test::FormatNamedAt(reference) => {
                let mut fits = true;
                self.look(reference, &mut |named| {
                    if let Some(datatype) = named.as_text().and_then(Datatype::named) {
                        fits &= text_of(item, text).is_some_and(|text| datatype.admits(text));
                    }
                });
                fits
            }
            Test::Distinct(reference) => self.repeated(reference).is_empty(),
            Test::Uniform { path } => {
                matches!(item, Item::List(_)) && different(item, path.as_ref(), self.fuel).next().is_none()
            }
            Test::SameAs(reference) => self.equals_all(item, reference),
            Test::AtMost(other) => self.is_beyond_none(item, other, Asks::Smallest),
            Test::AtLeast(other) => self.is_beyond_none(item, other, Asks::Largest),
            Test::PathResolves(chain) => {
                matches!(item, Item::List(_)) && broken_step(chain, item, self.candidate, self.fuel).is_none()
            }
            Test::Before(other) => self.compare_dates(item, other, |date, other| date < other),
            Test::After(other) => self.compare_dates(item, other, |date, other| date > other),
            Test::Resolves(path) => self.resolves(item, path),
            // These have been asked above.
            Test::Require(_)
            | Test::RequireWith(_)
            | Test::Forbid(_)
            | Test::Present
            | Test::Type(_)
            | Test::Matches(_)
            | Test::OneOf { .. }
            | Test::Range { .. }
            | Test::Quantity(_)
            | Test::Length { .. }
            | Test::Format(_)
            | Test::Unique { .. }
            | Test::Equals(_)
            | Test::Contains { .. }
            | Test::SumTo { .. } => false,
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
                    if let Some(other) = value.as_text().and_then(parse_date) {
                        all &= holds(date, other);
                    }
                });
                all
            }
        }
    }
}

/// The result of a test for a value that is present, if it inspects nothing else.
#[inline]
pub(super) fn holds_alone(test: &Test, item: Item<'_>, text: &mut String) -> Option<bool> {
    Some(match test {
        Test::Present => true,
        Test::Type(kinds) => kinds.iter().any(|kind| is_of(item, *kind)),
        Test::Matches(regex) => text_of(item, text).is_some_and(|text| regex.is_match(text)),
        Test::OneOf { values, ignore_case } => {
            values.iter().any(|value| item.equals(value.into(), *ignore_case))
        }
        Test::Range { min, max } => exact(item).is_some_and(|number| {
            let compare = |bound: &Bound| match number {
                Number::Json(number) => bound.compare(number),
                Number::Text(_) => number.compare(Number::Json(bound.number())),
            };
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
                    return Some(true);
                }
                Item::Text(text) => text.chars().count(),
                Item::List(branch) | Item::Map(branch) => {
                    // An element with nothing in it does not help to reach a number, and counts against one.
                    let holds_min = min.is_none_or(|min| branch.present() as u64 >= min);
                    return Some(holds_min && max.is_none_or(|max| branch.len() as u64 <= max));
                }
                Item::Null | Item::Bool(_) | Item::Number(_) => return Some(false),
            } as u64;
            min.is_none_or(|min| length >= min) && max.is_none_or(|max| length <= max)
        }
        Test::Format(format) => text_of(item, text).is_some_and(|text| is_format(*format, text)),
        Test::Unique { key } => is_unique(item, key.as_deref()),
        Test::Equals(value) => item.equals(value.into(), false),
        Test::Contains { pattern, value } => match item {
            Item::List(_) => item.elements().any(|one| one.equals(value.into(), true)),
            other => pattern
                .as_ref()
                .is_some_and(|pattern| text_of(other, text).is_some_and(|text| pattern.is_match(text))),
        },
        Test::SumTo { value, tolerance } => {
            let sum = match item {
                Item::List(branch) | Item::Map(branch) => sum(branch.children()),
                _ => None,
            };
            sum.is_some_and(|sum| (sum - value).abs() <= *tolerance)
        }
        Test::Require(_)
        | Test::RequireWith(_)
        | Test::Forbid(_)
        | Test::FormatNamedAt(_)
        | Test::Distinct(_)
        | Test::Uniform { .. }
        | Test::SameAs(_)
        | Test::AtMost(_)
        | Test::AtLeast(_)
        | Test::Before(_)
        | Test::After(_)
        | Test::Resolves(_)
        | Test::PathResolves(_) => return None,
    })
}

/// The text of a text, number or truth value, as JSON writes it.
#[inline]
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

fn sum(mut values: Children<'_>) -> Option<f64> {
    values.try_fold(0.0, |sum, (_, value)| Some(sum + number(value)?))
}

/// The identity of an element: itself, or one of its members.
fn side<'v>(value: Item<'v>, key: Option<&str>) -> Option<Item<'v>> {
    key.map_or(Some(value), |key| value.member(key))
}

/// The positions of the elements of a list that differ from the first one, by what a path selects in each.
pub(super) fn different<'i>(
    list: Item<'i>,
    path: Option<&'i JsonPath>,
    fuel: &'i Fuel,
) -> impl Iterator<Item = usize> + 'i {
    let mut model: Option<Vec<Item<'_>>> = None;
    list.elements().enumerate().filter_map(move |(position, item)| {
        let mut selected = Vec::new();
        match path {
            Some(path) => path.visit(item, fuel, &mut |_, value| selected.push(value)),
            None => selected.push(item),
        }
        if selected.is_empty() {
            return None;
        }
        let Some(model) = &model else {
            model = Some(selected);
            return None;
        };
        let differs =
            model.len() != selected.len() || model.iter().zip(&selected).any(|(a, b)| !a.equals(*b, false));
        differs.then_some(position)
    })
}

/// The positions of elements of a list that are equal, by a member if one is named: each that repeats another, and the first that
/// is like it.
pub(super) fn repetitions<'i>(
    list: Item<'i>,
    key: Option<&'i str>,
) -> impl Iterator<Item = (usize, usize)> + 'i {
    let mut seen = HashMap::new();
    list.elements().enumerate().filter_map(move |(position, value)| {
        let text = side(value, key)?.canonical();
        match seen.entry(text) {
            Entry::Occupied(first) => Some((position, *first.get())),
            Entry::Vacant(free) => {
                free.insert(position);
                None
            }
        }
    })
}

/// Returns whether no two elements are equal, by a member if one is named.
fn is_unique(item: Item<'_>, key: Option<&str>) -> bool {
    let Item::List(items) = item else { return false };
    if items.len() <= PAIRWISE {
        return item.elements().enumerate().all(|(at, a)| {
            let Some(a) = side(a, key) else { return true };
            item.elements().skip(at + 1).filter_map(|b| side(b, key)).all(|b| !a.equals(b, false))
        });
    }
    let mut seen = HashSet::new();
    item.elements().filter_map(|value| side(value, key)).all(|value| seen.insert(value.canonical()))
}
