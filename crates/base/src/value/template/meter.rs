//! The bytes that one rendering may still touch.

use crate::value::MAX_CANDIDATE_DEPTH;
use minijinja::value::ValueKind;
use minijinja::{Error, ErrorKind, State, Value};

/// The cost of one value besides its text: the memory that a list holds it in.
const PER_VALUE: u64 = 24;

/// Deepest nesting: a candidate in what a template may put around it. Deeper values would exhaust the stack where they
/// are written or dropped.
const DEEPEST: usize = MAX_CANDIDATE_DEPTH + 16;

/// Kept in the state of one rendering.
struct Meter {
    left: u64,
}

/// Takes `bytes` off what the rendering may still touch, of `limit` in all.
pub(super) fn spend(state: &mut State<'_, '_>, limit: u64, bytes: u64) -> Result<(), Error> {
    let meter = state.get_or_insert_extension_with(|| Meter { left: limit });
    take(&mut meter.left, bytes)
}

/// Takes off what `value` holds, at all depths.
pub(super) fn charge(state: &mut State<'_, '_>, limit: u64, value: &Value) -> Result<(), Error> {
    let meter = state.get_or_insert_extension_with(|| Meter { left: limit });
    measure(value, 0, &mut meter.left)
}

/// The bytes of a value, at all depths, as long as the rendering may touch them.
pub(super) fn charged_size(state: &mut State<'_, '_>, limit: u64, value: &Value) -> Result<u64, Error> {
    let meter = state.get_or_insert_extension_with(|| Meter { left: limit });
    let before = meter.left;
    measure(value, 0, &mut meter.left)?;
    Ok(before - meter.left)
}

fn measure(value: &Value, depth: usize, left: &mut u64) -> Result<(), Error> {
    // Written in lines, a value is indented by its depth.
    take(left, PER_VALUE + 2 * depth as u64)?;
    if let Some(bytes) = value.as_bytes() {
        return take(left, bytes.len() as u64);
    }
    if !matches!(value.kind(), ValueKind::Map | ValueKind::Seq | ValueKind::Iterable) {
        return Ok(());
    }
    if depth >= DEEPEST {
        return Err(refused(format!("its values are nested deeper than {DEEPEST} levels")));
    }
    if is_namespace(value) {
        return Err(refused("a namespace can't be used as a value, only its members can".to_owned()));
    }
    let Some(object) = value.as_object() else { return Ok(()) };
    if let Some(pairs) = object.try_iter_pairs() {
        for (key, member) in pairs {
            measure(&key, depth + 1, left)?;
            measure(&member, depth + 1, left)?;
        }
        return Ok(());
    }
    for item in object.try_iter().into_iter().flatten() {
        measure(&item, depth + 1, left)?;
    }
    Ok(())
}

/// A namespace could hold itself, so that no walk through it would end.
fn is_namespace(value: &Value) -> bool {
    value.as_object().is_some_and(|object| object.type_name().ends_with("::Namespace"))
}

fn take(left: &mut u64, bytes: u64) -> Result<(), Error> {
    match left.checked_sub(bytes) {
        Some(rest) => {
            *left = rest;
            Ok(())
        }
        None => {
            *left = 0;
            Err(refused("it makes or reads more text than a template of its kind may".to_owned()))
        }
    }
}

pub(super) fn refused(why: String) -> Error {
    Error::new(ErrorKind::InvalidOperation, why)
}
