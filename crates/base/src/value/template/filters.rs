//! The filters, tests and functions of templates. Each is the engine's own, behind a count of what it reads and makes.
//!
//! The engine's other filters (`format`, `zip`, `chain`, `pprint`, `safe`) and its function `debug` are left out: no
//! one writes a prompt with them, and each would need a bound of its own.

use super::compile::{CHARGE, NUMBER, RAW, SETTLE, SLICE};
use super::meter::{charge, charged_size, refused, spend};
use minijinja::value::{Kwargs, Rest, ValueKind, ValueOrKwargs, from_args};
use minijinja::{Environment, Error, State, Value, filters, functions, tests};

/// The largest number that a filter takes as a count of characters or values.
const MOST: u64 = 10_000;

/// The cost of a filter.
#[derive(Clone, Copy)]
enum Cost {
    /// Independent of the arguments.
    Constant,
    /// The size of its arguments and of its result, which is not much more.
    Linear,
    /// In addition, as much output as this computes from its arguments.
    More(fn(&[Value], u64) -> u64),
}

/// Adds all that templates may use.
pub(super) fn add_to(environment: &mut Environment<'static>, limit: u64) {
    add_filters(environment, limit);
    add_tests(environment, limit);
    add_functions(environment, limit);
    environment.add_filter(CHARGE, move |state: &mut State<'_, '_>, value: Value| {
        // Missing values are reported by the operator.
        charge(state, limit, &value).map(|()| value)
    });
    environment.add_filter(NUMBER, |value: Value| match value.kind() {
        ValueKind::Number | ValueKind::Bool | ValueKind::Undefined => Ok(value),
        kind => Err(refused(format!("`*` multiplies numbers only, this is a {kind}"))),
    });
    environment.add_filter(RAW, move |state: &mut State<'_, '_>, bytes: u64| {
        spend(state, limit, bytes).map(|()| "")
    });
    environment.add_filter(SETTLE, |value: Value| settled(value));
    environment.add_filter(
        SLICE,
        move |state: &mut State<'_, '_>, value: Value, start: Value, stop: Value, step: Value| {
            charge(state, limit, &value)?;
            sliced(&value, &start, &stop, &step)
        },
    );
}

/// A list in place of what would make one each time it is read.
fn settled(value: Value) -> Result<Value, Error> {
    if value.kind() != ValueKind::Iterable {
        return Ok(value);
    }
    Ok(Value::from(value.try_iter()?.collect::<Vec<_>>()))
}

/// `value[start:stop:step]`.
fn sliced(value: &Value, start: &Value, stop: &Value, step: &Value) -> Result<Value, Error> {
    let number = |value: &Value, otherwise: i64| match value.is_none() {
        true => Ok(otherwise),
        false => i64::try_from(value.clone()),
    };
    let step = number(step, 1)?;
    let Some(step) = usize::try_from(step).ok().filter(|step| *step > 0) else {
        return Err(refused("a slice goes forward: use `| reverse`".to_owned()));
    };
    let range = |length: usize| -> Result<(usize, usize), Error> {
        let length = i64::try_from(length).unwrap_or(i64::MAX);
        let place = |at: i64| usize::try_from(if at < 0 { at.saturating_add(length) } else { at }.max(0));
        let from = place(number(start, 0)?).unwrap_or(usize::MAX);
        let to = place(number(stop, length)?.min(length)).unwrap_or(0);
        Ok((from, to.saturating_sub(from)))
    };
    if let Some(text) = value.as_str() {
        let (skipped, taken) = range(text.chars().count())?;
        return Ok(Value::from(text.chars().skip(skipped).take(taken).step_by(step).collect::<String>()));
    }
    match value.kind() {
        ValueKind::Seq | ValueKind::Iterable => {
            let items: Vec<Value> = value.try_iter()?.collect();
            let (skipped, taken) = range(items.len())?;
            Ok(Value::from(items.into_iter().skip(skipped).take(taken).step_by(step).collect::<Vec<_>>()))
        }
        kind => Err(refused(format!("a {kind} can't be sliced"))),
    }
}

