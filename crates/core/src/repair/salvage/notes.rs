//! Damage that was met in a text, by kind: how often, and its first position.

use crate::repair::{RepairKind, RepairStep, TextPosition};
use std::collections::BTreeMap;

/// A kind of damage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Note {
    pub(super) kind: RepairKind,
    /// The first position; `None` where positions mean nothing.
    pub(super) at: Option<usize>,
    pub(super) times: usize,
    /// Its turn among all notes of the text.
    turn: usize,
}

/// Notes of one stretch of a text. Those of each value are kept apart, because the steps of reading a value that is
/// passed over don't count.
#[derive(Debug, Default)]
pub(super) struct Notes {
    list: Vec<Note>,
    next: usize,
}

impl Notes {
    pub(super) fn add(&mut self, kind: RepairKind, at: Option<usize>) {
        let turn = self.turn();
        self.add_in_turn(kind, at, turn);
    }

    /// The turn of the next note.
    pub(super) fn turn(&mut self) -> usize {
        self.next += 1;
        self.next
    }

    /// Adds a note that belongs to an earlier turn.
    pub(super) fn add_in_turn(&mut self, kind: RepairKind, at: Option<usize>, turn: usize) {
        match self.list.iter_mut().find(|known| known.kind == kind) {
            Some(known) => {
                known.times += 1;
                if turn < known.turn {
                    (known.turn, known.at) = (turn, at);
                }
            }
            None => self.list.push(Note { kind, at, times: 1, turn }),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    pub(super) fn has(&self, kind: RepairKind) -> bool {
        self.list.iter().any(|note| note.kind == kind)
    }

    /// Takes the notes out; the turns continue.
    pub(super) fn take(&mut self) -> Vec<Note> {
        std::mem::take(&mut self.list)
    }

    /// Puts notes in place of the present ones, and returns those.
    pub(super) fn replace(&mut self, list: Vec<Note>) -> Vec<Note> {
        std::mem::replace(&mut self.list, list)
    }
}

/// Merges several lists into one, in turn.
pub(super) fn merged<'n>(lists: impl Iterator<Item = &'n Note>) -> Vec<Note> {
    let mut all: Vec<Note> = lists.cloned().collect();
    all.sort_by_key(|note| note.turn);
    let mut merged: Vec<Note> = Vec::new();
    for note in all {
        match merged.iter_mut().find(|known| known.kind == note.kind) {
            Some(known) => known.times += note.times,
            None => merged.push(note),
        }
    }
    merged
}

/// Positions in a text, found in one walk over it.
#[derive(Default)]
pub(super) struct TextPositions(BTreeMap<usize, TextPosition>);

impl TextPositions {
    pub(super) fn of(text: &str, offsets: impl Iterator<Item = usize>) -> Self {
        let mut wanted: Vec<usize> = offsets.map(|at| at.min(text.len())).collect();
        wanted.sort_unstable();
        wanted.dedup();
        let mut wanted = wanted.into_iter().peekable();
        let mut places = BTreeMap::new();
        let (mut line, mut column) = (1, 1);
        for (at, c) in text.char_indices() {
            while wanted.peek().is_some_and(|offset| *offset <= at) {
                let offset = wanted.next().unwrap_or_default();
                places.insert(offset, TextPosition { offset, line, column });
            }
            if wanted.peek().is_none() {
                break;
            }
            (line, column) = if c == '\n' { (line + 1, 1) } else { (line, column + 1) };
        }
        places.extend(wanted.map(|offset| (offset, TextPosition { offset, line, column })));
        TextPositions(places)
    }

    pub(super) fn at(&self, offset: usize) -> Option<TextPosition> {
        self.0.get(&offset).copied()
    }

    pub(super) fn steps(&self, notes: Vec<Note>) -> Vec<RepairStep> {
        let step = |note: Note| RepairStep {
            kind: note.kind,
            reason: note.kind.reason().to_owned(),
            place: note.at.and_then(|at| self.at(at)),
            times: note.times,
            patch: Vec::new(),
        };
        notes.into_iter().map(step).collect()
    }
}
