//! The outcome of the decisions about a document.
//!
//! The latest decision about a field holds, by the time at which it was made, as `evaluate` has it of labels. Reviewers
//! who decide a field differently are not settled by that: the field is disputed, and the document with it, until they
//! agree or a decision settles it. What settled it holds from then on; a reviewer who decides otherwise later disputes
//! it again.

use super::decision::{Action, Decision, How};
use super::document::ReviewDocument;
use super::field_path::FieldPath;
use super::fields::{with_values, without_gaps};
use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The progress of the review of a document.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ReviewState {
    /// No one has decided anything.
    #[default]
    Waiting,
    /// Something is decided, and not all of it; or a field was decided after the document was accepted.
    InReview,
    /// A reviewer accepted it.
    Accepted,
    /// A reviewer rejected it.
    Rejected,
    /// Reviewers contradict each other about it, and nothing settles which of them holds.
    Disputed,
}

impl ReviewState {
    /// Every state.
    pub const ALL: [ReviewState; 5] = [
        ReviewState::Waiting,
        ReviewState::InReview,
        ReviewState::Accepted,
        ReviewState::Rejected,
        ReviewState::Disputed,
    ];

    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            ReviewState::Waiting => "waiting",
            ReviewState::InReview => "in_review",
            ReviewState::Accepted => "accepted",
            ReviewState::Rejected => "rejected",
            ReviewState::Disputed => "disputed",
        }
    }
}

/// The decision of one reviewer about a field.
#[derive(Debug, Clone, PartialEq)]
pub struct Position {
    /// The reviewer.
    pub reviewer: String,
    /// The time of the decision.
    pub at: Timestamp,
    /// The action: `accept` also where the document as a whole was accepted.
    pub action: Action,
    /// The value that is right; `None` where the document has none.
    pub value: Option<Value>,
    /// The reviewer's comment.
    pub comment: Option<String>,
    /// `Each` if the reviewer inspected the field.
    pub how: How,
    /// `true` if it is the last word where reviewers differed.
    pub settles: bool,
}

/// The decisions of reviewers about a field: the last one of each of them, the latest at the end.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FieldReview {
    positions: Vec<Position>,
}

impl FieldReview {
    /// The position that holds: the one that settled it last, else the latest.
    pub fn holds(&self) -> Option<&Position> {
        self.settled().map_or_else(|| self.positions.last(), |(_, position)| Some(position))
    }

    /// The position that settled it last, with its index.
    fn settled(&self) -> Option<(usize, &Position)> {
        self.positions.iter().enumerate().rfind(|(_, position)| position.settles)
    }

    /// All positions.
    pub fn positions(&self) -> &[Position] {
        &self.positions
    }

    /// The position of one reviewer.
    pub fn of(&self, reviewer: &str) -> Option<&Position> {
        self.positions.iter().find(|position| position.reviewer == reviewer)
    }

    /// Returns whether a reviewer says that the document has no such value.
    fn says_not_present(&self) -> bool {
        self.positions.iter().any(|position| position.action == Action::NotPresent)
    }

    /// Returns whether reviewers contradict each other, and nothing settles which of them holds. A reviewer who only
    /// accepted the document as it was differs, too: whether they inspected it is not known.
    pub fn is_disputed(&self) -> bool {
        let since = self.settled().map_or(0, |(at, _)| at);
        let values: BTreeSet<String> = self
            .positions
            .iter()
            .skip(since)
            .map(|position| position.value.as_ref().map(crate::value::canonical).unwrap_or_default())
            .collect();
        values.len() > 1
    }

    fn say(&mut self, position: Position) {
        self.positions.retain(|other| other.reviewer != position.reviewer);
        self.positions.push(position);
    }
}

/// An answer to an issue of the document as a whole: it holds all the same.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The reviewer who gave it.
    pub reviewer: String,
    /// The reason why the document holds.
    pub comment: Option<String>,
}

