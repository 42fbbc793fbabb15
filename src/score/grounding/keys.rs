//! What the keys and labels of one candidate mean, kept for the next: corrections leave most of them as they were.

use super::fold::Mixer;
use super::index::{Identity, SourceIndex};
use super::names::{Book, Concept, Hits, Name, NameId, SpellingId, SpellingOf, Vocabulary};
use super::walk::{LeafContext, label_of};
use crate::value::Fuel;
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::hash::BuildHasherDefault;

/// Names of candidates kept at most, in bytes, and places.
const MOST_BYTES: usize = 4 << 20;
const MOST_PLACES: usize = 1 << 16;

/// A key within its ancestors, with its label: all that settles whose names count as its own.
pub(super) type PlaceId = u32;

/// What a place is known by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct PlaceKey {
    outer: PlaceId,
    key: NameId,
    label: NameId,
}

/// A place's names.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Place {
    /// The names that count as the field's own end here; they begin where the place before it ended.
    from: usize,
    own_to: usize,
    neutral_to: usize,
}

/// The names of candidates: those of the vocabulary, and those that only candidates have.
#[derive(Debug, Default)]
pub(super) struct Keys {
    vocabulary: Identity,
    /// Names that the vocabulary does not have; numbers count on from its own.
    book: Book,
    /// The candidate that is looked at: what was seen with another number was seen with another candidate.
    candidate: u32,
    seen: Vec<u32>,
    /// The concept that a candidate's own name gave to a spelling, and the candidate.
    learned_by: Vec<(u32, Concept)>,
    /// The names that are concepts of their own, of this candidate and of the one before it.
    learned: Vec<NameId>,
    before: Vec<NameId>,
    /// The candidate's keys in the order they are met, each object's before those within, with the object's label.
    met: Vec<NameId>,
    places: HashMap<PlaceKey, PlaceId, BuildHasherDefault<Mixer>>,
    resolved: Vec<Place>,
    concepts: Vec<Concept>,
}

/// Stands for no outer place, and for no label.
pub(super) const NONE: u32 = u32::MAX;

impl Keys {
    /// Reads the names of `candidate`; true when they are the same as those of the candidate before.
    pub(super) fn learn(&mut self, candidate: &Value, vocabulary: &Vocabulary, fuel: &Fuel) -> bool {
        let same = self.vocabulary == *vocabulary.identity();
        let is_full = self.book.bytes > MOST_BYTES || self.places.len() > MOST_PLACES;
        if !same || is_full || self.candidate == u32::MAX {
            *self = Self { vocabulary: vocabulary.identity().clone(), ..Self::default() };
        }
        self.candidate += 1;
        std::mem::swap(&mut self.learned, &mut self.before);
        self.learned.clear();
        self.met.clear();
        self.walk(candidate, vocabulary, fuel);
        // The two are swapped: the next candidate's names go where this one's predecessor's were.
        let room = self.learned.len().saturating_sub(self.before.len());
        self.before.reserve(room);
        let same = self.learned == self.before && !self.resolved.is_empty();
        if !same {
            self.places.clear();
            self.resolved.clear();
            self.resolved.push(Place::default());
            self.concepts.clear();
        }
        if fuel.is_spent() {
            // Some names may be missing.
            self.before.clear();
            self.learned.clear();
            self.resolved.clear();
        }
        same
    }

