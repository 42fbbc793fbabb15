//! Explanations as texts, and as data.

use super::Explanation;
use crate::diag::Code;
use crate::explain::run::{DocumentEntry, Tone, as_markdown, as_text, tell};
use crate::report::Paint;
use crate::value::{prose, sanitize_line};
use serde_json::{Value, json};

/// The form of an explanation for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextForm {
    /// Lines for a terminal.
    Terminal(Paint),
    /// A page to keep or to send, where there is one; else the lines of a terminal.
    Markdown,
}

impl Explanation {
    /// The explanation for people; in full, nothing is left out.
    pub fn text(&self, form: TextForm, full: bool) -> String {
        let paint = match form {
            TextForm::Terminal(paint) => paint,
            TextForm::Markdown => Paint::new(false),
        };
        match (self, form) {
            (Explanation::Codes, _) => {
                Code::ALL.iter().map(|code| format!("{}  {}\n", code.as_str(), code.title())).collect()
            }
            (Explanation::Code(code), _) => code.page().to_owned(),
            (Explanation::Issue(meaning), _) => meaning.text(),
            (Explanation::Policy(policy), form) => policy.text(form, full),
            (Explanation::Documents(documents), _) => document_list(documents, paint),
            (Explanation::Document(story), TextForm::Terminal(_)) => {
                as_text(&tell(story, full), &|tone, text| coloured(paint, tone, text))
            }
            (Explanation::Document(story), TextForm::Markdown) => as_markdown(&tell(story, full)),
            (Explanation::Field(mentions), _) => mentions.text(paint),
            (Explanation::Parts(parts), _) => parts.text(paint),
        }
    }

    /// The explanation for programs. Nothing is left out.
    pub fn to_json(&self) -> Value {
        match self {
            Explanation::Codes => {
                Code::ALL.iter().map(|code| json!({ "code": code.as_str(), "title": code.title() })).collect()
            }
            Explanation::Code(code) => {
                json!({ "code": code.as_str(), "title": code.title(), "page": code.page() })
            }
            Explanation::Issue(meaning) => json!(meaning),
            Explanation::Policy(policy) => policy.to_json(),
            Explanation::Documents(documents) => json!(documents),
            Explanation::Document(story) => json!(story),
            Explanation::Field(mentions) => json!(mentions),
            Explanation::Parts(parts) => json!(parts),
        }
    }
}

fn coloured(paint: Paint, tone: Tone, text: &str) -> String {
    match tone {
        Tone::Plain => text.to_owned(),
        Tone::Good => paint.good(text),
        Tone::Warn => paint.warn(text),
        Tone::Bad => paint.bad(text),
        Tone::Faint => paint.faint(text),
        Tone::Strong => paint.strong(text),
    }
}

/// Lists the documents to choose from.
fn document_list(documents: &[DocumentEntry], paint: Paint) -> String {
    let width = documents.iter().map(|one| one.document.chars().count()).max().unwrap_or(0);
    let line = |one: &DocumentEntry| {
        let ended = match (one.final_status, &one.stop_reason) {
            (Some(status), Some(reason)) => format!("{status} ({reason})"),
            (None, _) | (_, None) => "interrupted".to_owned(),
        };
        let overall = one.overall.map_or_else(String::new, |overall| format!(", overall {overall:.3}"));
        let candidates = prose::count(one.candidates as u64, "candidate");
        format!("{:width$}  {ended}, {candidates}{overall}\n", sanitize_line(&one.document))
    };
    let lines: String = documents.iter().map(line).collect();
    lines + paint.faint("Add `--document ID` to have one of them explained.\n").as_str()
}
