//! A document as a reviewer is shown it: each field with its value, the passage of the document that says it, what else
//! the document says, and what was decided.

use super::decision::How;
use super::document::ReviewDocument;
use super::field_path::FieldPath;
use super::fields::ReviewField;
use super::found::Found;
use super::passage::{Passage, PlacedText};
use super::questions::{FieldPlaces, Question};
use super::queue::Reason;
use super::reviewed::{CorrectedType, FieldReview, Position, ReviewState, Reviewed};
use super::source_text::SourceText;
use crate::plan::Plan;
use crate::result::is_for_a_person;
use crate::rules::Assertion;
use crate::score::{FieldMention, Issue, MentionReader, Quotes, SourceSpan, Support};
use serde::Serialize;
use serde_json::Value;
use std::cell::{OnceCell, RefCell};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// Most other values of a field that are shown. A longer list would not help with a document that says more of them.
const MOST_RIVALS: usize = 12;

/// A document as it is shown.
#[derive(Serialize)]
pub struct ShownDocument<'a> {
    /// The id of the document in its run.
    pub document: &'a str,
    /// The type of the document, given or found.
    pub document_type: &'a str,
    /// The type that it has by the decision of a reviewer, if it was run with another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub corrected_type: Option<CorrectedType>,
    /// The id of the run that gave the result.
    pub run: String,
    /// The reasons why the result waits for a person, the most urgent first; never [`Reason::Disputed`].
    pub reasons: Vec<Reason>,
    /// The status in which the document's run ended, such as `passed`.
    pub final_status: &'static str,
    /// The reason why the document's run ended, such as `accepted` or `max_iterations`.
    pub stop_reason: String,
    /// The overall score of the returned candidate, from 0 to 1; `None` if there is no candidate.
    pub overall: Option<f64>,
    /// The progress of the review.
    pub state: ReviewState,
    /// The subjects that reviewers differ about.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub disputed: Vec<String>,
    /// The reviewer who accepted or rejected the document; `None` if no such decision holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decided_by: Option<String>,
    /// The questions that a person answers before the document is accepted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub questions: Vec<ShownQuestion>,
    /// The values of the extraction, then fields without a value, then others that were decided about.
    pub fields: Vec<ShownField>,
    /// Issues that are at none of the fields, including those of the questions.
    pub issues: Vec<ShownIssue>,
    /// The reviewers' comments on the document as a whole, and separate ones on its fields.
    pub comments: Vec<ShownComment>,
    /// Decisions about another result, which do not count.
    pub outdated: usize,
    /// The reason why nothing of the document's text is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub without_text: Option<String>,
    /// Distinguishes this result from others.
    pub shown: &'a str,
}

/// An issue of the document as a whole that a person answers.
#[derive(Serialize)]
pub struct ShownQuestion {
    /// The key by which a decision names it.
    pub issue: String,
    /// The kind of finding, such as `MISSING_FIELD`.
    pub code: String,
    /// The severity of the issue: `info`, `minor`, `major` or `critical`.
    pub severity: &'static str,
    /// The description of the problem, for people.
    pub message: String,
    /// A change that would fix the issue; `None` if none is suggested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suggested_fix: Option<String>,
    /// The passage that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<Passage>,
    /// `true` if a reviewer who says that the document holds all the same must say why.
    pub needs_reason: bool,
    /// The reviewer who said that it does, and why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<ShownAnswer>,
}

/// A reviewer's answer to an issue of the document as a whole.
#[derive(Serialize)]
pub struct ShownAnswer {
    pub reviewer: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
}