/// The decision of a reviewer about a document as a whole.
#[derive(Debug, Clone, PartialEq)]
pub struct WholePosition {
    pub reviewer: String,
    /// `true` if it was accepted, else it was rejected.
    pub is_accepted: bool,
    pub comment: Option<String>,
    /// `true` if it is the last word where reviewers differed.
    pub settles: bool,
}

/// The type that a document has by the decision of a reviewer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CorrectedType {
    /// The name of the type.
    pub document_type: String,
    /// The reviewer who says so.
    pub reviewer: String,
    /// The time of the decision, as RFC 3339 in UTC.
    pub at: String,
}

/// The outcome of the decisions about a document.
#[derive(Debug, Clone)]
pub struct Reviewed {
    /// The progress of its review.
    pub state: ReviewState,
    /// The progress, if reviewers did not differ.
    pub undisputed_state: ReviewState,
    /// The reviewer who accepted or rejected it.
    pub decided_by: Option<String>,
    /// The extraction with what was decided.
    pub extraction: Value,
    /// The reviewers who decided anything that still holds.
    pub reviewers: BTreeSet<String>,
    /// The comments on the document as a whole: reviewer, time, text.
    pub comments: Vec<(String, Timestamp, String)>,
    /// Decisions about another result of the document: they do not count.
    pub outdated: usize,
    /// Issues of the document as a whole that were answered, by their keys.
    pub answers: BTreeMap<String, Answer>,
    /// The type that the document has by the latest decision about that, if it is another one than it was run with.
    pub corrected_type: Option<CorrectedType>,
    /// The last decision of each reviewer about the document as a whole, the latest at the end.
    wholes: Vec<WholePosition>,
    fields: BTreeMap<FieldPath, FieldReview>,
    /// The reviewers who accepted the document as a whole at some time.
    accepted_by: BTreeSet<String>,
}

impl Reviewed {
    /// Folds the decisions about a document over its extraction.
    pub fn of(document: &ReviewDocument) -> Self {
        Self::with(document, &[])
    }

    /// Like [`Self::of`], with decisions that are not kept yet.
    pub(super) fn with(document: &ReviewDocument, more: &[Decision]) -> Self {
        let mut reviewed = Reviewed {
            state: ReviewState::Waiting,
            undisputed_state: ReviewState::Waiting,
            decided_by: None,
            extraction: document.extraction().clone(),
            reviewers: BTreeSet::new(),
            comments: Vec::new(),
            outdated: document.decisions.iter().filter(|other| other.content.shown != document.shown).count(),
            answers: BTreeMap::new(),
            corrected_type: None,
            wholes: Vec::new(),
            fields: BTreeMap::new(),
            accepted_by: BTreeSet::new(),
        };
        for decision in standing_of(document, more) {
            reviewed.take(decision, document);
        }
        let differs = reviewed.differs_as_a_whole() || reviewed.disputed().next().is_some();
        reviewed.state = if differs { ReviewState::Disputed } else { reviewed.undisputed_state };
        let taken_out =
            reviewed.fields.iter().filter(|(_, field)| field.holds().is_some_and(|it| it.value.is_none()));
        reviewed.extraction =
            without_gaps(reviewed.corrected(document, None), taken_out.map(|(path, _)| path));
        reviewed
    }

    /// The decisions about a field.
    pub fn field(&self, path: &FieldPath) -> Option<&FieldReview> {
        self.fields.get(path)
    }

    /// Every field that was decided about.
    pub fn fields(&self) -> impl Iterator<Item = (&FieldPath, &FieldReview)> {
        self.fields.iter()
    }

    /// Fields that reviewers decide differently.
    pub fn disputed(&self) -> impl Iterator<Item = &FieldPath> {
        self.fields.iter().filter(|(_, field)| field.is_disputed()).map(|(path, _)| path)
    }