    fn walk(&mut self, candidate: &Value, vocabulary: &Vocabulary, fuel: &Fuel) {
        match candidate {
            Value::Object(fields) => {
                let first = self.met.len();
                self.met.push(NONE);
                for key in fields.keys() {
                    if !fuel.spend(1) {
                        return;
                    }
                    let id = self.read(key, vocabulary, fuel);
                    self.met.push(id);
                }
                if let Some(label) = self.label(fields, first + 1, vocabulary) {
                    let label = self.read(label, vocabulary, fuel);
                    self.learn_one(label, vocabulary);
                    if let Some(met) = self.met.get_mut(first) {
                        *met = label;
                    }
                }
                for (at, (key, value)) in fields.iter().enumerate() {
                    let id = self.met(first + 1 + at);
                    let name = self.name(id, vocabulary);
                    if name.is_some_and(|name| !name.is_generic && !name.is_label) {
                        let stem = name.and_then(|name| name.unit).and_then(|(_, stem)| key.get(..stem));
                        self.learn_one(id, vocabulary);
                        if let Some(stem) = stem {
                            let stem = self.read(stem, vocabulary, fuel);
                            self.learn_one(stem, vocabulary);
                        }
                    }
                    if value.is_object() || value.is_array() {
                        self.walk(value, vocabulary, fuel);
                    }
                }
            }
            Value::Array(items) => items.iter().for_each(|item| self.walk(item, vocabulary, fuel)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }

    /// Gives a name that the vocabulary does not know, and no name before it, a concept of its own.
    fn learn_one(&mut self, id: NameId, vocabulary: &Vocabulary) {
        let at = id as usize;
        if self.seen.len() <= at {
            self.seen.resize(at + 1, 0);
        }
        match self.seen.get_mut(at) {
            Some(seen) if *seen != self.candidate => *seen = self.candidate,
            _ => return,
        }
        let Some(own) = id.checked_sub(names_of(vocabulary)) else { return };
        let Some(name) = self.book.name(own) else { return };
        let by_another =
            |id: SpellingId| self.learned_by.get(id as usize).is_some_and(|by| by.0 == self.candidate);
        if !name.known.is_empty() || name.spellings.iter().any(|spelling| by_another(spelling.id)) {
            return;
        }
        let concept =
            vocabulary.concepts().saturating_add(u32::try_from(self.learned.len()).unwrap_or(u32::MAX));
        for spelling in &name.spellings {
            let at = spelling.id as usize;
            if self.learned_by.len() <= at {
                self.learned_by.resize(at + 1, (0, 0));
            }
            if let Some(by) = self.learned_by.get_mut(at) {
                *by = (self.candidate, concept);
            }
        }
        self.learned.push(id);
    }

    /// The number of a name, which is read if it is new.
    pub(super) fn read(&mut self, text: &str, vocabulary: &Vocabulary, fuel: &Fuel) -> NameId {
        self.find(text, vocabulary).unwrap_or_else(|| {
            fuel.spend_on(8 + text.len());
            self.book.read(text, Some(vocabulary.book()))
        })
    }

    fn find(&self, text: &str, vocabulary: &Vocabulary) -> Option<NameId> {
        vocabulary.book().find(text).or_else(|| self.book.find(text))
    }

    fn name<'k>(&'k self, id: NameId, vocabulary: &'k Vocabulary) -> Option<&'k Name> {
        match id.checked_sub(names_of(vocabulary)) {
            Some(own) => self.book.name(own),
            None => vocabulary.book().name(id),
        }
    }

    /// The key or label that was met at `at`.
    pub(super) fn met(&self, at: usize) -> NameId {
        self.met.get(at).copied().unwrap_or(NONE)
    }

    /// What an object is about whose first key was met at `first`.
    pub(super) fn label<'v>(
        &self,
        fields: &'v Map<String, Value>,
        first: usize,
        vocabulary: &Vocabulary,
    ) -> Option<&'v str> {
        label_of(fields, |at| self.is_label(first + at, vocabulary))
    }

    /// Whether the key that was met at `at` names what its siblings are about.
    fn is_label(&self, at: usize, vocabulary: &Vocabulary) -> bool {
        self.name(self.met(at), vocabulary).is_some_and(|name| name.is_label)
    }

    /// Adds where the candidate's own names stand in `source`.
    pub(super) fn locate(&self, vocabulary: &Vocabulary, source: &SourceIndex, hits: &mut Hits, fuel: &Fuel) {
        let (names, spellings) = (names_of(vocabulary), spellings_of(vocabulary));
        for (concept, id) in (vocabulary.concepts()..).zip(&self.learned) {
            let name = id.checked_sub(names).and_then(|own| self.book.name(own));
            for spelling in name.map_or(&[][..], |name| &name.spellings) {
                match spelling.id.checked_sub(spellings) {
                    Some(id) => {
                        let spelling = SpellingOf { id, ..*spelling };
                        self.book.locate(spelling, concept, source, hits, fuel);
                    }
                    None => vocabulary.book().locate(*spelling, concept, source, hits, fuel),
                }
            }
        }
    }

