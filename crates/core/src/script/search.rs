//! Searches of scripts in a text: whole numbers, whole words, patterns.

use super::limits::MAX_ARRAY_ITEMS;
use super::meter::charge;
use crate::value::{PrintedNumbers, PrintedWords};
use loopctl_plugin_sdk::markup::readable;
use regex::{Regex, RegexBuilder};
use rhai::{Array, Dynamic, Engine, EvalAltResult, ImmutableString, NativeCallContext};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Memory of one compiled pattern, in bytes.
const MAX_PATTERN_BYTES: usize = 1 << 20;
/// Patterns that are kept compiled; a script that makes up more than these compiles each one again.
const KEPT_PATTERNS: usize = 64;

type ScriptResult<T> = Result<T, Box<EvalAltResult>>;

/// Patterns of scripts, compiled once.
#[derive(Clone, Default)]
struct PatternCache(Arc<Mutex<HashMap<String, Regex>>>);

impl PatternCache {
    fn get(&self, pattern: &str) -> ScriptResult<Regex> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = kept.get(pattern) {
            return Ok(known.clone());
        }
        let compiled = RegexBuilder::new(pattern)
            .case_insensitive(true)
            .multi_line(true)
            .crlf(true)
            .size_limit(MAX_PATTERN_BYTES)
            .build()
            .map_err(|error| format!("the pattern can't be used: {error}"))?;
        if kept.len() >= KEPT_PATTERNS {
            kept.clear();
        }
        kept.insert(pattern.to_owned(), compiled.clone());
        Ok(compiled)
    }
}

/// Registers the functions with an engine.
pub(super) fn offer(engine: &mut Engine) {
    engine.register_type_with_name::<Arc<PrintedNumbers>>("numbers");
    engine.register_type_with_name::<Arc<PrintedWords>>("words");
    engine.register_fn("plain_text", |context: NativeCallContext<'_>, text: &str| plain(&context, text, &[]));
    engine.register_fn("plain_text", |context: NativeCallContext<'_>, text: &str, leave_out: Array| {
        plain(&context, text, &leave_out)
    });
    engine.register_fn("numbers_in", |context: NativeCallContext<'_>, text: &str| -> ScriptResult<_> {
        touched(&context, text.len())?;
        Ok(Arc::new(PrintedNumbers::of(text)))
    });
    engine.register_fn("has", |numbers: &mut Arc<PrintedNumbers>, value: f64| numbers.has(value));
    engine.register_fn("has", |numbers: &mut Arc<PrintedNumbers>, value: i64| numbers.has(of_int(value)));
    engine.register_fn("has", |numbers: &mut Arc<PrintedNumbers>, value: &str| numbers.has_all_of(value));
    engine.register_fn("has_count", |numbers: &mut Arc<PrintedNumbers>, value: f64| numbers.has_count(value));
    engine.register_fn("has_count", |numbers: &mut Arc<PrintedNumbers>, value: i64| {
        numbers.has_count(of_int(value))
    });
    engine.register_fn("words_in", |context: NativeCallContext<'_>, text: &str| -> ScriptResult<_> {
        touched(&context, text.len())?;
        Ok(Arc::new(PrintedWords::of(text)))
    });
    engine.register_fn("has", |words: &mut Arc<PrintedWords>, name: &str| words.has(name));
    engine.register_fn("share_of", |words: &mut Arc<PrintedWords>, text: &str| words.share_of(text));
    let patterns = PatternCache::default();
    let known = patterns.clone();
    engine.register_fn("find_all", move |context: NativeCallContext<'_>, text: &str, pattern: &str| {
        touched(&context, text.len())?;
        Ok::<_, Box<EvalAltResult>>(find_all(text, &known.get(pattern)?))
    });
    let known = patterns.clone();
    engine.register_fn(
        "replace_all",
        move |context: NativeCallContext<'_>,
              text: &str,
              pattern: &str,
              with: &str|
              -> ScriptResult<ImmutableString> {
            touched(&context, text.len())?;
            let made = known.get(pattern)?.replace_all(text, with).into_owned();
            touched(&context, made.len())?;
            Ok(made.into())
        },
    );
    engine.register_fn("without", move |context: NativeCallContext<'_>, text: &str, from: &str, to: &str| {
        touched(&context, text.len())?;
        Ok::<_, Box<EvalAltResult>>(without(text, &patterns.get(from)?, &patterns.get(to)?))
    });
}

