//! Judging a record: for each value, whether the document prints it where its field of its item belongs.

use crate::cell_doubt::{self, LabelledPlace};
use crate::clause::Doubt;
use crate::columns::{ColumnAgreement, MemberColumn};
use crate::document::Document;
use crate::field::{LabelWords, Synonyms, count, key_words};
use crate::field_names::FieldNames;
use crate::find::{Kind, Place};
use crate::groups;
use crate::label::{CellLabel, Position, labels};
use crate::leaves::{FlatRecord, RecordLeaf};
use crate::number::{self, value_key};
use crate::{rows, transposed};
use serde_json::Value;
use std::cell::OnceCell;
use std::collections::HashMap;
use std::ops::Range;

/// The support of a document for a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Support {
    /// Printed in the row and column, or under the label, of its field and item.
    Verified,
    /// Printed, but nothing tells that it is of this field of this item.
    Undecided,
    /// Printed nowhere in any spelling.
    Unsupported,
    /// Another number is printed in the row of its item and the column of its field.
    Contradicted,
}

impl Support {
    /// The name in outputs.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Support::Verified => "verified",
            Support::Undecided => "undecided",
            Support::Unsupported => "unsupported",
            Support::Contradicted => "contradicted",
        }
    }
}

/// The way in which a place is bound to a field of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Binding {
    /// In the item's row, and in the column of the field.
    Cell,
    /// In the item's row; the list is too short to show columns.
    Row,
    /// Above the item's row, in the heading or the first row of its group.
    Group,
    /// Behind or right of the field's label.
    Labelled,
    /// Below the field's label.
    LabelledAbove,
    /// In the element or member of markup that is called as the field.
    Element,
    /// The only place of a value that no other field claims.
    Alone,
    /// Nothing binds it.
    None,
}

impl Binding {
    /// The name in outputs.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Binding::Cell => "cell",
            Binding::Row => "row",
            Binding::Group => "group",
            Binding::Labelled => "labelled",
            Binding::LabelledAbove => "labelled_above",
            Binding::Element => "element",
            Binding::Alone => "alone",
            Binding::None => "none",
        }
    }

    /// The words that report it to users.
    #[must_use]
    pub fn reason(self) -> &'static str {
        match self {
            Binding::Cell => "in the row of its item and the column of its field",
            Binding::Row => "in the row of its item",
            Binding::Group => "in the heading or first row of its item's group",
            Binding::Labelled => "behind or right of the label of its field",
            Binding::LabelledAbove => "below the label of its field",
            Binding::Element => "in the element of its field",
            Binding::Alone => "the only place of the text, which no other field claims",
            Binding::None => "nothing binds it",
        }
    }
}

/// The support of one leaf.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    /// The leaf's JSON Pointer.
    pub pointer: String,
    /// The document's support.
    pub support: Support,
    /// The binding of the place.
    pub binding: Binding,
    /// The doubt that other words of the place cast on it, if they do; its support is then undecided.
    pub doubt: Option<Doubt>,
    /// The place where the value is printed, or the one that contradicts it, in bytes of the text.
    pub bytes: Option<Range<usize>>,
}

/// Least likeness of a label to a field's name.
const NAMED: f32 = 0.45;
/// Least likeness for one of few places, which no other leaf has.
const NAMED_IN_PART: f32 = 0.2;
const FEW: usize = 2;
/// The most other numbers or dates of a document with which the label of one is compared.
const RIVALS: usize = 5_000;
/// The most other fields with which the name of one is compared.
const FIELDS: usize = 1_000;
/// The fewest other items that show a column, and the least share of them that do, for another number in it to contradict.
const COLUMN: usize = 3;
const SHARE: f32 = 0.7;
/// The margin by which another label or field must be better to take a place away.
const BETTER: f32 = 0.05;

/// A place that was chosen for a leaf, and how strongly it is bound.
#[derive(Debug, Clone, Copy)]
struct BoundPlace {
    place: Place,
    binding: Binding,
    strength: f32,
}