    /// The number of a place whose outer one has a number.
    pub(super) fn place(&mut self, place: &LeafContext<'_>, vocabulary: &Vocabulary, fuel: &Fuel) -> PlaceId {
        let key = PlaceKey {
            outer: place.outer.map_or(NONE, |outer| outer.id),
            key: place.name,
            label: place.label.map_or(NONE, |label| label.name),
        };
        if let Some(known) = self.places.get(&key) {
            return *known;
        }
        let id = u32::try_from(self.resolved.len()).unwrap_or(u32::MAX);
        let resolved = self.resolve(place, vocabulary, fuel);
        self.resolved.push(resolved);
        self.places.insert(key, id);
        id
    }

    /// What [`Keys::place`] has numbered.
    pub(super) fn at(&self, id: PlaceId) -> Place {
        self.resolved.get(id as usize).copied().unwrap_or_default()
    }

    /// The names that count as a field's own, and those that are neither its own nor another's.
    pub(super) fn concepts(&self, place: Place) -> (&[Concept], &[Concept]) {
        let own = self.concepts.get(place.from..place.own_to).unwrap_or_default();
        (own, self.concepts.get(place.own_to..place.neutral_to).unwrap_or_default())
    }

    /// Whose names count as the field's own.
    fn resolve(&mut self, place: &LeafContext<'_>, vocabulary: &Vocabulary, fuel: &Fuel) -> Place {
        let from = self.concepts.len();
        if let Some(label) = place.label {
            self.resolve_one(label.name, vocabulary, fuel);
        }
        // `status` says nothing about whose status it is; the key above it does.
        let chain = || std::iter::successors(Some(place), |here| here.outer);
        let mut own_to = from;
        for neutral in [false, true] {
            let mut named = place.label.is_some();
            for here in chain() {
                let (generic, unit) = self
                    .name(here.name, vocabulary)
                    .map_or((false, None), |name| (name.is_generic, name.unit));
                let own =
                    !named && (!generic || here.outer.is_none()) || (std::ptr::eq(here, place) && !generic);
                named |= own;
                if own == neutral {
                    continue;
                }
                self.resolve_one(here.name, vocabulary, fuel);
                if let Some(stem) = unit.filter(|_| own).and_then(|(_, stem)| here.key.get(..stem)) {
                    let stem = self.read(stem, vocabulary, fuel);
                    self.resolve_one(stem, vocabulary, fuel);
                }
            }
            if !neutral {
                own_to = self.concepts.len();
            }
        }
        Place { from, own_to, neutral_to: self.concepts.len() }
    }

    /// Adds every concept that is called so.
    fn resolve_one(&mut self, id: NameId, vocabulary: &Vocabulary, fuel: &Fuel) {
        let own = id.checked_sub(names_of(vocabulary));
        let name = match own {
            Some(own) => self.book.name(own),
            None => vocabulary.book().name(id),
        };
        let Some(name) = name else { return };
        fuel.spend_on(1 + name.known.len());
        self.concepts.extend_from_slice(&name.known);
        let mut last = None;
        for spelling in &name.spellings {
            if let Some((candidate, concept)) = self.learned_by.get(spelling.id as usize)
                && *candidate == self.candidate
                && last != Some(*concept)
            {
                last = Some(*concept);
                self.concepts.push(*concept);
            }
        }
    }
}

fn names_of(vocabulary: &Vocabulary) -> u32 {
    u32::try_from(vocabulary.book().names()).unwrap_or(u32::MAX)
}

fn spellings_of(vocabulary: &Vocabulary) -> u32 {
    u32::try_from(vocabulary.book().spellings()).unwrap_or(u32::MAX)
}