fn add_filters(environment: &mut Environment<'static>, limit: u64) {
    macro_rules! add {
        ($($name:literal, $function:ident, $cost:expr;)*) => {
            $({
                let filter = Value::from_function(filters::$function);
                environment.add_filter($name, move |state: &mut State<'_, '_>, arguments: Rest<ValueOrKwargs>| {
                    bounded(state, limit, $cost, &filter, &arguments.into_values())
                });
            })*
        };
    }
    use Cost::{Constant, Linear, More};
    add! {
        "length", length, Constant;
        "count", length, Constant;
        "default", default, Constant;
        "d", default, Constant;
        "first", first, Constant;
        "attr", attr, Constant;
        "bool", bool, Constant;
        "abs", abs, Constant;
        "round", round, Constant;
        "int", int, Linear;
        "float", float, Linear;
        "lower", lower, Linear;
        "upper", upper, Linear;
        "title", title, Linear;
        "capitalize", capitalize, Linear;
        "trim", trim, Linear;
        "string", string, Linear;
        "split", split, Linear;
        "lines", lines, Linear;
        "list", list, Linear;
        "items", items, Linear;
        "dictsort", dictsort, Linear;
        "reverse", reverse, Linear;
        "last", last, Linear;
        "min", min, Linear;
        "max", max, Linear;
        "sort", sort, Linear;
        "select", select, Linear;
        "reject", reject, Linear;
        "selectattr", selectattr, Linear;
        "rejectattr", rejectattr, Linear;
        "map", map, Linear;
        "groupby", groupby, Linear;
        "unique", unique, Linear;
        "replace", replace, More(replaced);
        "join", join, More(joined);
        "indent", indent, More(indented);
        "tojson", tojson, More(in_lines);
        "batch", batch, More(filled);
        "slice", slice, More(filled);
        "sum", sum, More(summed);
    }
}

/// Calls a filter when what it reads and may make is still allowed.
fn bounded(
    state: &mut State<'_, '_>,
    limit: u64,
    cost: Cost,
    filter: &Value,
    arguments: &[Value],
) -> Result<Value, Error> {
    if matches!(cost, Cost::Constant) {
        return filter.call(state, arguments);
    }
    let mut given = 0_u64;
    for argument in arguments {
        given = given.saturating_add(charged_size(state, limit, argument)?);
    }
    if let Cost::More(made) = cost {
        spend(state, limit, made(arguments, given))?;
    }
    let value = settled(filter.call(state, arguments)?)?;
    charge(state, limit, &value)?;
    Ok(value)
}

/// An argument, by its position (after the value) or its name.
fn argument(arguments: &[Value], at: usize, name: &str) -> Option<Value> {
    let (positional, named) = from_args::<(&[Value], Kwargs)>(arguments).ok()?;
    positional.get(at + 1).cloned().or_else(|| named.get::<Option<Value>>(name).ok().flatten())
}

fn length_of(value: Option<&Value>) -> u64 {
    // Anything that is not text is written out as text.
    value.map_or(0, |value| value.as_str().map_or_else(|| value.to_string().len(), str::len) as u64)
}

fn count_of(value: Option<&Value>, otherwise: u64) -> u64 {
    let count = value.map_or(otherwise, |value| value.as_usize().map_or(otherwise, |count| count as u64));
    // Beyond all that any template may touch.
    if count > MOST { u64::MAX } else { count }
}

/// Each occurrence of the old text is replaced by the new one.
fn replaced(arguments: &[Value], given: u64) -> u64 {
    let old = length_of(arguments.get(1));
    let places = match arguments.first().and_then(|value| value.as_str()).zip(arguments.get(1)) {
        Some((text, pattern)) => match pattern.as_str() {
            Some(pattern) => text.matches(pattern).count() as u64,
            None => given / old.max(1) + 1,
        },
        None => given / old.max(1) + 1,
    };
    places.saturating_mul(length_of(arguments.get(2)))
}

