//! The engine that scripts run in: no files, no network, no clock, no printing, bounds on everything else.

use super::limits::{
    MAX_ARRAY_ITEMS, MAX_CALL_DEPTH, MAX_EXPRESSION_DEPTH, MAX_FUNCTION_EXPRESSION_DEPTH, MAX_FUNCTIONS,
    MAX_MAP_MEMBERS, MAX_OPERATIONS, MAX_STRING_BYTES, MAX_VARIABLES,
};
use super::{meter, search};
use crate::value::is_blank;
use rhai::module_resolvers::DummyModuleResolver;
use rhai::packages::{
    BasicArrayPackage, BasicMapPackage, BitFieldPackage, CorePackage, LogicPackage, MoreStringPackage,
    Package,
};
use rhai::{Dynamic, Engine, EvalAltResult};
use serde_json::Value;

/// Words that no script may use, not even in a call. Reads of the value behind `this` would not be counted.
const BANNED: [&str; 3] = ["eval", "import", "this"];

/// An engine with every bound set.
pub(super) fn engine() -> Engine {
    // The raw engine has no functions at all; the packages with a clock and blobs are left out.
    let mut engine = Engine::new_raw();
    CorePackage::new().register_into_engine(&mut engine);
    LogicPackage::new().register_into_engine(&mut engine);
    BitFieldPackage::new().register_into_engine(&mut engine);
    rhai::packages::BasicMathPackage::new().register_into_engine(&mut engine);
    BasicArrayPackage::new().register_into_engine(&mut engine);
    BasicMapPackage::new().register_into_engine(&mut engine);
    MoreStringPackage::new().register_into_engine(&mut engine);
    engine
        .set_module_resolver(DummyModuleResolver::new())
        .set_strict_variables(true)
        .set_max_operations(MAX_OPERATIONS)
        .set_max_call_levels(MAX_CALL_DEPTH)
        .set_max_expr_depths(MAX_EXPRESSION_DEPTH, MAX_FUNCTION_EXPRESSION_DEPTH)
        .set_max_string_size(MAX_STRING_BYTES)
        .set_max_array_size(MAX_ARRAY_ITEMS)
        .set_max_map_size(MAX_MAP_MEMBERS)
        .set_max_variables(MAX_VARIABLES)
        .set_max_functions(MAX_FUNCTIONS)
        .set_max_modules(0)
        .on_print(|_| {})
        .on_debug(|_, _, _| {});
    for word in BANNED {
        engine.disable_symbol(word);
    }
    // The core package can put a thread to sleep, also through a function pointer; a native function of the engine
    // hides it.
    engine.register_fn("sleep", |_: i64| -> Result<(), Box<EvalAltResult>> {
        Err("`sleep` is not allowed".into())
    });
    engine.register_fn("sleep", |_: f64| -> Result<(), Box<EvalAltResult>> {
        Err("`sleep` is not allowed".into())
    });
    meter::count_in(&mut engine);
    search::offer(&mut engine);
    engine.register_fn("present", |value: Dynamic| is_present(&value));
    engine.register_fn("number", |text: &str| number(text).map_or(Dynamic::UNIT, Dynamic::from_float));
    engine.register_fn("number", |value: i64| value);
    engine.register_fn("number", |value: f64| value);
    engine.register_fn("number", |(): ()| ());
    engine
}

/// `present(x)`: whether a value counts as present, as rubrics see it ([`crate::value::is_present`]).
fn is_present(value: &Dynamic) -> bool {
    if value.is_unit() {
        return false;
    }
    if let Some(text) = value.read_lock::<rhai::ImmutableString>() {
        return !is_blank(&text);
    }
    if let Some(items) = value.read_lock::<rhai::Array>() {
        return items.iter().any(is_present);
    }
    value.read_lock::<rhai::Map>().is_none_or(|members| members.values().any(is_present))
}

/// `number(text)`: the first number in a text (`12.5 mm` gives 12.5; a comma between digits counts as a decimal
/// point), or nothing.
fn number(text: &str) -> Option<f64> {
    let start = text.find(|c: char| c.is_ascii_digit())?;
    let (before, from) = text.split_at(start);
    let end = from
        .char_indices()
        .find(|(at, c)| {
            let digit_follows =
                from.get(at + 1..).is_some_and(|rest| rest.starts_with(|d: char| d.is_ascii_digit()));
            !(c.is_ascii_digit() || (matches!(c, '.' | ',') && digit_follows))
        })
        .map_or(from.len(), |(at, _)| at);
    let digits = from.get(..end)?;
    let value: f64 = digits.replacen(',', ".", 1).parse().ok()?;
    let sign = before.chars().last();
    let negative =
        matches!(sign, Some('-' | '−')) && !before.chars().rev().nth(1).is_some_and(char::is_alphanumeric);
    Some(if negative { -value } else { value })
}

/// A JSON value as scripts see it: objects are maps, `null` is `()`, integers beyond 64 bits are floats.
pub(super) fn to_dynamic(value: &Value) -> Dynamic {
    match value {
        Value::Null => Dynamic::UNIT,
        Value::Bool(b) => Dynamic::from_bool(*b),
        Value::Number(n) => match n.as_i64() {
            Some(int) => Dynamic::from_int(int),
            None => n.as_f64().map_or(Dynamic::UNIT, Dynamic::from_float),
        },
        Value::String(text) => Dynamic::from(text.clone()),
        Value::Array(items) => Dynamic::from_array(items.iter().map(to_dynamic).collect()),
        Value::Object(members) => Dynamic::from_map(
            members.iter().map(|(key, member)| (key.as_str().into(), to_dynamic(member))).collect(),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn scripts_see_as_present_what_all_else_does() {
        for value in [
            json!(null),
            json!(""),
            json!("\u{a0}\u{200b}"),
            json!("x"),
            json!(0),
            json!(false),
            json!([]),
            json!([null, " ", {"a": []}]),
            json!([null, {"a": [0]}]),
            json!({}),
            json!({"a": "", "b": {"c": null}}),
            json!({"a": "", "b": {"c": 1.5}}),
        ] {
            assert_eq!(is_present(&to_dynamic(&value)), crate::value::is_present(&value), "{value}");
        }
    }

    #[test]
    fn numbers_are_found_in_text() {
        for (text, expected) in [
            ("12.5 mm", Some(12.5)),
            ("about 3,5 cm.", Some(3.5)),
            ("-4", Some(-4.0)),
            ("T1-2", Some(1.0)),
            ("ten", None),
            ("7.", Some(7.0)),
            ("1,234.5", None),
        ] {
            assert_eq!(number(text), expected, "{text}");
        }
    }
}