#[expect(clippy::cast_precision_loss, reason = "numbers of people and effects are far below 2^53")]
fn of_int(value: i64) -> f64 {
    value as f64
}

fn touched(context: &NativeCallContext<'_>, bytes: usize) -> ScriptResult<()> {
    context.tag().map_or(Ok(()), |tag| charge(tag, bytes))
}

/// `plain_text(text, leave_out)`: a text of XML or HTML as its readers see it.
fn plain(
    context: &NativeCallContext<'_>,
    text: &str,
    leave_out: &[Dynamic],
) -> ScriptResult<ImmutableString> {
    touched(context, text.len())?;
    let names: Vec<ImmutableString> =
        leave_out.iter().filter_map(|name| name.clone().into_immutable_string().ok()).collect();
    let names: Vec<&str> = names.iter().map(ImmutableString::as_str).collect();
    Ok(readable(text, &names).into_owned().into())
}

/// `text.find_all(pattern)`: the matches of the pattern, or of its group `value` if it has one, up to as many as a list
/// may have.
fn find_all(text: &str, pattern: &Regex) -> Array {
    let matched = |found: regex::Captures<'_>| {
        let value = found.name("value").or_else(|| found.get(0))?;
        Some(Dynamic::from(value.as_str().to_owned()))
    };
    pattern.captures_iter(text).filter_map(matched).take(MAX_ARRAY_ITEMS).collect()
}

/// `text.without(from, to)`: leaves out the text from each match of one pattern to the next match of the other behind
/// it, or to the end.
fn without(text: &str, from: &Regex, to: &Regex) -> ImmutableString {
    let mut kept = String::new();
    let mut at = 0;
    while let Some(begin) = from.find_at(text, at) {
        kept.push_str(text.get(at..begin.start()).unwrap_or_default());
        kept.push('\n');
        // Not within the match itself; an empty one advances by one character.
        let next = text.get(begin.end()..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8);
        let behind = if begin.is_empty() { begin.end() + next } else { begin.end() };
        let end = if behind <= text.len() { to.find_at(text, behind) } else { None };
        match end {
            Some(end) => at = end.start(),
            None => return kept.into(),
        }
    }
    kept.push_str(text.get(at..).unwrap_or_default());
    kept.into()
}

#[cfg(test)]
mod tests {
    use super::super::sandbox;
    use rhai::Scope;

    fn says(body: &str, source: &str) -> String {
        let engine = sandbox::engine();
        let ast = engine.compile(format!("fn f(source) {{ {body} }}")).unwrap();
        match engine.call_fn::<rhai::Dynamic>(&mut Scope::new(), &ast, "f", (source.to_owned(),)) {
            Ok(value) => value.to_string(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn scripts_look_for_what_is_printed() {
        let paper =
            "<p>HR 1.5 of 120 by M&#252;ller</p><xref>7</xref>\nReferences\n1. Smith 0.5\nAppendix\nTable 9";
        for (body, value) in [
            (
                "plain_text(source, [\"xref\"])",
                "HR 1.5 of 120 by Müller\n\nReferences\n1. Smith 0.5\nAppendix\nTable 9",
            ),
            (
                "let n = numbers_in(source); [n.has(1.5), n.has(120), n.has(0.55), n.has_count(20), n.has(\"<0.5\")]",
                "[true, true, false, false, false]",
            ),
            (
                "let w = words_in(plain_text(source)); [w.has(\"Muller\"), w.has(\"Mill\"), w.share_of(\"Smith Jones\")]",
                "[true, false, 0.5]",
            ),
            ("source.find_all(\"table (?<value>\\\\d)\\\\b\")", "[\"9\"]"),
            ("source.find_all(\"smith|ap\")", "[\"Smith\", \"Ap\"]"),
            (
                "source.without(\"^references$\", \"^appendix\").find_all(\"\\\\w+\\\\.?$\")",
                "[\"Appendix\", \"9\"]",
            ),
            ("source.without(\"^references$\", \"^none\").contains(\"Table\")", "false"),
            // Patterns that match nothing terminate.
            ("\"abc\".without(\"\", \"\").contains(\"b\")", "false"),
            ("\"a- b\".replace_all(\"(\\\\w)- (\\\\w)\", \"$1$2\")", "ab"),
        ] {
            assert_eq!(says(body, paper), value, "{body}");
        }
        assert!(says("source.find_all(\"(\")", paper).contains("pattern"));
        assert!(says("source.find_all(\"\\\\w{1000}{1000}\")", paper).contains("pattern"));
    }
}
