//! Labels and scores combined into one sample of reviewed documents.

use super::agreement::Agreement;
use super::distribution::{hypergeometric_cdf, real};
use super::label::Label;
use crate::policy::FinalStatus;
use crate::profile::{Among, Certify, Looks, Per, Target};
use crate::result::DocumentResult;
use crate::value::{Score, digest_bytes};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// A document as a run left it.
#[derive(Debug, Clone, PartialEq)]
pub struct ScoredDocument {
    /// Its id.
    pub id: String,
    /// Its type.
    pub document_type: String,
    /// The score that is compared with thresholds; `None` for a document that is accepted at none.
    pub score: Option<Score>,
}

impl ScoredDocument {
    /// The document of a result. One that the profile did not pass is accepted at no threshold if only those that
    /// passed may be.
    #[must_use]
    pub fn of(result: &DocumentResult, settings: &Certify) -> Self {
        let counts = settings.among != Among::Passed || result.final_status == FinalStatus::Passed;
        let score = result.best_validation.as_ref().filter(|_| counts).and_then(|assessment| match settings
            .target()
        {
            Target::Overall => Some(Score::clamped(assessment.overall)),
            Target::Dimension(name) => assessment.scores.get(&name),
        });
        ScoredDocument {
            id: result.id.as_str().to_owned(),
            document_type: result.document_type.clone(),
            score,
        }
    }
}

/// A document that was reviewed.
#[derive(Debug, Clone, PartialEq)]
pub struct Reviewed {
    /// Its id.
    pub document: String,
    /// Its type, where it is known.
    pub document_type: Option<String>,
    /// The score that is compared with thresholds; `None` for a document that is accepted at none.
    pub score: Option<Score>,
    /// `true` if its output holds a wrong value.
    pub wrong: bool,
}

/// Reviewed documents that are not counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    /// Rules were written by them.
    pub wrote_rules: u64,
    /// They appear in prompts as examples.
    pub examples: u64,
    /// The profile's `certify.exclude` names them.
    pub excluded: u64,
    /// They were accepted as they were, and it is not known that their values were inspected.
    #[serde(default, skip_serializing_if = "is_none")]
    pub swept: u64,
    /// Another document of their cluster represents them.
    pub same_cluster: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes what it skips by reference")]
fn is_none(count: &u64) -> bool {
    *count == 0
}

/// The reviewed documents, one of each cluster.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    /// The documents, in the order in which their labels came.
    pub documents: Vec<Reviewed>,
    /// The number of documents that are not counted, by reason.
    pub left_out: LeftOut,
    /// The ids of these and of all that the profile excludes, without those that another of their cluster represents.
    pub not_counted: BTreeSet<String>,
    /// The number of clusters that the documents come from, if any label names one; a document without is one of its
    /// own.
    pub clusters: Option<u64>,
    /// The agreement of reviewers, if two inspected the same documents.
    pub agreement: Option<Agreement>,
    /// Documents on which reviewers disagree and that nothing settles: they count as wrong.
    pub disputed: u64,
}

/// The reason why labels make no sample.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SampleError {
    /// A label has no score, and no run gives one.
    #[error("the label of `{0}` has no `score`, and no run gives one")]
    NoScore(String),
    /// Each type gets a statement of its own, and the type of some documents is unknown.
    #[error("the label of `{0}` has no `document_type`, and others have one")]
    NoType(String),
    /// Labels of documents that are not in the run.
    #[error("{count} of the labelled documents are not in the run, such as `{first}`")]
    NotInRun {
        /// One of them.
        first: String,
        /// Their number.
        count: u64,
    },
    /// Two labels of a document are by the same reviewer, or name none.
    #[error("`{document}` has two labels {by}")]
    Twice {
        /// The document.
        document: String,
        /// The origin of the labels, in words.
        by: String,
    },
    /// Labels of one document differ in what it is.
    #[error("the labels of `{document}` differ in `{key}`")]
    Differ {
        /// The document.
        document: String,
        /// The member in which they differ.
        key: &'static str,
    },
}