/// A field of it.
#[derive(Serialize)]
pub struct ShownField {
    /// The name of a top-level member of the extraction, or a JSON Pointer into it.
    pub field: String,
    /// The extracted value.
    pub value: Option<Value>,
    /// The support of the document for the value, such as `verified`; `None` if nothing has looked for it.
    pub support: Option<&'static str>,
    /// The quote that decided the support, or the model's own for an unchecked value; `None` without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quote: Option<String>,
    /// The passage that states the value, or else one that states otherwise; `None` if neither is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<Passage>,
    /// Other values that the document gives for the field.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rivals: Vec<Rival>,
    /// The issues of the result that are about the field or a part of it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub issues: Vec<ShownIssue>,
    /// The last decision of each reviewer about the field, the latest at the end.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub decisions: Vec<ShownDecision>,
    /// `true` if reviewers contradict each other.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub disputed: bool,
    /// `true` if there is a value and nothing has checked it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unchecked: bool,
    /// The extent of inspection: `each`, `swept`, or `not_looked_for` if the document was accepted without the field.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub how: Option<&'static str>,
    /// `true` if only a person may decide an issue about it.
    #[serde(skip)]
    pub is_for_a_person: bool,
    /// `true` if the quote is the model's own, which nothing has looked up.
    #[serde(skip)]
    pub is_own_quote: bool,
}

/// Another value that the document says.
#[derive(Serialize)]
pub struct Rival {
    pub value: String,
    pub place: Passage,
}

/// An error in a field or in the whole.
#[derive(Serialize)]
pub struct ShownIssue {
    /// The kind of finding, such as `MISSING_FIELD`.
    pub code: String,
    /// The severity of the issue: `info`, `minor`, `major` or `critical`.
    pub severity: &'static str,
    /// The JSON Pointer to the value that the issue is about; empty for the whole extraction.
    pub path: String,
    /// The description of the problem, for people.
    pub message: String,
}

/// A reviewer's decision about a field.
#[derive(Serialize)]
pub struct ShownDecision {
    /// The name of the reviewer.
    pub reviewer: String,
    /// The time of the decision, as RFC 3339 in UTC.
    pub at: String,
    /// The word for the action, such as `accept` or `edit`.
    pub action: &'static str,
    /// The value that is right by this decision; `None` if the document has none.
    pub value: Option<Value>,
    /// `each` if the reviewer inspected the field, `swept` if it was accepted with its document as it was.
    pub how: How,
    /// `true` if it is the last word where reviewers differed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub settles: bool,
    /// The reviewer's comment; `None` if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
}

/// A reviewer's comment on the whole.
#[derive(Serialize)]
pub struct ShownComment {
    pub reviewer: String,
    pub at: String,
    pub comment: String,
}

/// The context that a document is shown with.
#[derive(Clone, Copy)]
pub struct Beside<'a> {
    /// Its run.
    pub run: &'a str,
    /// The document as the run read it, or the reason why it is not available.
    pub source: &'a SourceText,
    /// The run's profile, if it would decide as the run did.
    pub plan: Option<&'a Plan>,
    /// The model's quotes for values, where nothing has looked them up.
    pub quotes: Option<&'a Quotes>,
}

impl<'a> ShownDocument<'a> {
    /// Returns the document with its fields, issues, questions and decisions, as a reviewer is shown it.
    pub fn of(document: &'a ReviewDocument, beside: Beside<'_>) -> Self {
        let (result, reviewed) = (&document.result, document.reviewed());
        let issues = || result.best_validation.iter().flat_map(|validation| &validation.issues);
        let mut rows = document.fields(document.extraction());
        let places = FieldPlaces::of(&rows, document);
        let of_whole =
            issues().filter(|issue| places.of_issue(issue).is_none()).map(ShownIssue::of).collect();
        let mut of_field: HashMap<String, Vec<&Issue>> = HashMap::new();
        for issue in issues() {
            if let Some(field) = places.of_issue(issue) {
                of_field.entry(field.to_owned()).or_default().push(issue);
            }
        }
        let text = Looked::of(document, beside);
        let questions = document.questions_beside(&places);
        let questions = questions.iter().map(|question| text.question(question, &reviewed)).collect();
        drop(places);
        // A value that others decided was there is a field, too.
        let known: HashSet<FieldPath> = rows.iter().map(|row| row.path.clone()).collect();
        for (path, _) in reviewed.fields().filter(|(path, _)| !known.contains(*path)) {
            rows.push(ReviewField { path: path.clone(), value: path.of(document.extraction()).cloned() });
        }
        let fields = rows.into_iter().map(|row| {
            let issues = of_field.get(row.path.pointer()).map(Vec::as_slice).unwrap_or_default();
            text.field(row, issues, &reviewed)
        });
        ShownDocument {
            document: document.id(),
            document_type: &result.document_type,
            run: beside.run.to_owned(),
            reasons: document.reasons(),
            final_status: result.final_status.as_str(),
            stop_reason: result.stop_reason.to_string(),
            overall: result.best_validation.as_ref().map(|validation| validation.overall),
            state: reviewed.state,
            disputed: reviewed.disputes(),
            questions,
            fields: fields.collect(),
            issues: of_whole,
            comments: reviewed
                .comments
                .iter()
                .map(|(reviewer, at, comment)| ShownComment {
                    reviewer: reviewer.clone(),
                    at: at.to_string(),
                    comment: comment.clone(),
                })
                .collect(),
            outdated: reviewed.outdated,
            without_text: match beside.source {
                SourceText::Unchanged(document) => document.text.as_ref().err().map(ToString::to_string),
                SourceText::NotThere(why) => Some(why.clone()),
            },
            decided_by: reviewed.decided_by,
            corrected_type: reviewed.corrected_type,
            shown: &document.shown,
        }
    }
}