/// The text that joins the values appears between any two.
fn joined(arguments: &[Value], given: u64) -> u64 {
    let many = arguments.first().and_then(Value::len).map_or(given, |count| count as u64);
    many.saturating_mul(length_of(argument(arguments, 0, "d").as_ref()).max(1))
}

/// Each line gets so many spaces.
fn indented(arguments: &[Value], given: u64) -> u64 {
    let lines =
        arguments.first().and_then(|text| Some(text.as_str()?.lines().count() as u64)).unwrap_or(given);
    lines.saturating_mul(count_of(argument(arguments, 0, "width").as_ref(), 4))
}

/// Like `indented`, for each value and level.
fn in_lines(arguments: &[Value], given: u64) -> u64 {
    let indent = argument(arguments, 0, "indent");
    given.saturating_mul(6).saturating_add(given.saturating_mul(count_of(indent.as_ref(), 0)))
}

/// Lists of so many values, or so many lists.
fn filled(arguments: &[Value], _: u64) -> u64 {
    count_of(arguments.get(1), 1).saturating_mul(64)
}

/// Numbers only: lists would grow with each that is added.
fn summed(arguments: &[Value], given: u64) -> u64 {
    let start = argument(arguments, 1, "start");
    let is_number = start.is_none_or(|start| matches!(start.kind(), ValueKind::Number | ValueKind::Bool));
    if is_number { 0 } else { given.saturating_mul(given) }
}

fn add_tests(environment: &mut Environment<'static>, limit: u64) {
    macro_rules! add {
        ($($name:literal, $function:ident;)*) => {
            $({
                let test = Value::from_function(tests::$function);
                environment.add_test($name, move |state: &mut State<'_, '_>, arguments: Rest<Value>| {
                    for argument in arguments.iter() {
                        charge(state, limit, argument)?;
                    }
                    test.call(state, &arguments).map(|value| value.is_true())
                });
            })*
        };
    }
    environment.add_test("undefined", tests::is_undefined);
    environment.add_test("defined", tests::is_defined);
    environment.add_test("none", tests::is_none);
    environment.add_test("boolean", tests::is_boolean);
    environment.add_test("number", tests::is_number);
    environment.add_test("integer", tests::is_integer);
    environment.add_test("int", tests::is_integer);
    environment.add_test("float", tests::is_float);
    environment.add_test("string", tests::is_string);
    environment.add_test("sequence", tests::is_sequence);
    environment.add_test("iterable", tests::is_iterable);
    environment.add_test("mapping", tests::is_mapping);
    environment.add_test("true", tests::is_true);
    environment.add_test("false", tests::is_false);
    environment.add_test("filter", tests::is_filter);
    environment.add_test("test", tests::is_test);
    add! {
        "odd", is_odd;
        "even", is_even;
        "divisibleby", is_divisibleby;
        "startingwith", is_startingwith;
        "endingwith", is_endingwith;
        "lower", is_lower;
        "upper", is_upper;
        "sameas", is_sameas;
        "eq", is_eq;
        "equalto", is_eq;
        "==", is_eq;
        "ne", is_ne;
        "!=", is_ne;
        "lt", is_lt;
        "lessthan", is_lt;
        "<", is_lt;
        "le", is_le;
        "<=", is_le;
        "gt", is_gt;
        "greaterthan", is_gt;
        ">", is_gt;
        "ge", is_ge;
        ">=", is_ge;
        "in", is_in;
    }
}

fn add_functions(environment: &mut Environment<'static>, limit: u64) {
    macro_rules! add {
        ($($name:literal, $function:ident;)*) => {
            $({
                let function = Value::from_function(functions::$function);
                environment.add_function($name, move |state: &mut State<'_, '_>, arguments: Rest<ValueOrKwargs>| {
                    let arguments = arguments.into_values();
                    for argument in &arguments {
                        charge(state, limit, argument)?;
                    }
                    let value = settled(function.call(state, &arguments)?)?;
                    spend(state, limit, 24 * value.len().unwrap_or(0) as u64)?;
                    Ok::<_, Error>(value)
                });
            })*
        };
    }
    add! {
        "range", range;
        "dict", dict;
        "namespace", namespace;
    }
}