impl BoundPlace {
    /// The doubt that the words of its cell cast on it; rows of a table are read as they are.
    fn doubt(&self, document: &Document, path: &str, others: &[String]) -> Option<Doubt> {
        match self.binding {
            Binding::Labelled | Binding::LabelledAbove | Binding::Alone => {
                let is_below_label = self.binding == Binding::LabelledAbove;
                let labelled = LabelledPlace { place: &self.place, is_below_label, path, others };
                cell_doubt::doubt(document, &labelled)
            }
            Binding::Cell | Binding::Row | Binding::Group | Binding::Element | Binding::None => None,
        }
    }
}

/// Judges every text and number of a record, in its order.
#[must_use]
pub fn judge(document: &Document, record: &Value, names: &FieldNames) -> Vec<Verdict> {
    let record = FlatRecord::read(record, document);
    let judge = RecordJudge::new(document, &record, names);
    let mut bound: Vec<Option<BoundPlace>> = vec![None; record.leaves.len()];
    let mut others: Vec<Option<Place>> = vec![None; record.leaves.len()];
    judge.lists(&mut bound, &mut others);
    judge.labelled(&mut bound);
    judge.settle(&mut bound);
    let verdict = |((leaf, bound), other): ((&RecordLeaf<'_>, &Option<BoundPlace>), &Option<Place>)| {
        let (support, binding, place) = match (bound, other) {
            (Some(bound), _) => (Support::Verified, bound.binding, Some(bound.place)),
            (None, Some(other)) => (Support::Contradicted, Binding::Cell, Some(*other)),
            (None, None) if leaf.is_absent => (Support::Unsupported, Binding::None, None),
            (None, None) => (Support::Undecided, Binding::None, leaf.places.first().copied()),
        };
        let doubt = bound.and_then(|bound| bound.doubt(document, &leaf.path, names.others(&leaf.path)));
        let support = if doubt.is_some() { Support::Undecided } else { support };
        let bytes = place.map(|place| place.start..place.end);
        Verdict { pointer: leaf.pointer.clone(), support, binding, doubt, bytes }
    };
    record.leaves.iter().zip(&bound).zip(&others).map(verdict).collect()
}

struct RecordJudge<'a> {
    document: &'a Document,
    record: &'a FlatRecord<'a>,
    synonyms: &'static Synonyms,
    known: &'a FieldNames,
    names: HashMap<&'a str, Vec<LabelWords>>,
    /// The numbers and dates of the document with their labels, when they are first compared.
    numbers: OnceCell<Vec<PlaceLabels<'a>>>,
    dates: OnceCell<Vec<PlaceLabels<'a>>>,
}

/// A place with the likeness of its best label to a field's name, and that label's position.
type NamedPlace<'r> = (&'r Place, (f32, Position));

/// A place with its labels.
type PlaceLabels<'a> = (Place, Vec<CellLabel<'a>>);

impl<'a> RecordJudge<'a> {
    fn new(document: &'a Document, record: &'a FlatRecord<'a>, known: &'a FieldNames) -> Self {
        let mut shared: HashMap<String, usize> = HashMap::new();
        let mut paths: Vec<&str> = record.leaves.iter().map(|leaf| leaf.path.as_str()).collect();
        paths.sort_unstable();
        paths.dedup();
        for path in &paths {
            let mut words = path.rsplit('/').find(|key| *key != "*").map(key_words).unwrap_or_default();
            words.sort_unstable();
            words.dedup();
            for word in words {
                *shared.entry(word).or_default() += 1;
            }
        }
        let others = |path: &str| known.others(path).iter().map(|name| LabelWords::of_words(name));
        let names = paths
            .into_iter()
            .map(|path| (path, std::iter::once(LabelWords::new(path, &shared)).chain(others(path)).collect()))
            .collect();
        RecordJudge {
            document,
            record,
            synonyms: Synonyms::shipped(),
            known,
            names,
            numbers: OnceCell::new(),
            dates: OnceCell::new(),
        }
    }