    /// Returns whether a reviewer accepted the document, another rejected it, and nothing settles which of them holds.
    pub fn differs_as_a_whole(&self) -> bool {
        let since = self.wholes.iter().rposition(|whole| whole.settles).unwrap_or_default();
        let said: BTreeSet<bool> = self.wholes.iter().skip(since).map(|whole| whole.is_accepted).collect();
        said.len() > 1
    }

    /// The last decision of each reviewer about the document as a whole.
    pub fn wholes(&self) -> &[WholePosition] {
        &self.wholes
    }

    /// The subjects that reviewers differ about, in words: fields by their names, and the document as a whole.
    pub fn disputes(&self) -> Vec<String> {
        let whole = self.differs_as_a_whole().then(|| "the document as a whole".to_owned());
        whole.into_iter().chain(self.disputed().map(ToString::to_string)).collect()
    }

    /// Returns whether the extraction differs from the run's.
    pub fn is_corrected(&self, document: &ReviewDocument) -> bool {
        self.extraction != *document.extraction()
    }

    fn take(&mut self, decision: &Decision, document: &ReviewDocument) {
        self.reviewers.insert(decision.reviewer.clone());
        let position = |action: Action, value: Option<&Value>, usually: How| Position {
            reviewer: decision.reviewer.clone(),
            at: decision.at,
            action,
            value: value.cloned(),
            comment: decision.content.comment.clone(),
            how: decision.content.how.unwrap_or(usually),
            settles: decision.content.settles,
        };
        match (&decision.content.field, decision.content.action) {
            (_, Action::Undo) => {}
            (field, Action::Comment) => {
                let about = field.as_ref().map_or_else(String::new, |field| format!("{field}: "));
                let text = decision.content.comment.as_deref().unwrap_or_default();
                self.comments.push((decision.reviewer.clone(), decision.at, format!("{about}{text}")));
                self.begin();
            }
            (_, Action::Holds) => {
                if let Some(issue) = &decision.content.issue {
                    let (reviewer, comment) = (decision.reviewer.clone(), decision.content.comment.clone());
                    self.answers.insert(issue.clone(), Answer { reviewer, comment });
                    self.reopen();
                }
            }
            (_, Action::Retype) => {
                let named = decision.content.after.as_ref().and_then(Value::as_str);
                self.corrected_type =
                    named.filter(|named| *named != document.result.document_type).map(|named| {
                        CorrectedType {
                            document_type: named.to_owned(),
                            reviewer: decision.reviewer.clone(),
                            at: decision.at.to_string(),
                        }
                    });
                self.reopen();
            }
            (_, Action::Compared) => {
                let own = decision.content.blind.then_some(decision.reviewer.as_str());
                let extraction = self.corrected(document, own);
                let fields = document.fields(document.extraction());
                for field in document.unchecked(&fields) {
                    let said = self.fields.entry(field.path.clone()).or_default();
                    let is_decided = match own {
                        Some(own) => said.of(own).is_some(),
                        None => !said.positions.is_empty(),
                    };
                    if let (false, Some(value)) = (is_decided, field.path.of(&extraction)) {
                        said.say(position(Action::Accept, Some(value), How::Each));
                    }
                }
                self.reopen();
            }
            (None, action) => {
                let is_accepted = action == Action::Accept;
                if is_accepted && !decision.content.settles {
                    self.sweep(decision, document, &position);
                }
                self.wholes.retain(|whole| whole.reviewer != decision.reviewer);
                self.wholes.push(WholePosition {
                    reviewer: decision.reviewer.clone(),
                    is_accepted,
                    comment: decision.content.comment.clone(),
                    settles: decision.content.settles,
                });
                self.undisputed_state =
                    if is_accepted { ReviewState::Accepted } else { ReviewState::Rejected };
                self.decided_by = Some(decision.reviewer.clone());
                if let Some(comment) = &decision.content.comment {
                    self.comments.push((decision.reviewer.clone(), decision.at, comment.clone()));
                }
            }
            (Some(field), action) => {
                let said = self.fields.entry(field.clone()).or_default();
                said.say(position(action, decision.value(), How::Each));
                // A decision that settles a field does not contradict the reviewer who accepted the document.
                if !decision.content.settles {
                    self.reopen();
                }
            }
        }
    }

