//! Checks which keys of extraction patterns go together. The provider `pattern` refuses files in which they don't, and
//! with such a file every document would fail.

use super::extraction::{ExtractedField, Extraction, FieldKind, ItemMember, Named, Pattern};
use crate::diag::{Code, Problem, Problems, Span};
use crate::value::decode::Spanned;

/// Most words, headings or fields of a file, and most patterns, keys or members of a field.
const MOST: usize = 200;

/// Reports keys that lack another, or that mean nothing beside another.
pub(super) fn check_keys(file: &Extraction, problems: &mut Problems) {
    let has_headings = !file.headings.is_empty();
    if let Some(title) = file.preliminary.as_ref().filter(|_| !has_headings) {
        problems.push(without_headings(&title.span, "preliminary"));
    }
    check_number("words", file.words.iter().map(|(name, _)| &name.span), problems);
    check_number("headings", file.headings.iter().map(|heading| &heading.span), problems);
    check_number("fields", file.fields.iter().map(|(name, _)| &name.span), problems);
    for (name, field) in &file.fields {
        check_field(name, field, has_headings, problems);
        check_number("members", field.fields.iter().map(|(name, _)| &name.span), problems);
        for (name, member) in &field.fields {
            check_member(name, member, &file.fields, has_headings, problems);
        }
    }
}

fn check_field(name: &Spanned<String>, field: &ExtractedField, has_headings: bool, problems: &mut Problems) {
    let place = &name.span;
    match field.kind {
        FieldKind::Whole | FieldKind::Each if !field.patterns.is_empty() => problems.push(
            Problem::error(
                Code::Conflict,
                place,
                "a field of `kind: whole` or `kind: each` has no `patterns`",
            )
            .help("remove one of the two"),
        ),
        FieldKind::Whole | FieldKind::Each => {}
        _ if field.patterns.is_empty() => {
            let problem = Problem::error(Code::MissingKey, place, "this field has no `patterns`");
            problems.push(
                problem.help("add one, such as `patterns: [{ pattern: 'grade:\\s*(?P<value>\\w+)' }]`"),
            );
        }
        _ => {}
    }
    if let Some((key, _)) = field.keys.first().filter(|_| field.kind != FieldKind::Object) {
        problems.push(goes_with(&key.span, "keys", "kind: object"));
    }
    if let Some(values) = field.values.as_ref().filter(|_| field.kind != FieldKind::Text) {
        problems.push(goes_with(&values.span, "values", "kind: text"));
    }
    if let Some(verdict) = field.verdict.as_ref().filter(|_| field.kind != FieldKind::Text) {
        problems.push(goes_with(&verdict.span, "verdict", "kind: text"));
    }
    if let Some(rows) = &field.rows {
        if field.kind != FieldKind::List {
            problems.push(goes_with(place, "rows", "kind: list"));
        }
        check_number("columns", rows.columns.iter().map(|(name, _)| &name.span), problems);
        let is_column =
            |name: &Spanned<String>| rows.columns.iter().any(|(known, _)| known.value == name.value);
        for name in rows.needs.iter().filter(|name| !is_column(name)) {
            let problem =
                Problem::error(Code::MissingKey, &name.span, format!("no column is called `{}`", name.value));
            problems.push(problem.help("add it under `columns`, or take it out of `needs`"));
        }
    }
    match (field.kind == FieldKind::Each, field.fields.first()) {
        (true, None) => {
            let problem = Problem::error(Code::MissingKey, place, "a field of `kind: each` needs `fields`");
            problems.push(problem.help("list the members of an item: `fields: { grade: {} }`"));
        }
        (false, Some((member, _))) => problems.push(goes_with(&member.span, "fields", "kind: each")),
        _ => {}
    }
    check_number("keys", field.keys.iter().map(|(name, _)| &name.span), problems);
    check_patterns(name, &field.patterns, field.kind, has_headings, problems);
}

fn check_member(
    name: &Spanned<String>,
    member: &ItemMember,
    fields: &Named<ExtractedField>,
    has_headings: bool,
    problems: &mut Problems,
) {
    if member.patterns.is_empty() {
        let has_some = |(known, field): &(Spanned<String>, ExtractedField)| {
            known.value == name.value && !field.patterns.is_empty()
        };
        if !fields.iter().any(has_some) {
            let message = format!("no field `{}` has patterns that this member could take", name.value);
            let problem = Problem::error(Code::MissingKey, &name.span, message);
            problems.push(problem.help("add `patterns:` here, or to the field of that name"));
        }
    } else if matches!(member.kind, FieldKind::Whole | FieldKind::Each) {
        let message = "a member is a text, a number, an object or a list";
        problems.push(Problem::error(Code::Conflict, &name.span, message).help("choose another `kind`"));
    } else {
        check_patterns(name, &member.patterns, member.kind, has_headings, problems);
    }
}

fn check_patterns(
    name: &Spanned<String>,
    patterns: &[Pattern],
    kind: FieldKind,
    has_headings: bool,
    problems: &mut Problems,
) {
    check_number("patterns", patterns.iter().map(|_| &name.span), problems);
    for Pattern { section, pattern, .. } in patterns {
        let Some(section) = section else { continue };
        if !has_headings {
            problems.push(without_headings(&section.span, "section"));
        }
        if pattern.is_none() && kind != FieldKind::Text {
            let message = "only a text can be all that is under a heading";
            let problem = Problem::error(Code::MissingKey, &section.span, message);
            problems.push(problem.help("say with `pattern` what to look for there"));
        }
    }
}

fn check_number<'s>(
    what: &str,
    mut places: impl ExactSizeIterator<Item = &'s Span>,
    problems: &mut Problems,
) {
    let found = places.len();
    if let Some(place) = places.nth(MOST) {
        let message = format!("expected at most {MOST} {what}, found {found}");
        problems.push(Problem::error(Code::TooLarge, place, message));
    }
}

fn without_headings(place: &Span, key: &str) -> Problem {
    Problem::error(Code::MissingKey, place, format!("`{key}` needs `headings` at the top of the file"))
        .help("say what a heading looks like: `headings: ['^(?P<title>[A-Z ]+):']`")
}

fn goes_with(place: &Span, key: &str, kind: &str) -> Problem {
    Problem::error(Code::Conflict, place, format!("`{key}` goes with `{kind}` only"))
        .help(format!("add `{kind}`, or remove `{key}`"))
}