/// The context that fields and issues are looked up in, each part once for the whole document.
struct Looked<'a> {
    document: &'a ReviewDocument,
    beside: Beside<'a>,
    found: Found<'a>,
    text: Option<PlacedText<'a>>,
    /// The mentions of fields in the text, by their names.
    mentions: OnceCell<MentionReader>,
    mentioned: RefCell<HashMap<String, Rc<Vec<FieldMention>>>>,
    quotes: HashMap<&'a str, &'a str>,
}

impl<'a> Looked<'a> {
    fn of(document: &'a ReviewDocument, beside: Beside<'a>) -> Self {
        let quotes = beside.quotes.into_iter().flat_map(Quotes::iter);
        Looked {
            document,
            beside,
            found: Found::of(document.result.best_validation.as_ref()),
            text: beside.source.text().map(PlacedText::of),
            mentions: OnceCell::new(),
            mentioned: RefCell::default(),
            quotes: quotes.filter_map(|(at, quotes)| Some((at, quotes.first()?.as_str()))).collect(),
        }
    }

    fn question(&self, question: &Question<'_>, reviewed: &Reviewed) -> ShownQuestion {
        let issue = question.issue;
        ShownQuestion {
            issue: question.key.clone(),
            code: issue.code.to_string(),
            severity: issue.severity.as_str(),
            message: issue.message.to_string(),
            suggested_fix: issue.suggested_fix.as_ref().map(ToString::to_string),
            place: self.passage_of(issue),
            needs_reason: question.needs_reason(),
            answer: reviewed.answers.get(&question.key).map(|answer| ShownAnswer {
                reviewer: answer.reviewer.clone(),
                comment: answer.comment.clone(),
            }),
        }
    }

    /// The passage that an issue is about: the one that it names, or the one that its rule forbids a document to have.
    fn passage_of(&self, issue: &Issue) -> Option<Passage> {
        let text = self.text.as_ref()?;
        let by_rule = || -> Option<SourceSpan> {
            let program = self.beside.plan?.scoring.rules().program(&self.document.result.document_type);
            let rule = program.rule(issue.rule.as_deref()?)?;
            let whole = self.beside.source.text()?;
            let bytes = rule.all_checks().find_map(|check| check.condition.forbidden_in(whole))?;
            Some(text.characters(&bytes))
        };
        Some(Passage::of(text, issue.source_span.or_else(by_rule)?))
    }