    /// A reviewer who accepts the document says that every value in it is right as it is, and nothing about what is
    /// missing: no one has looked for it. A blind reviewer says so of the run's values with their own corrections.
    fn sweep(
        &mut self,
        decision: &Decision,
        document: &ReviewDocument,
        position: &dyn Fn(Action, Option<&Value>, How) -> Position,
    ) {
        let own = decision.content.blind.then_some(decision.reviewer.as_str());
        let extraction = self.corrected(document, own);
        for field in document.fields(&extraction) {
            let said = self.fields.get(&field.path);
            let is_looked_for = said.is_some_and(|said| match own {
                Some(own) => said.of(own).is_some(),
                None => !said.positions.is_empty(),
            });
            // A decision about the field itself carries more weight, where it agrees.
            let says_the_same =
                said.and_then(|said| said.of(&decision.reviewer)).is_some_and(|own| own.value == field.value);
            if !says_the_same && (field.value.is_some() || is_looked_for) {
                let said = self.fields.entry(field.path).or_default();
                said.say(position(Action::Accept, field.value.as_ref(), How::Swept));
            }
        }
        self.accepted_by.insert(decision.reviewer.clone());
    }

    /// Something is decided about the document.
    fn begin(&mut self) {
        if self.undisputed_state == ReviewState::Waiting {
            self.undisputed_state = ReviewState::InReview;
        }
    }

    /// Something is decided that is less than all of it.
    fn reopen(&mut self) {
        self.undisputed_state = ReviewState::InReview;
        self.decided_by = None;
    }

    /// The extraction as one reviewer has it, if every value of it was accepted by that reviewer; `None` of others.
    pub(super) fn accepted_as(&self, reviewer: &str, document: &ReviewDocument) -> Option<Value> {
        self.accepted_by.contains(reviewer).then(|| {
            let taken_out = self
                .fields
                .iter()
                .filter(|(_, field)| field.of(reviewer).is_some_and(|position| position.value.is_none()));
            without_gaps(self.corrected(document, Some(reviewer)), taken_out.map(|(path, _)| path))
        })
    }

    /// The extraction with the value of each field that holds, or that one reviewer takes for right, in the order in which they were
    /// decided; with gaps in lists.
    fn corrected(&self, document: &ReviewDocument, reviewer: Option<&str>) -> Value {
        let said = |field: &'_ FieldReview| match reviewer {
            Some(reviewer) => field.of(reviewer).cloned(),
            None => field.holds().cloned(),
        };
        let mut held: Vec<(&FieldPath, &FieldReview, Position)> =
            self.fields.iter().filter_map(|(path, field)| Some((path, field, said(field)?))).collect();
        held.sort_by_key(|(.., position)| position.at);
        // An unchanged value needs no change; an absent one is reported even then.
        held.retain(|(path, field, position)| {
            let extracted = path.of(document.extraction()).filter(|value| crate::value::is_present(value));
            extracted != position.value.as_ref() || position.value.is_none() && field.says_not_present()
        });
        let values = held.iter().map(|(path, _, position)| (*path, position.value.as_ref()));
        with_values(document.extraction(), values, &document.declared)
    }
}

/// The decisions about the current result, without those that were taken back, in the order of their times.
pub fn standing(document: &ReviewDocument) -> Vec<&Decision> {
    standing_of(document, &[])
}

