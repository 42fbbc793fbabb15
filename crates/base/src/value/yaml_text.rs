//! Scalars as YAML text that reads back as the same value.

use super::yaml::{Data, resolve_plain};

/// Characters that mean something in YAML when an unquoted text begins with them.
const INDICATORS: &str = "-?:,[]{}#&*!|>'\"%@`=<~";

/// A scalar as it can appear after a key or a dash, on one line; `None` for lists and mappings, except empty ones.
#[must_use]
pub fn scalar(data: &Data) -> Option<String> {
    Some(match data {
        Data::Null => "null".to_owned(),
        Data::Bool(value) => value.to_string(),
        Data::Int(number) => number.to_string(),
        Data::Float(number) if number.is_nan() => ".nan".to_owned(),
        Data::Float(number) if number.is_infinite() => {
            if *number > 0.0 { ".inf" } else { "-.inf" }.to_owned()
        }
        // Always with a point or an exponent, so that it stays what it is.
        Data::Float(number) => format!("{number:?}"),
        Data::Text { text, .. } => quoted(text),
        Data::List(items) if items.is_empty() => "[]".to_owned(),
        Data::Map(entries) if entries.is_empty() => "{}".to_owned(),
        Data::List(_) | Data::Map(_) => return None,
    })
}

/// A text, with quotes only where it needs them.
#[must_use]
pub fn quoted(text: &str) -> String {
    if is_plain(text) {
        text.to_owned()
    } else if text.chars().all(is_printable) {
        format!("'{}'", text.replace('\'', "''"))
    } else {
        escaped(text)
    }
}

/// Returns whether a text without quotes reads back as the same text.
fn is_plain(text: &str) -> bool {
    let inside = |c: char| is_printable(c) && !matches!(c, ',' | '[' | ']' | '{' | '}' | '\u{a0}');
    !text.starts_with(|c: char| INDICATORS.contains(c) || c == ' ')
        && !text.ends_with([' ', ':'])
        && text.chars().all(inside)
        && !text.contains(": ")
        && !text.contains(" #")
        && !matches!(text, "---" | "...")
        && matches!(resolve_plain(text), Data::Text { .. })
}

/// Returns whether YAML shows a character as it is, line breaks and tabs aside.
fn is_printable(c: char) -> bool {
    !c.is_control() && !matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
}

fn escaped(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            c if is_printable(c) => out.push(c),
            c => out.push_str(&format!("\\U{:08x}", u32::from(c))),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::{Problems, SourceFile};
    use crate::value::yaml::parse;
    use proptest::prelude::*;

    fn read(yaml: &str) -> Option<Data> {
        let mut problems = Problems::new();
        let node = parse(&SourceFile::new("t.yaml", yaml), &mut problems);
        node.filter(|_| !problems.has_errors()).map(|node| node.data)
    }

    fn is_text(data: Option<Data>, text: &str) -> bool {
        matches!(data, Some(Data::Text { text: read, .. }) if read == text)
    }

    #[test]
    fn a_text_has_quotes_only_where_it_needs_them() {
        for (text, written) in [
            ("balanced", "balanced"),
            ("schemas/{{ document_type }}.json", "'schemas/{{ document_type }}.json'"),
            ("overall < 0.80 or status != passed", "overall < 0.80 or status != passed"),
            ("30s", "30s"),
            ("3", "'3'"),
            ("0x1F", "'0x1F'"),
            ("true", "'true'"),
            ("", "''"),
            ("it's: so", "'it''s: so'"),
            ("two\nlines", "\"two\\nlines\""),
            ("\\bword\\b", "\\bword\\b"),
            ("no", "no"),
        ] {
            assert_eq!(quoted(text), written);
        }
        assert_eq!(scalar(&Data::Float(1.0)).as_deref(), Some("1.0"));
        assert_eq!(scalar(&Data::Float(1e-9)).as_deref(), Some("1e-9"));
    }

    proptest! {
        #[test]
        fn every_text_reads_back(text in any::<String>()) {
            let text = text.replace('\0', "");
            let quoted = quoted(&text);
            prop_assert!(is_text(read(&quoted), &text), "{quoted}");
            let nested = read(&format!("k: {quoted}  # said\nl:\n  - {quoted}\n"));
            let Some(Data::Map(entries)) = nested else { return Err(TestCaseError::fail(quoted)) };
            prop_assert!(is_text(Some(entries[0].value.data.clone()), &text), "{quoted}");
        }

        #[test]
        fn every_text_reads_back_as_a_key(text in "[ -~]{0,12}|\\PC{0,6}") {
            let written = format!("{}: 1\n", quoted(&text));
            let Some(Data::Map(entries)) = read(&written) else { return Err(TestCaseError::fail(written)) };
            prop_assert_eq!(&entries[0].key, &text);
        }

        #[test]
        fn every_number_reads_back(number in any::<f64>().prop_filter("finite", |n| n.is_finite())) {
            let read = read(&scalar(&Data::Float(number)).unwrap_or_default());
            prop_assert!(matches!(read, Some(Data::Float(same)) if same == number));
        }
    }
}