impl Sample {
    /// Combines labels, document by document. Scores and types are those of `run`, if there is one, and else those of
    /// the labels. The documents that `settings` exclude do not count.
    ///
    /// # Errors
    /// [`SampleError`], for the first thing that is wrong.
    pub fn of(
        labels: Vec<Label>,
        run: Option<&[ScoredDocument]>,
        settings: &Certify,
    ) -> Result<Self, SampleError> {
        let by_id: Option<BTreeMap<&str, &ScoredDocument>> =
            run.map(|documents| documents.iter().map(|document| (document.id.as_str(), document)).collect());
        let excluded: BTreeSet<&str> = settings.exclude.iter().map(String::as_str).collect();
        let mut left_out = LeftOut::default();
        let mut not_counted: BTreeSet<String> = excluded.iter().map(|id| (*id).to_owned()).collect();
        let (mut pairs, mut disputed) = (Vec::new(), 0);
        let mut counted: Vec<(Reviewed, Option<String>)> = Vec::new();
        let mut absent = (0, None);
        for labels in by_document(labels) {
            let Some(first) = labels.first() else { continue };
            if let Some(documents) = &by_id
                && !documents.contains_key(first.document.as_str())
            {
                absent = (absent.0 + 1, absent.1.or_else(|| Some(first.document.clone())));
                continue;
            }
            check_the_same(&labels)?;
            let looked_at = labels.iter().filter(|label| !label.swept).count();
            let reason = if looked_at == 0 {
                Some(&mut left_out.swept)
            } else if labels.iter().any(|label| label.wrote_rules) {
                Some(&mut left_out.wrote_rules)
            } else if labels.iter().any(|label| label.example) {
                Some(&mut left_out.examples)
            } else if excluded.contains(first.document.as_str()) {
                Some(&mut left_out.excluded)
            } else {
                None
            };
            if let Some(count) = reason {
                *count += 1;
                not_counted.insert(first.document.clone());
                continue;
            }
            let labels: Vec<Label> = labels.into_iter().filter(|label| !label.swept).collect();
            let Some(first) = labels.first() else { continue };
            pairs.extend(first_two(&labels));
            let (wrong, is_disputed) = verdict(&labels);
            disputed += u64::from(is_disputed);
            let reviewed = reviewed(first, wrong, by_id.as_ref())?;
            counted.push((reviewed, first.cluster.clone()));
        }
        if let (count, Some(first)) = absent {
            return Err(SampleError::NotInRun { first, count });
        }
        if settings.per == Per::DocumentType {
            check_types(&counted)?;
        }
        let has_clusters = counted.iter().any(|(_, cluster)| cluster.is_some());
        let documents;
        (documents, left_out.same_cluster) = one_of_each(counted, settings.looks);
        let clusters = has_clusters.then_some(documents.len() as u64);
        Ok(Sample { documents, left_out, not_counted, clusters, agreement: Agreement::of(&pairs), disputed })
    }

    /// The shares of documents that may be accepted at all among the reviewed ones and in the run, if they differ by
    /// more than a random draw explains (less than 1 in 1,000 draws). Documents that were chosen say nothing about the
    /// others.
    #[must_use]
    pub fn is_unlike(&self, run: &[ScoredDocument]) -> Option<(f64, f64)> {
        let counted = || run.iter().filter(|document| !self.not_counted.contains(&document.id));
        let (all, scored) =
            (counted().count() as u64, counted().filter(|d| d.score.is_some()).count() as u64);
        let drawn = self.documents.len() as u64;
        let found = self.documents.iter().filter(|document| document.score.is_some()).count() as u64;
        let at_most = hypergeometric_cdf(found, all, scored, drawn);
        let below = found.checked_sub(1).map_or(0.0, |fewer| hypergeometric_cdf(fewer, all, scored, drawn));
        let share = |count: u64, of: u64| real(count) / real(of.max(1));
        (at_most.min(1.0 - below) < 0.000_5).then(|| (share(found, drawn), share(scored, all)))
    }

    /// SHA-256 of what was counted, whatever the order of the labels.
    #[must_use]
    pub fn digest(&self) -> String {
        let line = |document: &Reviewed| {
            let score = document.score.map(Score::get);
            let of_type = document.document_type.as_deref().unwrap_or_default();
            serde_json::json!([document.document, of_type, score, document.wrong]).to_string()
        };
        let mut lines: Vec<String> = self.documents.iter().map(line).collect();
        lines.sort_unstable();
        digest_bytes(lines.join("\n").as_bytes())
    }
}

/// Checks that the types of all documents are known, or of none: a statement about those without would be about all
/// documents.
fn check_types(counted: &[(Reviewed, Option<String>)]) -> Result<(), SampleError> {
    let untyped = counted.iter().find(|(document, _)| document.document_type.is_none());
    match untyped {
        Some((document, _)) if counted.iter().any(|(other, _)| other.document_type.is_some()) => {
            Err(SampleError::NoType(document.document.clone()))
        }
        _ => Ok(()),
    }
}

/// The labels of each document, documents in the order of their first label.
fn by_document(labels: Vec<Label>) -> Vec<Vec<Label>> {
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    let mut groups: Vec<Vec<Label>> = Vec::new();
    for label in labels {
        let place = *places.entry(label.document.clone()).or_insert(groups.len());
        match groups.get_mut(place) {
            Some(group) => group.push(label),
            None => groups.push(vec![label]),
        }
    }
    groups
}