/// Like [`standing`], with decisions that are not kept yet.
fn standing_of<'a>(document: &'a ReviewDocument, more: &'a [Decision]) -> Vec<&'a Decision> {
    let all = document.decisions.iter().chain(more);
    let mut ordered: Vec<&Decision> =
        all.filter(|decision| decision.content.shown == document.shown).collect();
    ordered.sort_by_key(|decision| decision.at);
    let mut standing: Vec<&Decision> = Vec::new();
    for decision in ordered {
        if decision.content.action != Action::Undo {
            standing.push(decision);
        } else if let Some(at) = standing.iter().rposition(|other| other.reviewer == decision.reviewer) {
            standing.remove(at);
        }
    }
    standing
}

#[cfg(test)]
mod tests {
    use super::super::decision::DecisionContent;
    use super::super::fields::DeclaredFields;
    use super::*;
    use crate::result::DocumentResult;
    use serde::Deserialize;
    use serde_json::json;
    use std::sync::Arc;

    fn document(decisions: &[(&str, Option<&str>, Action, Value)]) -> ReviewDocument {
        let result = DocumentResult::deserialize(json!({
            "id": "a", "document_type": "t", "profile": "p", "final_status": "stopped_early", "stop_reason": "unchanged",
            "iteration_count": 1, "best_iteration": 0, "selection_reason": "only_iteration",
            "best_extraction": {"grade": "1", "margins": "negative", "date_status": "not_present"},
            "best_validation": null, "iterations": [], "improvement_trajectory": [], "rollbacks": 0,
            "usage": {"tokens": 0, "calls": 0, "cost_usd": 0.0}, "elapsed_ms": 1, "review": true, "warnings": []
        }))
        .unwrap();
        let mut document = ReviewDocument::new(result, "d", Arc::new(DeclaredFields::default()), Vec::new());
        for (number, (reviewer, field, action, value)) in (0..).zip(decisions) {
            let value = (!value.is_null()).then(|| value.clone());
            let (before, after) = if action.needs_after() { (None, value) } else { (value, None) };
            document.decisions.push(Decision {
                document: "a".to_owned(),
                reviewer: (*reviewer).to_owned(),
                at: Timestamp::from_second(number).unwrap(),
                content: DecisionContent {
                    field: field.map(FieldPath::named),
                    action: *action,
                    before,
                    after,
                    comment: None,
                    spent_ms: None,
                    shown: document.shown.clone(),
                    issue: None,
                    how: None,
                    settles: false,
                    blind: false,
                    entry: None,
                },
            });
        }
        document
    }

    fn folded(decisions: &[(&str, Option<&str>, Action, Value)]) -> Reviewed {
        document(decisions).reviewed()
    }

    #[test]
    fn decisions_correct_the_extraction() {
        let reviewed = folded(&[
            ("x", Some("grade"), Action::Edit, json!("2")),
            ("x", Some("margins"), Action::NotPresent, json!(null)),
            ("x", Some("date"), Action::Missed, json!("2026-01-01")),
        ]);
        assert_eq!(
            reviewed.extraction,
            json!({"grade": "2", "margins_status": "not_present", "date": "2026-01-01"})
        );
        assert_eq!((reviewed.state, reviewed.disputed().count()), (ReviewState::InReview, 0));
    }

    #[test]
    fn the_latest_holds_and_others_are_a_dispute() {
        let edits = [
            ("x", Some("grade"), Action::Edit, json!("2")),
            ("y", Some("grade"), Action::Accept, json!("1")),
        ];
        let reviewed = folded(&edits);
        assert_eq!(reviewed.extraction["grade"], json!("1"));
        assert_eq!(reviewed.disputed().map(ToString::to_string).collect::<Vec<_>>(), ["grade"]);
        let agreed = [edits[0].clone(), edits[1].clone(), ("y", Some("grade"), Action::Edit, json!("2"))];
        assert_eq!(folded(&agreed).disputed().count(), 0);
    }