    fn field(&self, row: ReviewField, issues: &[&Issue], reviewed: &Reviewed) -> ShownField {
        let ReviewField { path, value } = row;
        let leaf = self.found.leaf(&path, value.as_ref());
        let place = leaf.and_then(|leaf| leaf.span).zip(self.text.as_ref());
        let is_rivalled =
            leaf.is_some_and(|leaf| matches!(leaf.support, Support::Conflicting | Support::Contradicted));
        let rivals = match &value {
            Some(value) if is_rivalled => self.rivals(&path, value),
            _ => Vec::new(),
        };
        let unchecked = value.is_some() && leaf.is_none();
        let quote = leaf.and_then(|leaf| leaf.quote).map(str::to_owned);
        let own_quote = self.quotes.get(path.pointer()).filter(|_| unchecked);
        let field = reviewed.field(&path);
        let how = match field.and_then(FieldReview::holds) {
            Some(position) => Some(position.how.as_str()),
            None if value.is_none() && reviewed.undisputed_state == ReviewState::Accepted => {
                Some(NOT_LOOKED_FOR)
            }
            None => None,
        };
        ShownField {
            field: path.to_string(),
            support: leaf.map(|leaf| leaf.support.as_str()),
            is_own_quote: own_quote.is_some(),
            quote: quote.or_else(|| own_quote.map(|quote| (*quote).to_owned())),
            place: place.map(|(span, text)| Passage::of(text, span)),
            rivals,
            issues: issues.iter().map(|issue| ShownIssue::of(issue)).collect(),
            decisions: field.iter().flat_map(|field| field.positions()).map(ShownDecision::of).collect(),
            disputed: field.is_some_and(FieldReview::is_disputed),
            unchecked,
            how,
            is_for_a_person: issues.iter().any(|issue| is_for_a_person(issue)),
            value,
        }
    }

    /// The values that the document affirms of a field besides its own.
    fn rivals(&self, path: &FieldPath, value: &Value) -> Vec<Rival> {
        let (Some(plan), Some(text), Some(whole)) = (self.beside.plan, &self.text, self.beside.source.text())
        else {
            return Vec::new();
        };
        let name = path.last();
        let known = self.mentioned.borrow().get(&name).cloned();
        let mentions = known.unwrap_or_else(|| {
            let reader =
                self.mentions.get_or_init(|| MentionReader::new(plan.scoring.rules().evidence(), whole));
            let mentions = Rc::new(reader.of(&name).unwrap_or_default());
            self.mentioned.borrow_mut().insert(name.clone(), Rc::clone(&mentions));
            mentions
        });
        let read = plan.scoring.comparison().shown(&name, value);
        mentions
            .iter()
            .filter(|mention| mention.context == Assertion::Affirmed && mention.value != read)
            .take(MOST_RIVALS)
            .map(|mention| Rival { place: Passage::of(text, mention.span), value: mention.value.clone() })
            .collect()
    }
}

/// The status of a field that was not extracted, and that no one decided about before the document was accepted.
pub const NOT_LOOKED_FOR: &str = "not_looked_for";

impl ShownField {
    /// Returns whether the value needs review: nothing has checked it, the document does not verify it or has
    /// conflicting mentions of it, an issue is about it, or reviewers differ.
    pub fn is_doubtful(&self) -> bool {
        let is_unverified =
            matches!(self.support, Some("undecided" | "unsupported" | "contradicted" | "conflicting"));
        let is_wrong = |issue: &ShownIssue| matches!(issue.severity, "major" | "critical");
        self.unchecked
            || is_unverified
            || self.disputed
            || self.is_for_a_person
            || self.issues.iter().any(is_wrong)
    }

    /// Returns whether the document is not accepted before a reviewer decides about the field.
    pub fn must_be_decided(&self) -> bool {
        self.unchecked || self.is_for_a_person
    }
}

impl ShownDecision {
    fn of(position: &Position) -> Self {
        ShownDecision {
            reviewer: position.reviewer.clone(),
            at: position.at.to_string(),
            action: position.action.as_str(),
            value: position.value.clone(),
            how: position.how,
            settles: position.settles,
            comment: position.comment.clone(),
        }
    }
}

impl ShownIssue {
    /// An issue as people read it.
    pub fn of(issue: &Issue) -> Self {
        ShownIssue {
            code: issue.code.to_string(),
            severity: issue.severity.as_str(),
            path: issue.path.to_string(),
            message: issue.message.to_string(),
        }
    }
}
