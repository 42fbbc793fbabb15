//! Outlines as people read them.

use super::document_outline::{ActingPhrase, CellValue, DocumentOutline, OutlineCell, Sentence};
use super::leaves::{ClauseReading, LeafPassage, LeafValue};
use crate::report::Paint;
use crate::value::prose::{beginning, plural};
use crate::value::sanitize_line;
use serde_json::Value;
use std::fmt::Write as _;

/// Longest text of a cell or passage, in characters.
const SHOWN: usize = 90;

impl DocumentOutline {
    /// For people.
    pub fn text(&self, paint: Paint) -> String {
        let mut out = String::new();
        if let Some(found) = &self.seen.document_type {
            put(&mut out, &format!("type {}, confidence {:.2}", found.name, found.confidence));
        }
        for line in &self.lines {
            let page = line.page.map_or_else(String::new, |page| format!("page {page}, "));
            put(&mut out, &paint.strong(&format!("{page}line {}", line.line)));
            let columns: Vec<String> = line.cells.iter().map(columns).collect();
            let width = columns.iter().map(String::len).max().unwrap_or_default();
            for (cell, columns) in line.cells.iter().zip(&columns) {
                tell_cell(cell, columns, width, paint, &mut out);
            }
            left_out(&mut out, line.cells_left_out, "cell", "  ");
        }
        left_out(&mut out, self.lines_left_out, "line", "");
        for sentence in self.sentences.iter().flatten() {
            tell_sentence(sentence, paint, &mut out);
        }
        left_out(&mut out, self.sentences_left_out, "sentence", "");
        for leaf in self.values.iter().flatten() {
            tell_leaf(leaf, paint, &mut out);
        }
        left_out(&mut out, self.values_left_out, "value", "");
        out
    }
}

fn put(out: &mut String, line: &str) {
    out.push_str(line.trim_end());
    out.push('\n');
}

/// Reports how many were left out, and how to show them.
fn left_out(out: &mut String, count: usize, what: &str, indent: &str) {
    if count > 0 {
        let what = plural(count as u64, what);
        let help = if indent.is_empty() { "; `--lines N` shows more" } else { "" };
        put(out, &format!("{indent}… {count} more {what}{help}"));
    }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", sanitize_line(&beginning(text, SHOWN)))
}

fn columns(cell: &OutlineCell) -> String {
    format!("{}-{}", cell.columns.0, cell.columns.1)
}

fn tell_cell(cell: &OutlineCell, columns: &str, width: usize, paint: Paint, out: &mut String) {
    let name = cell.name.as_deref().map_or_else(String::new, |name| format!("  <{}>", sanitize_line(name)));
    put(out, &format!("  {columns:<width$}  {}{name}", quoted(&cell.text)));
    for value in &cell.values {
        put(out, &format!("  {:width$}    {}", "", tell_value(value, paint)));
    }
    left_out(out, cell.values_left_out, "value", "      ");
}

fn tell_value(value: &CellValue, paint: Paint) -> String {
    let read = plain(&value.value);
    let mut told =
        format!("{} {}", value.kind, if value.kind == "text" { quoted(&read) } else { read.clone() });
    if value.text != read {
        let _ = write!(told, " {}", quoted(&value.text));
    }
    match value.labels.first() {
        Some(label) => {
            let label = format!("label {}, {}", quoted(&label.words), label.side);
            let _ = write!(told, "  {}", paint.faint(&label));
        }
        None => {
            let _ = write!(told, "  {}", paint.faint("no label"));
        }
    }
    told
}

/// A value as it is written, without the quotes of JSON and without a fraction of zero.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => {
            let written = number.to_string();
            written.strip_suffix(".0").map_or_else(|| written.clone(), str::to_owned)
        }
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => value.to_string(),
    }
}

fn tell_sentence(sentence: &Sentence, paint: Paint, out: &mut String) {
    let place = format!("sentence, {}", sentence.at.in_words());
    put(out, &format!("{}  {}", paint.strong(&place), quoted(&sentence.text)));
    for statement in &sentence.statements {
        let kind = if statement.whole { "statement" } else { "part" };
        put(out, &format!("  {kind:<9}  {}", quoted(&statement.text)));
        for acting in &statement.acting {
            put(out, &format!("  {:9}    {}", "", tell_acting(acting)));
        }
    }
}

fn tell_acting(acting: &ActingPhrase) -> String {
    let acts: Vec<String> = acting.acts.iter().map(|act| act.replace('_', " ")).collect();
    format!("{}: {}", quoted(&acting.text), acts.join(", "))
}

fn place(passage: &LeafPassage) -> String {
    format!("{}  {}", passage.at.in_words(), quoted(&passage.text))
}

fn tell_leaf(leaf: &LeafValue, paint: Paint, out: &mut String) {
    let value = match &leaf.value {
        Value::String(text) => quoted(text),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            leaf.value.to_string()
        }
    };
    put(out, &format!("{}  {value}", paint.strong(&sanitize_line(&leaf.path))));
    match &leaf.structure {
        Some(structure) => {
            let how = if structure.support == "verified" { structure.binding } else { structure.support };
            put(out, &format!("  structure  {how}: {}", structure.reason));
            if let Some(passage) = &structure.passage {
                put(out, &format!("             {}", place(passage)));
            }
        }
        None => put(out, "  structure  not asked: no document prints truth values"),
    }
    match &leaf.clause {
        Some(clause) => {
            match &clause.read {
                ClauseReading::Pattern { pattern, right, wrong, bound } => put(
                    out,
                    &format!(
                        "  clause     {pattern}: {right} right and {wrong} wrong labelled, precision at least {bound}"
                    ),
                ),
                ClauseReading::Doubt { doubt, reason } => {
                    put(out, &format!("  clause     {doubt}: the passage {reason}"));
                }
            }
            put(out, &format!("             {}", place(&clause.passage)));
        }
        None => put(out, "  clause     no passage"),
    }
}