    #[test]
    fn who_accepts_the_document_accepts_what_was_decided_before() {
        let accepted =
            [("x", Some("grade"), Action::Edit, json!("2")), ("y", None, Action::Accept, json!(null))];
        let reviewed = folded(&accepted);
        assert_eq!((reviewed.state, reviewed.disputed().count()), (ReviewState::Accepted, 0));
        assert_eq!(reviewed.decided_by.as_deref(), Some("y"));
        let grade = reviewed.field(&FieldPath::named("grade")).unwrap();
        assert_eq!(grade.positions().len(), 2);
        let later =
            [accepted[0].clone(), accepted[1].clone(), ("x", Some("grade"), Action::Edit, json!("3"))];
        let reviewed = folded(&later);
        assert_eq!((reviewed.state, reviewed.disputed().count()), (ReviewState::Disputed, 1));
        assert_eq!(reviewed.undisputed_state, ReviewState::InReview);
    }

    #[test]
    fn a_blind_reviewer_accepts_what_was_extracted() {
        let mut document = document(&[
            ("x", Some("grade"), Action::Edit, json!("2")),
            ("x", None, Action::Accept, json!(null)),
            ("y", None, Action::Accept, json!(null)),
        ]);
        document.decisions[2].content.blind = true;
        let document = document.with_draws(crate::review::Draws { audit: false, second: true });
        let reviewed = document.reviewed();
        let grade = reviewed.field(&FieldPath::named("grade")).unwrap();
        assert_eq!(grade.of("y").unwrap().value, Some(json!("1")));
        assert!(grade.is_disputed());
        assert_eq!(document.deciders(), ["x", "y"]);
        assert!(!document.is_blind_to("y") && !document.is_blind_to("z"));
        let mut before = document;
        before.decisions.pop();
        assert!(before.is_blind_to("y") && !before.is_blind_to("x"));
        assert_eq!(before.seen_blind_by("y").reviewed().state, ReviewState::Waiting);
    }

    #[test]
    fn undo_takes_back_the_latest_decision_of_its_reviewer() {
        let reviewed = folded(&[
            ("x", Some("grade"), Action::Edit, json!("2")),
            ("x", Some("margins"), Action::Edit, json!("positive")),
            ("y", Some("grade"), Action::Edit, json!("3")),
            ("x", None, Action::Undo, json!(null)),
            ("y", None, Action::Undo, json!(null)),
            ("y", None, Action::Undo, json!(null)),
        ]);
        assert_eq!(reviewed.extraction["grade"], json!("2"));
        assert_eq!(reviewed.extraction["margins"], json!("negative"));
        assert_eq!(reviewed.reviewers, BTreeSet::from(["x".to_owned()]));
    }

    #[test]
    fn a_corrected_type_opens_the_document_again_and_is_taken_back_like_any_decision() {
        let retyped = ("y", None, Action::Retype, json!("radiology"));
        let decisions = [("x", None, Action::Accept, json!(null)), retyped];
        let reviewed = folded(&decisions);
        assert_eq!(reviewed.state, ReviewState::InReview);
        let found = reviewed.corrected_type.unwrap();
        assert_eq!((found.document_type.as_str(), found.reviewer.as_str()), ("radiology", "y"));
        let [first, second] = decisions;
        let undone = folded(&[first.clone(), second.clone(), ("y", None, Action::Undo, json!(null))]);
        assert_eq!((undone.corrected_type, undone.state), (None, ReviewState::Accepted));
        // The type that it was run with is no other one.
        let back = folded(&[first, second, ("x", None, Action::Retype, json!("t"))]);
        assert_eq!(back.corrected_type, None);
    }

    #[test]
    fn what_was_decided_about_another_result_does_not_count() {
        let mut document = document(&[("x", Some("grade"), Action::Edit, json!("2"))]);
        document.shown = "another".to_owned();
        let reviewed = document.reviewed();
        assert_eq!((reviewed.state, reviewed.outdated), (ReviewState::Waiting, 1));
        assert_eq!(reviewed.extraction["grade"], json!("1"));
    }
}
