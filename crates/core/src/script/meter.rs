//! The bytes that one call of a script touches.
//!
//! Rhai counts steps of a script, and a function of Rhai's own is one step whatever it is given: `source.to_lower()`
//! over megabytes costs as much as `1 + 1`. So a script's accesses are counted by size as well: a variable whenever it
//! is read, a text when it is lengthened.

use super::limits::{MAX_STRING_BYTES, MAX_TOUCHED_BYTES};
use crate::value::Cancel;
use rhai::{Array, Dynamic, Engine, EvalAltResult, FnPtr, ImmutableString, Map, NativeCallContext, Position};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The cost of one value besides its text.
const PER_VALUE: usize = 16;

type ScriptResult<T> = Result<T, Box<EvalAltResult>>;

/// The bytes that one call has touched, and the signal that may end it early.
#[derive(Clone, Default)]
pub(super) struct Meter {
    touched: Arc<AtomicU64>,
    cancel: Cancel,
}

impl Meter {
    pub(super) fn new(cancel: &Cancel) -> Self {
        Meter { touched: Arc::default(), cancel: cancel.clone() }
    }

    pub(super) fn as_tag(&self) -> Dynamic {
        Dynamic::from(self.clone())
    }

    #[cfg(test)]
    pub(super) fn touched(&self) -> u64 {
        self.touched.load(Ordering::Relaxed)
    }
}

/// Counts `bytes` of the call whose state `tag` is; fails when there are too many, or when the call is cancelled.
pub(super) fn charge(tag: &Dynamic, bytes: usize) -> ScriptResult<()> {
    // Without a meter there is no call from outside: a failed call is only retraced, as far as it got.
    let Some(meter) = tag.read_lock::<Meter>() else { return Ok(()) };
    let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
    let before = meter.touched.fetch_add(bytes.min(MAX_TOUCHED_BYTES), Ordering::Relaxed);
    if before.saturating_add(bytes) > MAX_TOUCHED_BYTES || meter.cancel.is_cancelled() {
        return Err(Box::new(EvalAltResult::ErrorTerminated(Dynamic::UNIT, Position::NONE)));
    }
    Ok(())
}

/// The bytes of a value, at all depths.
fn size(value: &Dynamic) -> usize {
    if let Some(text) = value.read_lock::<ImmutableString>() {
        return PER_VALUE + text.len();
    }
    if let Some(items) = value.read_lock::<Array>() {
        return PER_VALUE + items.iter().map(size).sum::<usize>();
    }
    if let Some(members) = value.read_lock::<Map>() {
        return PER_VALUE + members.values().map(size).sum::<usize>();
    }
    // The values that a function is curried with are passed to it at every call.
    if let Some(function) = value.read_lock::<FnPtr>() {
        return PER_VALUE + function.curry().iter().map(size).sum::<usize>();
    }
    PER_VALUE
}

/// Makes an engine count.
pub(super) fn count_in(engine: &mut Engine) {
    #[expect(deprecated, reason = "Rhai's way of saying that the signature may change")]
    engine.on_var(|name, _, context| {
        let bytes = context.scope().get(name).map_or(0, size);
        charge(context.tag(), bytes).map(|()| None)
    });
    // Functions whose result can be longer than all of their arguments.
    engine.register_fn(
        "pad",
        |context: NativeCallContext<'_>, text: &mut ImmutableString, length: i64, with: char| {
            pad(&context, text, length, with.encode_utf8(&mut [0; 4]))
        },
    );
    engine.register_fn(
        "pad",
        |context: NativeCallContext<'_>, text: &mut ImmutableString, length: i64, with: &str| {
            pad(&context, text, length, with)
        },
    );
    engine.register_fn(
        "replace",
        |context: NativeCallContext<'_>, text: &mut ImmutableString, old: &str, new: &str| {
            replace(&context, text, old, new)
        },
    );
    engine.register_fn(
        "replace",
        |context: NativeCallContext<'_>, text: &mut ImmutableString, old: &str, new: char| {
            replace(&context, text, old, new.encode_utf8(&mut [0; 4]))
        },
    );
    engine.register_fn(
        "replace",
        |context: NativeCallContext<'_>, text: &mut ImmutableString, old: char, new: &str| {
            replace(&context, text, old.encode_utf8(&mut [0; 4]), new)
        },
    );
    engine.register_fn(
        "replace",
        |context: NativeCallContext<'_>, text: &mut ImmutableString, old: char, new: char| {
            replace(&context, text, old.encode_utf8(&mut [0; 4]), new.encode_utf8(&mut [0; 4]))
        },
    );
}

/// Counts the bytes that a text is about to grow to; it may not exceed the limit for texts.
fn grows(context: &NativeCallContext<'_>, bytes: usize) -> ScriptResult<()> {
    if let Some(tag) = context.tag() {
        charge(tag, bytes.min(MAX_STRING_BYTES))?;
    }
    if bytes > MAX_STRING_BYTES {
        let what = "Length of string".to_owned();
        return Err(Box::new(EvalAltResult::ErrorDataTooLarge(what, Position::NONE)));
    }
    Ok(())
}