/// Checks that each reviewer gives one label, and that all labels are about the same.
fn check_the_same(labels: &[Label]) -> Result<(), SampleError> {
    let Some((first, others)) = labels.split_first() else { return Ok(()) };
    let mut heard = BTreeSet::new();
    for label in labels.iter().filter(|label| !label.settles) {
        if !heard.insert(label.reviewer.as_deref()) {
            let by = match &label.reviewer {
                Some(reviewer) => format!("of the reviewer `{reviewer}`"),
                None => "that name no reviewer".to_owned(),
            };
            return Err(SampleError::Twice { document: label.document.clone(), by });
        }
    }
    if labels.iter().filter(|label| label.settles).count() > 1 {
        let by = "that settle it".to_owned();
        return Err(SampleError::Twice { document: first.document.clone(), by });
    }
    let differ = |key| SampleError::Differ { document: first.document.clone(), key };
    for label in others {
        if label.score != first.score {
            return Err(differ("score"));
        }
        if label.document_type != first.document_type {
            return Err(differ("document_type"));
        }
        if label.cluster != first.cluster {
            return Err(differ("cluster"));
        }
        if label.passed != first.passed {
            return Err(differ("passed"));
        }
    }
    Ok(())
}

/// The verdicts of the first two reviewers, sorted by name, so that kappa compares the same people.
fn first_two(labels: &[Label]) -> Option<(bool, bool)> {
    let mut said: Vec<(&Option<String>, bool)> =
        labels.iter().filter(|label| !label.settles).map(|label| (&label.reviewer, label.wrong)).collect();
    said.sort_unstable();
    match said.as_slice() {
        [(_, first), (_, second), ..] => Some((*first, *second)),
        _ => None,
    }
}

/// Returns whether the document counts as wrong, and whether that is because reviewers disagree.
fn verdict(labels: &[Label]) -> (bool, bool) {
    if let Some(settled) = labels.iter().find(|label| label.settles) {
        return (settled.wrong, false);
    }
    let wrong = labels.iter().filter(|label| label.wrong).count();
    (wrong > 0, wrong > 0 && wrong < labels.len())
}

fn reviewed(
    label: &Label,
    wrong: bool,
    run: Option<&BTreeMap<&str, &ScoredDocument>>,
) -> Result<Reviewed, SampleError> {
    let document = label.document.clone();
    if let Some(found) = run.and_then(|documents| documents.get(label.document.as_str())) {
        let document_type = Some(found.document_type.clone());
        return Ok(Reviewed { document, document_type, score: found.score, wrong });
    }
    if label.score.is_none() && label.passed {
        return Err(SampleError::NoScore(document));
    }
    let score = label.score.filter(|_| label.passed);
    Ok(Reviewed { document, document_type: label.document_type.clone(), score, wrong })
}

