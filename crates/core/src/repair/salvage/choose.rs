//! One value from several, where no schema says which.

use super::notes::{Note, Notes, merged};
use crate::repair::RepairKind;
use crate::value::is_present;
use serde_json::Value;

/// The value that a text holds.
pub(super) struct ChosenValue {
    /// The value.
    pub(super) value: Value,
    /// The damage that was met in it.
    pub(super) notes: Vec<Note>,
    /// The separate values, if there are several.
    pub(super) pieces: Vec<SeparateValue>,
}

/// A value and its relation to the one before.
#[derive(Clone)]
pub(super) struct SeparateValue {
    pub(super) value: Value,
    pub(super) at: usize,
    /// The separator between it and the value before.
    pub(super) after: Separator,
    /// It begins a code block.
    pub(super) fenced: bool,
    /// The damage that was met in it.
    pub(super) notes: Vec<Note>,
    /// Its turn among the notes of the text.
    pub(super) turn: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Separator {
    /// The first one, or nothing but space on a line.
    Nothing,
    /// A comma or a new line.
    List,
    /// Text.
    Prose,
}

/// Values in code blocks are meant. Empty values beside others and references such as `[1]` in the text around the JSON
/// are left out. Values in a row, with commas or line breaks between, are a list. Of values of the same form that are
/// not in a row, the last one counts: a model that writes the same thing twice corrects it. Anything else is a list
/// again, so that nothing is lost.
pub(super) fn choose(mut pieces: Vec<SeparateValue>, notes: &mut Notes) -> Option<ChosenValue> {
    if pieces.len() == 1 {
        let SeparateValue { value, notes, .. } = pieces.pop()?;
        return Some(ChosenValue { value, notes, pieces: Vec::new() });
    }
    let all = pieces.clone();
    if pieces.iter().any(|piece| piece.fenced) {
        pieces.retain(|piece| {
            if !piece.fenced {
                notes.add_in_turn(RepairKind::Prose, Some(piece.at), piece.turn);
            }
            piece.fenced
        });
    }
    if pieces.iter().any(|piece| is_present(&piece.value)) {
        leave_out(&mut pieces, notes, |piece| !is_present(&piece.value));
    } else if !in_a_row(&pieces) {
        let mut first = true;
        leave_out(&mut pieces, notes, |_| !std::mem::replace(&mut first, false));
    }
    if pieces.iter().any(|piece| piece.value.is_object()) {
        leave_out(&mut pieces, notes, |piece| piece.after == Separator::Prose && is_reference(&piece.value));
    }
    let (value, read) = match pieces.get(1).map(|second| second.at) {
        None => {
            let SeparateValue { value, notes, .. } = pieces.pop()?;
            (value, notes)
        }
        Some(second) if !in_a_row(&pieces) && same_forms(&pieces) => {
            notes.add(RepairKind::Superseded, Some(second));
            let SeparateValue { value, notes, .. } = pieces.pop()?;
            (value, notes)
        }
        Some(second) => {
            notes.add(RepairKind::SeveralValues, Some(second));
            let read = merged(pieces.iter().flat_map(|piece| &piece.notes));
            (Value::Array(pieces.into_iter().map(|piece| piece.value).collect()), read)
        }
    };
    Some(ChosenValue { value, notes: read, pieces: all })
}

pub(super) fn in_a_row(pieces: &[SeparateValue]) -> bool {
    pieces.iter().skip(1).all(|piece| piece.after == Separator::List)
}

fn same_forms(pieces: &[SeparateValue]) -> bool {
    pieces.iter().zip(pieces.iter().skip(1)).all(|(a, b)| same_form(&a.value, &b.value))
}

fn leave_out(
    pieces: &mut Vec<SeparateValue>,
    notes: &mut Notes,
    mut out: impl FnMut(&SeparateValue) -> bool,
) {
    pieces.retain(|piece| {
        let goes = out(piece);
        if goes {
            notes.add(RepairKind::Beside, Some(piece.at));
        }
        !goes
    });
}

/// A short list of numbers or words, as in "see [1, 2]".
fn is_reference(value: &Value) -> bool {
    value
        .as_array()
        .is_some_and(|items| items.len() <= 3 && items.iter().all(|i| i.is_number() || i.is_string()))
}

/// Returns whether two values are of the same kind with the same keys.
fn same_form(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len()
                && a.iter().all(|(key, value)| b.get(key).is_some_and(|other| same_kind(value, other)))
        }
        (Value::Array(a), Value::Array(b)) => match (a.first(), b.first()) {
            (Some(Value::Object(a)), Some(Value::Object(b))) => a.keys().all(|key| b.contains_key(key)),
            (Some(a), Some(b)) => same_kind(a, b),
            _ => true,
        },
        _ => false,
    }
}

fn same_kind(a: &Value, b: &Value) -> bool {
    a.is_null() || b.is_null() || std::mem::discriminant(a) == std::mem::discriminant(b)
}
