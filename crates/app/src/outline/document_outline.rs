//! All that is shown of a document, for people and programs.

use super::leaves::{LeafValue, leaves};
use super::positions::{DocumentPosition, Positions};
use super::seen_document::SeenDocument;
use super::{OutlineRequest, shown};
use loopctl_ground::Document;
use loopctl_ground::outline::{self, Reading};
use serde::Serialize;
use serde_json::Value;

/// Longest text that is shown, in characters.
const LONGEST: usize = 400;

/// The outline of a document, with at most so many lines, sentences and values.
#[derive(Debug, Serialize)]
pub struct DocumentOutline {
    pub(super) document: String,
    /// The whole text, its pages and its structure.
    #[serde(flatten)]
    pub(super) seen: SeenDocument,
    pub(super) lines: Vec<OutlineLine>,
    #[serde(skip_serializing_if = "is_zero")]
    pub(super) lines_left_out: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) sentences: Option<Vec<Sentence>>,
    #[serde(skip_serializing_if = "is_zero")]
    pub(super) sentences_left_out: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) values: Option<Vec<LeafValue>>,
    #[serde(skip_serializing_if = "is_zero")]
    pub(super) values_left_out: usize,
}

/// A row, by the line in which it begins.
#[derive(Debug, Serialize)]
pub(super) struct OutlineLine {
    pub(super) line: usize,
    /// Its page, in a document that has pages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) page: Option<usize>,
    pub(super) cells: Vec<OutlineCell>,
    #[serde(skip_serializing_if = "is_zero")]
    pub(super) cells_left_out: usize,
}

#[derive(Debug, Serialize)]
pub(super) struct OutlineCell {
    /// The first and the last column, from 1.
    pub(super) columns: (u32, u32),
    pub(super) text: String,
    #[serde(flatten)]
    pub(super) at: DocumentPosition,
    /// The name that markup gives it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) name: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) values: Vec<CellValue>,
    #[serde(skip_serializing_if = "is_zero")]
    pub(super) values_left_out: usize,
}

/// A value of a cell.
#[derive(Debug, Serialize)]
pub(super) struct CellValue {
    pub(super) kind: &'static str,
    pub(super) value: Value,
    pub(super) text: String,
    #[serde(flatten)]
    pub(super) at: DocumentPosition,
    pub(super) labels: Vec<CellLabel>,
}

#[derive(Debug, Serialize)]
pub(super) struct CellLabel {
    pub(super) words: String,
    pub(super) side: &'static str,
    pub(super) weight: f32,
}

#[derive(Debug, Serialize)]
pub(super) struct Sentence {
    pub(super) text: String,
    #[serde(flatten)]
    pub(super) at: DocumentPosition,
    pub(super) statements: Vec<OutlineStatement>,
}

#[derive(Debug, Serialize)]
pub(super) struct OutlineStatement {
    pub(super) text: String,
    #[serde(flatten)]
    pub(super) at: DocumentPosition,
    /// It is a statement by itself.
    pub(super) whole: bool,
    pub(super) acting: Vec<ActingPhrase>,
}

#[derive(Debug, Serialize)]
pub(super) struct ActingPhrase {
    pub(super) text: String,
    #[serde(flatten)]
    pub(super) at: DocumentPosition,
    pub(super) acts: Vec<&'static str>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// A text on one line, as much of it as is shown.
pub(super) fn clipped(text: &str) -> String {
    let mut words = String::new();
    let mut is_blank = false;
    let mut count = 0;
    for c in text.trim().chars() {
        if count >= LONGEST {
            words.push('…');
            break;
        }
        let blank = matches!(c, '\n' | '\r' | '\t' | '\u{c}');
        if !(blank && is_blank) {
            words.push(if blank { ' ' } else { c });
            count += 1;
        }
        is_blank = blank || c == ' ' && is_blank;
    }
    words
}

impl DocumentOutline {
    pub(super) fn read(
        seen: SeenDocument,
        positions: &Positions<'_>,
        document: &Document,
        candidate: Option<&Value>,
        request: &OutlineRequest,
    ) -> Self {
        let OutlineRequest { clauses, most, .. } = *request;
        let outline = document.outline(most);
        let lines = outline.rows.iter().map(|row| line(row, positions)).collect();
        let sentences = clauses.then(|| document.sentences(most));
        let sentences_left_out = sentences.as_ref().map_or(0, |read| read.left_out);
        let sentences = sentences
            .map(|read| read.sentences.iter().map(|sentence| self::sentence(sentence, positions)).collect());
        let (values, values_left_out) = match candidate {
            Some(candidate) => {
                let (values, left_out) = leaves(document, candidate, positions, most);
                (Some(values), left_out)
            }
            None => (None, 0),
        };
        DocumentOutline {
            document: shown(&request.file),
            seen,
            lines,
            lines_left_out: outline.left_out,
            sentences,
            sentences_left_out,
            values,
            values_left_out,
        }
    }
}

fn line(row: &outline::Row, positions: &Positions<'_>) -> OutlineLine {
    let first = row.cells.first().map_or(0, |cell| cell.bytes.start);
    let cells: Vec<OutlineCell> = row.cells.iter().map(|cell| self::cell(cell, positions)).collect();
    OutlineLine {
        line: positions.line(first),
        page: cells.first().and_then(|cell| Some(cell.at.places.first()?.page)),
        cells,
        cells_left_out: row.left_out,
    }
}

fn cell(cell: &outline::Cell, positions: &Positions<'_>) -> OutlineCell {
    OutlineCell {
        columns: (cell.columns.start.saturating_add(1), cell.columns.end),
        text: clipped(positions.text(&cell.bytes)),
        at: positions.of_bytes(&cell.bytes),
        name: cell.name.clone(),
        values: cell.values.iter().map(|value| typed(value, positions)).collect(),
        values_left_out: cell.left_out,
    }
}

fn typed(value: &outline::Value, positions: &Positions<'_>) -> CellValue {
    let text = clipped(positions.text(&value.bytes));
    let (kind, read) = match value.reading {
        Reading::Number(number) => ("number", Value::from(number)),
        Reading::Date { year, month, day } => ("date", format!("{year:04}-{month:02}-{day:02}").into()),
        Reading::Text => ("text", text.clone().into()),
    };
    let labels = value.labels.iter().map(|label| CellLabel {
        words: clipped(&label.words),
        side: label.side.as_str(),
        weight: label.weight,
    });
    CellValue { kind, value: read, text, at: positions.of_bytes(&value.bytes), labels: labels.collect() }
}

fn sentence(sentence: &outline::Sentence, positions: &Positions<'_>) -> Sentence {
    let statements = sentence.statements.iter().map(|statement| OutlineStatement {
        text: clipped(positions.text(&statement.bytes)),
        at: positions.of_bytes(&statement.bytes),
        whole: statement.is_whole,
        acting: statement
            .acting
            .iter()
            .map(|acting| ActingPhrase {
                text: clipped(positions.text(&acting.bytes)),
                at: positions.of_bytes(&acting.bytes),
                acts: acting.acts.iter().map(|act| act.as_str()).collect(),
            })
            .collect(),
    });
    Sentence {
        text: clipped(positions.text(&sentence.bytes)),
        at: positions.of_bytes(&sentence.bytes),
        statements: statements.collect(),
    }
}