    /// Binds the leaves of lists to rows and columns.
    fn lists(&self, bound: &mut [Option<BoundPlace>], others: &mut [Option<Place>]) {
        let mut windows: Vec<Vec<Option<Range<usize>>>> = Vec::new();
        for (number, list) in self.record.lists.iter().enumerate() {
            let within = match list.outer {
                None => Some(rows::all(self.document)),
                Some((outer, item)) => {
                    windows.get(outer).and_then(|items| items.get(item)).cloned().flatten()
                }
            };
            let Some(within) = within else {
                windows.push(vec![None; list.items.len()]);
                continue;
            };
            let assigned = rows::assign(self.record, list, &within);
            let own = rows::windows(&assigned, &within);
            self.items(number, &assigned, &own, bound, others);
            self.side_by_side(number, own.len(), &within, bound);
            windows.push(own);
        }
    }

    /// The leaves of a list that lie in no list within it, by item.
    fn own_leaves(&self, list: usize, item: usize) -> impl Iterator<Item = usize> + '_ {
        let all = self
            .record
            .lists
            .get(list)
            .and_then(|list| list.items.get(item))
            .map(Vec::as_slice)
            .unwrap_or_default();
        all.iter()
            .copied()
            .filter(move |leaf| self.record.item_of.get(*leaf).copied().flatten() == Some((list, item)))
    }

    fn items(
        &self,
        list: usize,
        assigned: &[Option<usize>],
        windows: &[Option<Range<usize>>],
        bound: &mut [Option<BoundPlace>],
        others: &mut [Option<Place>],
    ) {
        let leaves: Vec<Vec<usize>> =
            (0..windows.len()).map(|item| self.own_leaves(list, item).collect()).collect();
        let headed = groups::headed(self.document, self.record, &leaves, assigned, windows);
        let mut columns: HashMap<&str, MemberColumn> = HashMap::new();
        for (item, window) in windows.iter().enumerate() {
            let Some(window) = window else { continue };
            for leaf in self.own_leaves(list, item).filter_map(|leaf| self.record.leaves.get(leaf)) {
                for place in leaf.places.iter().filter(|place| rows::is_within(place, window)) {
                    columns.entry(&leaf.path).or_default().add(item, place, self.document);
                }
            }
        }
        for (item, window) in windows.iter().enumerate() {
            let Some(window) = window else { continue };
            let own: &[usize] = leaves.get(item).map(Vec::as_slice).unwrap_or_default();
            let printed = |leaf: &usize| {
                self.record
                    .leaves
                    .get(*leaf)
                    .is_some_and(|leaf| leaf.places.iter().any(|place| rows::is_within(place, window)))
            };
            // An item with a member that is to name it has its row where that member is printed.
            let is_elsewhere = |leaf: &usize| !printed(leaf) && !headed.contains_key(leaf);
            if own.iter().any(|leaf| self.names_item(*leaf) && is_elsewhere(leaf)) {
                continue;
            }
            let here = own.iter().filter(|leaf| printed(leaf)).count();
            let members = own.iter().filter(|leaf| !headed.contains_key(leaf)).count();
            for number in own {
                let Some(leaf) = self.record.leaves.get(*number) else { continue };
                let printed_beside = here.saturating_sub(usize::from(printed(number)));
                let beside = members.saturating_sub(usize::from(!headed.contains_key(number)));
                let needed = (beside * 2 / 5).max(1);
                if own.len() > 1 && printed_beside < needed {
                    continue;
                }
                if let (Some(place), Some(slot)) = (headed.get(number), bound.get_mut(*number)) {
                    *slot = Some(BoundPlace { place: *place, binding: Binding::Group, strength: 0.3 });
                    continue;
                }
                let column = columns.get(leaf.path.as_str());
                let best = leaf
                    .places
                    .iter()
                    .filter(|place| rows::is_within(place, window))
                    .filter_map(|place| self.in_row(item, place, leaf.path.as_str(), column, own.len()))
                    .max_by(|a, b| a.strength.total_cmp(&b.strength));
                let row = assigned.get(item).copied().flatten().filter(|_| best.is_none());
                let other = row.and_then(|row| self.other_in_cell(item, row, leaf, own, column));
                if let (Some(slot), Some(known)) = (bound.get_mut(*number), others.get_mut(*number)) {
                    (*slot, *known) = (best, other);
                }
            }
        }
    }

    /// Returns whether a leaf is the member by which the items of its list are named.
    fn names_item(&self, leaf: usize) -> bool {
        let path = self.record.leaves.get(leaf).map(|leaf| leaf.path.as_str());
        let parts = path.and_then(|path| path.rsplit_once('/'));
        parts.is_some_and(|(item, member)| {
            let key = item.strip_suffix("/*").and_then(|list| self.known.item_key(list));
            key == Some(&*member.replace("~1", "/").replace("~0", "~"))
        })
    }

    /// The only number that is printed in the row of an item and the column of a number's field, if no member of the
    /// item is that number.
    fn other_in_cell(
        &self,
        item: usize,
        row: usize,
        leaf: &RecordLeaf<'_>,
        own: &[usize],
        column: Option<&MemberColumn>,
    ) -> Option<Place> {
        let column = column.filter(|_| leaf.kind == Kind::Number)?;
        let in_column = |place: &Place| {
            let agreement = column.agreement(item, place, self.document);
            agreement.of >= COLUMN && agreement.share() >= SHARE
        };
        let given = match leaf.value {
            Value::Number(given) => given.as_f64(),
            Value::String(text) => number::of_text(text).into_iter().flatten().next(),
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
        };
        let given = value_key(given?);
        let numbers = self.document.numbers_of_row(row).filter(|number| !number.is_part);
        let places = numbers.filter_map(|number| Place::of_number(self.document, number));
        let mut found: Vec<Place> = places.filter(in_column).collect();
        found.dedup_by_key(|place| (place.start, place.end));
        let [place] = found.as_slice() else { return None };
        // The same number may be printed with another sign.
        let is_given = self.document.numbers_of_row(row).any(|number| value_key(number.value) == given);
        let is_taken = own.iter().filter_map(|leaf| self.record.leaves.get(*leaf)).any(|member| {
            member.places.iter().any(|other| other.start < place.end && place.start < other.end)
        });
        (!is_given && !is_taken).then_some(*place)
    }

    /// Binds the leaves of a list whose items are beside one another, if most are in no row of theirs.
    fn side_by_side(
        &self,
        list: usize,
        items: usize,
        within: &Range<usize>,
        bound: &mut [Option<BoundPlace>],
    ) {
        let own: Vec<Vec<usize>> = (0..items).map(|item| self.own_leaves(list, item).collect()).collect();
        let all = own.iter().flatten();
        let has = |number: &&usize| bound.get(**number).is_some_and(Option::is_some);
        if all.clone().filter(has).count() * 2 > all.count() {
            return;
        }
        let found = transposed::bound(self.document, self.record, &own, within);
        if found.len() * 2 < own.iter().map(Vec::len).sum() {
            return;
        }
        for number in own.iter().flatten() {
            if let Some(slot) = bound.get_mut(*number) {
                *slot = None;
            }
        }
        for (number, place) in found {
            if let Some(slot) = bound.get_mut(number) {
                *slot = Some(BoundPlace { place, binding: Binding::Cell, strength: 1.0 });
            }
        }
    }

    fn in_row(
        &self,
        item: usize,
        place: &Place,
        path: &str,
        column: Option<&MemberColumn>,
        members: usize,
    ) -> Option<BoundPlace> {
        let agreement = column.map_or(ColumnAgreement { with: 0, of: 0 }, |column| {
            column.agreement(item, place, self.document)
        });
        let likeness = self.likeness(place, path).map_or(0.0, |(likeness, _)| likeness);
        if agreement.of >= 2 {
            let agrees = agreement.with >= 1 && agreement.share() >= 0.3;
            return agrees.then_some(BoundPlace {
                place: *place,
                binding: Binding::Cell,
                strength: agreement.share() + likeness,
            });
        }
        (members > 1).then_some(BoundPlace { place: *place, binding: Binding::Row, strength: 0.5 + likeness })
    }

    /// The likeness of the best label of a place to a field's name.
    fn likeness(&self, place: &Place, path: &str) -> Option<(f32, Position)> {
        self.best_of(&labels(self.document, place), path)
    }

    fn best_of(&self, labels: &[CellLabel<'_>], path: &str) -> Option<(f32, Position)> {
        let names = self.names.get(path)?;
        let likeness = |label: &CellLabel<'_>| {
            let each = names.iter().map(|name| name.likeness(&label.words, self.synonyms));
            each.max_by(f32::total_cmp).unwrap_or_default()
        };
        let by_label = labels.iter().map(|label| (likeness(label) * label.weight, label.position));
        by_label.max_by(|a, b| a.0.total_cmp(&b.0))
    }

    /// Binds leaves outside of lists to labels.
    fn labelled(&self, bound: &mut [Option<BoundPlace>]) {
        let tops: Vec<usize> = (0..self.record.leaves.len())
            .filter(|leaf| self.record.item_of.get(*leaf).copied().flatten().is_none())
            .collect();
        let claims = self.claims();
        let best: Vec<Option<NamedPlace<'_>>> = tops
            .iter()
            .map(|number| {
                let leaf = self.record.leaves.get(*number)?;
                let likeness = |place| Some((place, self.likeness(place, &leaf.path)?));
                let places = leaf.places.iter().filter_map(likeness);
                places.max_by(|a, b| a.1.0.total_cmp(&b.1.0))
            })
            .collect();
        for (number, found) in tops.iter().zip(&best) {
            let (Some(leaf), Some((place, (likeness, position)))) = (self.record.leaves.get(*number), found)
            else {
                continue;
            };
            let claimed = claims.get(&(place.start, place.end)).copied().unwrap_or_default();
            let needed = if claimed < 2 && leaf.places.len() <= FEW { NAMED_IN_PART } else { NAMED };
            if *likeness < needed
                || self.is_of_another(&tops, &best, *number, place, *likeness)
                || self.is_better_named(leaf.kind, &leaf.path, place, *likeness)
            {
                continue;
            }
            let binding = match position {
                Position::Left => Binding::Labelled,
                Position::Above => Binding::LabelledAbove,
                Position::Markup => Binding::Element,
            };
            if let Some(slot) = bound.get_mut(*number) {
                *slot = Some(BoundPlace { place: **place, binding, strength: *likeness });
            }
        }
        self.alone(&tops, &claims, bound);
        // An item with one value has nothing beside it that would show its row.
        let lists = self.record.lists.iter().flat_map(|list| &list.items);
        let single: Vec<usize> = lists
            .filter_map(|item| match item.as_slice() {
                [one] => Some(*one),
                _ => None,
            })
            .collect();
        self.alone(&single, &claims, bound);
    }

    /// Returns whether the labels of a place name another field better, and that one has no place with labels which
    /// name it as well.
    fn is_of_another(
        &self,
        tops: &[usize],
        best: &[Option<NamedPlace<'_>>],
        number: usize,
        place: &Place,
        likeness: f32,
    ) -> bool {
        let path = self.record.leaves.get(number).map(|leaf| leaf.path.as_str());
        let labels = labels(self.document, place);
        let wants = |(other, found): (&usize, &Option<NamedPlace<'_>>)| {
            let Some(other) =
                self.record.leaves.get(*other).filter(|other| Some(other.path.as_str()) != path)
            else {
                return false;
            };
            let own = found.map_or(0.0, |(_, (own, _))| own);
            let here = self.best_of(&labels, &other.path).map_or(0.0, |(here, _)| here);
            here > likeness + BETTER && here > own - BETTER
        };
        // What can't be compared with all is not known to be the best.
        tops.len() > FIELDS || tops.iter().zip(best).any(wants)
    }

    /// The number of leaves that have each place.
    fn claims(&self) -> HashMap<(usize, usize), usize> {
        let mut claims: HashMap<(usize, usize), usize> = HashMap::new();
        for place in self.record.leaves.iter().flat_map(|leaf| &leaf.places) {
            *claims.entry((place.start, place.end)).or_default() += 1;
        }
        claims
    }

    /// Returns whether the document prints another value of the kind under a label that names the field better.
    fn is_better_named(&self, kind: Kind, path: &str, place: &Place, likeness: f32) -> bool {
        let (rivals, printed) = match kind {
            Kind::Number => (self.numbers(), self.document.numbers.len()),
            Kind::Date => (self.dates(), self.document.dates.len()),
            Kind::Text => return false,
        };
        let own = self.document.slice(place.start, place.end);
        let is_better = |(other, labels): &PlaceLabels<'_>| {
            self.document.slice(other.start, other.end) != own
                && self.best_of(labels, path).is_some_and(|(other, _)| other > likeness + BETTER)
        };
        // What can't be compared with all is not known to be the best.
        printed > RIVALS || rivals.iter().any(is_better)
    }

    fn numbers(&self) -> &[PlaceLabels<'a>] {
        let numbers = self.document.numbers.iter().filter(|number| !number.is_part).take(RIVALS);
        let places = numbers.filter_map(|number| Place::of_number(self.document, number));
        self.numbers.get_or_init(|| places.map(|place| (place, labels(self.document, &place))).collect())
    }

    fn dates(&self) -> &[PlaceLabels<'a>] {
        let dates = self.document.dates.iter().take(RIVALS);
        let places = dates.filter_map(|date| Place::new(self.document, date.cell, date.start, date.end));
        self.dates.get_or_init(|| places.map(|place| (place, labels(self.document, &place))).collect())
    }

    /// Binds texts that appear in one place only, which no other leaf has.
    fn alone(
        &self,
        tops: &[usize],
        claims: &HashMap<(usize, usize), usize>,
        bound: &mut [Option<BoundPlace>],
    ) {
        for number in tops {
            let Some(leaf) = self.record.leaves.get(*number) else { continue };
            let Some(slot) = bound.get_mut(*number) else { continue };
            if slot.is_some() || leaf.kind != Kind::Text {
                continue;
            }
            let unclaimed = leaf.places.iter().all(|place| claims.get(&(place.start, place.end)) == Some(&1));
            if let (true, [place, ..]) = (unclaimed, leaf.places.as_slice()) {
                *slot = Some(BoundPlace { place: *place, binding: Binding::Alone, strength: 0.1 });
            }
        }
    }

    /// Leaves a place that several leaves were bound to with the one that has the best reason.
    fn settle(&self, bound: &mut [Option<BoundPlace>]) {
        let mut best: HashMap<(usize, usize), (f32, usize)> = HashMap::new();
        // All rows of a group share its heading.
        for one in bound.iter().flatten().filter(|one| one.binding != Binding::Group) {
            let entry = best.entry((one.place.start, one.place.end)).or_insert((one.strength, 0));
            entry.0 = entry.0.max(one.strength);
            entry.1 += 1;
        }
        for slot in bound.iter_mut() {
            let loses = slot.is_some_and(|one| {
                best.get(&(one.place.start, one.place.end)).is_some_and(|(strength, claims)| {
                    one.binding != Binding::Group
                        && *claims > 1
                        && one.strength < *strength - count(1) * BETTER
                })
            });
            if loses {
                *slot = None;
            }
        }
    }
}
