//! An explanation as text, Markdown and JSON.

use super::model::{Explanation, Form, Section, Statement};
use serde_json::{Value, json};

/// Widest line of text, in characters.
const WIDTH: usize = 100;

/// For a terminal: the words alone, wrapped.
#[must_use]
pub fn text(explanation: &Explanation) -> String {
    let mut out = format!("How the profile `{}` works\n", explanation.profile);
    for section in &explanation.sections {
        out.push_str(&format!("\n{}\n\n", section.title.to_uppercase()));
        let mut number = 0;
        for (at, statement) in section.statements.iter().enumerate() {
            let lead = match statement.form {
                Form::Paragraph => String::new(),
                Form::Point => "- ".to_owned(),
                Form::Detail => "  - ".to_owned(),
                Form::Step => {
                    number += 1;
                    format!("{number:>2}. ")
                }
            };
            if is_apart(section, at) {
                out.push('\n');
            }
            wrap(&mut out, &lead, &whole(statement));
        }
    }
    out
}

/// For a page.
#[must_use]
pub fn markdown(explanation: &Explanation) -> String {
    let mut out = format!("# How the profile `{}` works\n", explanation.profile);
    for section in &explanation.sections {
        out.push_str(&format!("\n## {}\n\n", section.title));
        for (at, statement) in section.statements.iter().enumerate() {
            let text = match &statement.label {
                Some(label) => format!("**{label}** {}{}", statement.text, ending(statement)),
                None => whole(statement),
            };
            let lead = match statement.form {
                Form::Paragraph => "",
                Form::Point => "- ",
                Form::Detail => "  - ",
                // Markdown counts for itself.
                Form::Step => "1. ",
            };
            if is_apart(section, at) {
                out.push('\n');
            }
            out.push_str(&format!("{lead}{text}\n"));
        }
    }
    out
}

/// For programs.
#[must_use]
pub(crate) fn json(explanation: &Explanation) -> Value {
    json!(explanation)
}

/// Whether an empty line stands before a statement: paragraphs stand apart, elements of one list together.
fn is_apart(section: &Section, at: usize) -> bool {
    let form = |at: usize| section.statements.get(at).map(|statement| statement.form);
    at > 0 && (form(at) == Some(Form::Paragraph) || form(at - 1) == Some(Form::Paragraph))
}

/// A statement with its label before and its ending after it.
pub(super) fn whole(statement: &Statement) -> String {
    let label = statement.label.as_ref().map(|label| format!("{label} ")).unwrap_or_default();
    format!("{label}{}{}", statement.text, ending(statement))
}

fn ending(statement: &Statement) -> String {
    match &statement.fact.ending {
        Some(ending) => format!(" → `{}` / `{}`", ending.final_status, ending.stop_reason),
        None => String::new(),
    }
}

/// Adds a text with `lead` before its first line and as much space before the others.
fn wrap(out: &mut String, lead: &str, text: &str) {
    let indent = " ".repeat(lead.chars().count());
    let mut line = lead.to_owned();
    let mut empty = true;
    for word in text.split(' ') {
        let longer = line.chars().count() + 1 + word.chars().count();
        if !empty && longer > WIDTH {
            out.push_str(&line);
            out.push('\n');
            line = indent.clone();
            empty = true;
        }
        if !empty {
            line.push(' ');
        }
        line.push_str(word);
        empty = false;
    }
    out.push_str(&line);
    out.push('\n');
}