/// `text.pad(length, with)`: at least `length` characters. Padding with nothing changes nothing.
fn pad(
    context: &NativeCallContext<'_>,
    text: &mut ImmutableString,
    length: i64,
    with: &str,
) -> ScriptResult<()> {
    let missing = usize::try_from(length).unwrap_or(0).saturating_sub(text.chars().count());
    if missing == 0 || with.is_empty() {
        return grows(context, text.len());
    }
    // At most four bytes each.
    grows(context, text.len().saturating_add(missing))?;
    let each = with.chars().count();
    let mut padded = text.to_string();
    padded.push_str(&with.repeat(missing / each));
    padded.extend(with.chars().take(missing % each));
    *text = padded.into();
    Ok(())
}

/// `text.replace(old, new)`.
fn replace(
    context: &NativeCallContext<'_>,
    text: &mut ImmutableString,
    old: &str,
    new: &str,
) -> ScriptResult<()> {
    if text.is_empty() {
        return Ok(());
    }
    let made = text.matches(old).count().saturating_mul(new.len()).saturating_add(text.len());
    grows(context, made)?;
    *text = text.replace(old, new).into();
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::sandbox;
    use super::*;
    use rhai::{CallFnOptions, Scope};

    /// The bytes that a call touches, and its result.
    fn touched(body: &str, bytes: usize) -> (u64, Result<Dynamic, String>) {
        let engine = sandbox::engine();
        let ast = match engine.compile(format!("fn f(source) {{ {body} }}")) {
            Ok(ast) => ast,
            Err(error) => return (0, Err(error.to_string())),
        };
        let meter = Meter::default();
        let options = CallFnOptions::new().with_tag(meter.as_tag());
        let arguments = (Dynamic::from("a".repeat(bytes)),);
        let result = engine.call_fn_with_options::<Dynamic>(options, &mut Scope::new(), &ast, "f", arguments);
        (meter.touched(), result.map_err(|error| error.to_string()))
    }

    #[test]
    fn what_a_script_reads_is_counted_by_its_size() {
        for body in [
            "source.len()",
            "let n = 0; for i in 0..50 { n += source.to_lower().len(); } n",
            "let m = #{ a: [source] }; for i in 0..50 { m.a[0].contains(\"b\"); } 1",
            "let t = \"\"; for i in 0..50 { t.pad(source.len(), 'x'); } t.len()",
            "let t = source; t.replace(\"a\", \"bb\"); t.len()",
        ] {
            let ((small, one), (large, other)) = (touched(body, 1_000), touched(body, 10_000));
            assert!(one.is_ok() && other.is_ok(), "{body}: {one:?} {other:?}");
            assert!(large > 9 * small && large < 11 * small, "{body}: {small} and {large}");
        }
    }

    #[test]
    fn a_call_that_touches_too_much_ends() {
        for body in [
            "for i in 0..190000 { let t = \"\"; t.pad(2000000, 'x'); }",
            "for i in 0..190000 { source.to_upper(); }",
            "let m = #{ s: source }; for i in 0..190000 { m.s.index_of(\"b\"); }",
            "let p = Fn(\"to_upper\").curry(source); for i in 0..190000 { p.call(); }",
            "let p = || source.len(); for i in 0..190000 { p.call(); }",
        ] {
            let (touched, result) = touched(body, 1_000_000);
            assert!(result.is_err(), "{body}");
            assert!(touched < 2 * MAX_TOUCHED_BYTES, "{body}: {touched}");
        }
        for body in
            ["let t = source; t.replace(\"\", source);", "let t = \"x\"; t.pad(1000000000, \"yz\");", "this"]
        {
            assert!(touched(body, 1_000_000).1.is_err(), "{body}");
        }
    }

    #[test]
    fn a_call_ends_soon_after_it_is_cancelled() {
        let cancel = Cancel::default();
        let (meter, deaf) = (Meter::new(&cancel), Meter::default());
        let mut engine = sandbox::engine();
        engine.register_fn("cancel", move || cancel.cancel());
        let body = "fn f(source) { for i in 0..100 { if i == 10 { cancel(); } source.to_upper(); } }";
        let ast = engine.compile(body).unwrap();
        let call = |meter: &Meter| {
            let options = CallFnOptions::new().with_tag(meter.as_tag());
            let arguments = (Dynamic::from("a".repeat(1_000)),);
            engine.call_fn_with_options::<Dynamic>(options, &mut Scope::new(), &ast, "f", arguments).is_ok()
        };
        assert!(!call(&meter));
        assert!((10_000..13_000).contains(&meter.touched()), "{}", meter.touched());
        assert!(call(&deaf));
    }

    #[test]
    fn padding_and_replacing_do_what_rhai_says() {
        let text = |body: &str| touched(body, 3).1.map(|value| value.to_string());
        assert_eq!(text("let t = source; t.pad(6, 'x'); t").as_deref(), Ok("aaaxxx"));
        assert_eq!(text("let t = source; t.pad(6, \"xy\"); t").as_deref(), Ok("aaaxyx"));
        assert_eq!(text("let t = source; t.pad(2, 'x'); t").as_deref(), Ok("aaa"));
        assert_eq!(text("let t = source; t.pad(6, \"\"); t").as_deref(), Ok("aaa"));
        assert_eq!(text("let t = source; t.replace('a', \"bc\"); t").as_deref(), Ok("bcbcbc"));
        assert_eq!(text("let t = source; t.replace(\"aa\", 'x'); t").as_deref(), Ok("xa"));
    }

    #[test]
    fn one_reading_is_followed_by_few_calls() {
        let chain = format!("let t = source{}; t.len()", ".to_upper()".repeat(200));
        assert!(touched(&chain, 10).1.is_err());
    }
}