/// One document of each cluster, and the number that this leaves out. The choice is by digests of their ids, which are
/// independent of scores and labels; if labels are inspected while they come in, it is the first, because one that was
/// inspected can't be taken back.
fn one_of_each(documents: Vec<(Reviewed, Option<String>)>, looks: Looks) -> (Vec<Reviewed>, u64) {
    let mut chosen: BTreeMap<&str, (String, usize)> = BTreeMap::new();
    for (place, (document, cluster)) in documents.iter().enumerate() {
        let Some(cluster) = cluster else { continue };
        let digest = match looks {
            Looks::Once => digest_bytes(document.document.as_bytes()),
            Looks::AnyTime => String::new(),
        };
        let drawn = (digest, place);
        let entry = chosen.entry(cluster).or_insert_with(|| drawn.clone());
        if drawn < *entry {
            *entry = drawn;
        }
    }
    let kept: BTreeSet<usize> = chosen.into_values().map(|(_, place)| place).collect();
    let (before, mut place) = (documents.len(), 0);
    let documents: Vec<Reviewed> = documents
        .into_iter()
        .filter(|(_, cluster)| {
            place += 1;
            cluster.is_none() || kept.contains(&(place - 1))
        })
        .map(|(document, _)| document)
        .collect();
    let left_out = (before - documents.len()) as u64;
    (documents, left_out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn labels(values: &[Value]) -> Vec<Label> {
        values.iter().map(|value| Label::read(value.as_object().unwrap().clone()).unwrap()).collect()
    }

    #[test]
    fn documents_that_wrote_rules_or_are_examples_never_count() {
        let labels = labels(&[
            json!({ "document": "a", "wrong": false, "score": 0.9, "wrote_rules": true }),
            json!({ "document": "b", "wrong": false, "score": 0.9, "example": "yes" }),
            json!({ "document": "c", "wrong": false, "score": 0.9 }),
            json!({ "document": "d", "wrong": true, "passed": false }),
        ]);
        let sample =
            Sample::of(labels, None, &Certify { exclude: vec!["c".to_owned()], ..Certify::default() })
                .unwrap();
        assert_eq!(
            sample.left_out,
            LeftOut { wrote_rules: 1, examples: 1, excluded: 1, swept: 0, same_cluster: 0 }
        );
        assert_eq!(sample.documents.len(), 1);
        assert_eq!((sample.documents[0].score, sample.documents[0].wrong), (None, true));
    }

    #[test]
    fn a_cluster_counts_once_whatever_the_order_of_its_labels() {
        let mut values: Vec<Value> = (0..9)
            .map(|k| json!({ "document": format!("d{k}"), "wrong": k == 3, "score": 0.9, "cluster": format!("p{}", k % 3) }))
            .collect();
        values.push(json!({ "document": "alone", "wrong": false, "score": 0.9 }));
        let ids = |sample: &Sample| {
            let mut ids: Vec<String> = sample.documents.iter().map(|d| d.document.clone()).collect();
            ids.sort();
            ids
        };
        let sample = Sample::of(labels(&values), None, &Certify::default()).unwrap();
        assert_eq!((sample.documents.len(), sample.clusters, sample.left_out.same_cluster), (4, Some(4), 6));
        values.reverse();
        let again = Sample::of(labels(&values), None, &Certify::default()).unwrap();
        assert_eq!((ids(&sample), sample.digest()), (ids(&again), again.digest()));
    }

    #[test]
    fn types_are_known_of_all_documents_or_of_none() {
        let mixed = labels(&[
            json!({ "document": "a", "wrong": false, "score": 1, "document_type": "pathology" }),
            json!({ "document": "b", "wrong": false, "score": 1 }),
        ]);
        let found = Sample::of(mixed.clone(), None, &Certify::default());
        assert_eq!(found, Err(SampleError::NoType("b".to_owned())));
        let together = Certify { per: Per::All, ..Certify::default() };
        assert_eq!(Sample::of(mixed, None, &together).unwrap().documents.len(), 2);
    }

    #[test]
    fn a_difference_counts_as_wrong_until_it_is_settled() {
        let label = |reviewer: &str, wrong: bool| json!({ "document": "a", "wrong": wrong, "score": 1, "reviewer": reviewer });
        let both = [label("ann", false), label("bob", true)];
        let sample = Sample::of(labels(&both), None, &Certify::default()).unwrap();
        assert_eq!((sample.documents[0].wrong, sample.disputed), (true, 1));
        assert_eq!(sample.agreement.unwrap().agreed, 0);
        let settled = [
            both[0].clone(),
            both[1].clone(),
            json!({ "document": "a", "wrong": false, "score": 1, "settles": true }),
        ];
        let sample = Sample::of(labels(&settled), None, &Certify::default()).unwrap();
        assert_eq!((sample.documents[0].wrong, sample.disputed), (false, 0));
        let twice =
            Sample::of(labels(&[label("ann", false), label("ann", false)]), None, &Certify::default())
                .unwrap_err();
        assert_eq!(twice.to_string(), "`a` has two labels of the reviewer `ann`");
    }

    #[test]
    fn documents_that_were_chosen_are_told_from_drawn_ones() {
        let scored = |k: u32| k.is_multiple_of(2).then_some(Score::ONE);
        let run: Vec<ScoredDocument> = (0..400)
            .map(|k| ScoredDocument { id: format!("d{k}"), document_type: "t".into(), score: scored(k) })
            .collect();
        let of = |documents: &mut dyn Iterator<Item = u32>| {
            let values: Vec<Value> =
                documents.map(|k| json!({ "document": format!("d{k}"), "wrong": false })).collect();
            Sample::of(labels(&values), Some(&run), &Certify::default()).unwrap().is_unlike(&run)
        };
        assert_eq!(of(&mut (0..60)), None);
        assert_eq!(of(&mut (0..400)), None);
        // Only what did not pass was inspected.
        assert_eq!(of(&mut (1..60).step_by(2)), Some((0.0, 0.5)));
    }

    #[test]
    fn a_run_says_scores_and_types_and_must_know_the_documents() {
        let run =
            [ScoredDocument { id: "a".into(), document_type: "pathology".into(), score: Score::new(0.97) }];
        let one = labels(&[json!({ "document": "a", "wrong": false })]);
        let sample = Sample::of(one, Some(&run), &Certify::default()).unwrap();
        assert_eq!(sample.documents[0].document_type.as_deref(), Some("pathology"));
        let other = labels(&[json!({ "document": "b", "wrong": false })]);
        assert!(matches!(
            Sample::of(other.clone(), Some(&run), &Certify::default()),
            Err(SampleError::NotInRun { count: 1, .. })
        ));
        assert_eq!(Sample::of(other, None, &Certify::default()), Err(SampleError::NoScore("b".into())));
    }
}
