//! An explanation as text, Markdown and JSON.

use super::model::{Explanation, Form, Section, Statement};
use super::page::Pages;
use serde_json::{Value, json};

/// Widest line of text, in characters.
const WIDTH: usize = 100;

/// A line of a section: a statement, or the rules for the same documents with the same consequences.
struct Line<'a> {
    form: Form,
    label: Option<&'a str>,
    text: String,
}

/// A section in lines. Rules are grouped below what holds of all of them.
fn lines(section: &Section) -> Vec<Line<'_>> {
    let mut lines = Vec::new();
    let mut at = 0;
    while let Some(statement) = section.statements.get(at) {
        let rest = section.statements.get(at..).unwrap_or_default();
        let rules = rest.iter().take_while(|one| one.fact.kind == RULE).count();
        if rules == 0 {
            let text = format!("{}{}", statement.text, ending(statement));
            lines.push(Line { form: statement.form, label: statement.label.as_deref(), text });
            at += 1;
        } else {
            push_rules(rest.get(..rules).unwrap_or_default(), &mut lines);
            at += rules;
        }
    }
    lines
}

/// The kind of fact that a rule is.
const RULE: &str = "rule";

/// The values that grouped rules have in common.
const COMMON: [&str; 6] = ["types", "but", "severity", "handled", "costs", "passes"];

fn push_rules(rules: &[Statement], lines: &mut Vec<Line<'_>>) {
    let pages = Pages::all();
    let common = |one: &Statement| COMMON.map(|name| one.fact.value(name).clone());
    let mut groups: Vec<([Value; 6], Vec<&Statement>)> = Vec::new();
    for one in rules {
        let own = common(one);
        match groups.iter_mut().find(|(common, _)| *common == own) {
            Some((_, group)) => group.push(one),
            None => groups.push((own, vec![one])),
        }
    }
    // Those that are for the same documents are adjacent.
    let firsts: Vec<Value> = groups.iter().map(|([types, ..], _)| types.clone()).collect();
    groups.sort_by_key(|([types, ..], _)| firsts.iter().position(|first| first == types));
    for (_, group) in &groups {
        let Some(first) = group.first() else { continue };
        let (head, below) = match first.form {
            Form::Point => (Form::Point, Form::Detail),
            Form::Paragraph | Form::Detail | Form::Item | Form::Step => (Form::Detail, Form::Item),
        };
        lines.push(Line { form: head, label: None, text: pages.text("rules_of", &first.fact.values) });
        for one in group {
            lines.push(Line {
                form: below,
                label: None,
                text: pages.text("rule_of_these", &one.fact.values),
            });
        }
    }
}

/// For a terminal: the words alone, wrapped.
#[must_use]
pub fn text(explanation: &Explanation) -> String {
    let mut out = format!("How the profile `{}` works\n", explanation.profile);
    for section in &explanation.sections {
        out.push_str(&format!("\n{}\n\n", section.title.to_uppercase()));
        let mut number = 0;
        let lines = lines(section);
        for (at, line) in lines.iter().enumerate() {
            let lead = match line.form {
                Form::Paragraph => String::new(),
                Form::Point => "- ".to_owned(),
                Form::Detail => "  - ".to_owned(),
                Form::Item => "    - ".to_owned(),
                Form::Step => {
                    number += 1;
                    format!("{number:>2}. ")
                }
            };
            if is_apart(&lines, at) {
                out.push('\n');
            }
            let label = line.label.map(|label| format!("{label} ")).unwrap_or_default();
            wrap(&mut out, &lead, &format!("{label}{}", line.text.replace("**", "")));
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
        let lines = lines(section);
        for (at, line) in lines.iter().enumerate() {
            let label = line.label.map(|label| format!("**{label}** ")).unwrap_or_default();
            let lead = match line.form {
                Form::Paragraph => "",
                Form::Point => "- ",
                Form::Detail => "  - ",
                Form::Item => "    - ",
                // Markdown counts for itself.
                Form::Step => "1. ",
            };
            if is_apart(&lines, at) {
                out.push('\n');
            }
            out.push_str(&format!("{lead}{label}{}\n", line.text));
        }
    }
    out
}

/// For programs.
#[must_use]
pub fn json(explanation: &Explanation) -> Value {
    json!(explanation)
}

/// Returns whether an empty line precedes a line: paragraphs are set apart, elements of one list together.
fn is_apart(lines: &[Line<'_>], at: usize) -> bool {
    let form = |at: usize| lines.get(at).map(|line| line.form);
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
