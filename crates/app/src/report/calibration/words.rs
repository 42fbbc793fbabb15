//! The statements of a calibration and their basis in words, and the texts of what is to be drawn and of an audit.

use crate::experiment::calibrate::{
    AuditOutcome, Calibration, Evidence, Group, MoreReviews, NeededReviews, Scope, TestedThreshold,
    Threshold, Verdict,
};
use crate::experiment::statistics;
use crate::profile::{Certify, Looks};
use crate::report::figures::percent_of;
use crate::report::model::{Block, List, Row, Table, Tone, figure, figures, lines};
use crate::report::paint::Paint;
use crate::value::prose::count;
use crate::value::sanitize_line;
use std::fmt::Write;

pub(super) fn called(group: &Group) -> String {
    match &group.document_type {
        Some(name) => format!("documents of the type `{}`", sanitize_line(name)),
        None => "the documents".to_owned(),
    }
}

/// The meaning of a statement for the work, or what is missing for one.
pub(super) fn grounds(calibration: &Calibration, group: &Group) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(found) = &group.certified {
        lines.push(format!("{} of the reviewed documents are accepted there", percent_of(found.coverage)));
        return lines;
    }
    let feasibility = &group.feasibility;
    if feasibility.held_back_at_least > 0.0 {
        lines.push(format!(
            "{} of {} reviewed documents are wrong: at least {} must be held back, whatever the threshold",
            group.wrong,
            group.reviewed,
            percent_of(feasibility.held_back_at_least)
        ));
    }
    let tested = group.thresholds.iter().any(|tested| tested.verdict == Verdict::NotCertified);
    // One look was promised, and it was taken.
    let is_over = tested && (calibration.looks == Looks::Once || calibration.scope == Scope::ThisRun);
    if is_over {
        lines.push(match &feasibility.more {
            Some(more) => format!(
                "these labels were tested, and more of them would be a second look: it takes new ones, of some {} newly drawn at random, of which {} reach {} ≥ {}, if as many are wrong as so far",
                count(more.to_draw, "document"),
                more.at_this_rate,
                sanitize_line(&calibration.score),
                Threshold(more.threshold)
            ),
            None => "if as many are wrong as so far, no number of reviews helps; better rules may, with labels of newly drawn documents".to_owned(),
        });
        return lines;
    }
    if let [none, one, ..] = feasibility.least_accepted.as_slice() {
        lines.push(format!(
            "it takes at least {none} reviewed and accepted documents if none of them is wrong, {one} if one is"
        ));
    }
    match &feasibility.more {
        Some(more) => lines.extend(missing(calibration, more)),
        None if group.thresholds.iter().all(|tested| tested.accepted == 0) => {
            lines.push("no reviewed document reaches any of the thresholds".to_owned());
        }
        None => lines
            .push("if as many are wrong as so far, no number of reviews helps; better rules may".to_owned()),
    }
    lines
}

fn missing(calibration: &Calibration, more: &MoreReviews) -> Vec<String> {
    let kind = format!("{} ≥ {}", calibration.score, Threshold(more.threshold));
    let mut line = format!(
        "nearest is {kind}, with {} reviewed and {} wrong: {} more with {kind} would do if none is wrong",
        count(more.accepted, "document"),
        more.wrong,
        more.if_none_is_wrong
    );
    if more.at_this_rate > more.if_none_is_wrong {
        let _ = write!(line, ", {} if as many are wrong as so far", more.at_this_rate);
    }
    vec![line, format!("that is some {} drawn at random", count(more.to_draw, "document"))]
}

/// The reviewed documents, those that count, and the agreement of the reviewers.
pub(super) fn sample(calibration: &Calibration) -> Vec<String> {
    let clusters = calibration.clusters;
    let clusters = clusters.map_or_else(String::new, |count| format!(", one of each of {count} clusters"));
    let mut lines = vec![format!("{} reviewed{clusters}", count(calibration.reviewed, "document"))];
    let left_out = &calibration.left_out;
    let reasons: Vec<String> = [
        (left_out.wrote_rules, "rules were written by them"),
        (left_out.examples, "they are examples in prompts"),
        (left_out.excluded, "the profile excludes them"),
        (left_out.swept, "they were accepted as they were, and no one says that their values were looked at"),
        (left_out.same_cluster, "another of their cluster counts"),
    ]
    .iter()
    .filter(|(count, _)| *count > 0)
    .map(|(count, why)| format!("{count} because {why}"))
    .collect();
    if !reasons.is_empty() {
        lines.push(format!("left out: {}", reasons.join(", ")));
    }
    if let Some(agreement) = &calibration.agreement {
        let (low, high) = agreement.interval;
        let kappa = agreement.kappa.map_or_else(String::new, |kappa| format!("; Cohen's kappa {kappa:.2}"));
        lines.push(format!(
            "two reviewers looked at {} and agreed on {}: {}, {} to {} with 95 % confidence{kappa}",
            count(agreement.documents, "document"),
            agreement.agreed,
            percent_of(share(agreement.agreed, agreement.documents)),
            percent_of(low),
            percent_of(high)
        ));
    }
    if calibration.disputed > 0 {
        let as_wrong = if calibration.disputed == 1 { "counts as wrong" } else { "count as wrong" };
        lines.push(format!("{} on which they differ {as_wrong}", count(calibration.disputed, "document")));
    }
    lines
}

/// The name of the evidence for a threshold.
pub(super) fn evidence_name(calibration: &Calibration) -> &'static str {
    match calibration.looks {
        Looks::AnyTime if calibration.scope == Scope::DocumentsLikeThese => "e-value",
        _ => "p-value",
    }
}

/// The evidence for a threshold.
pub(super) fn evidence(tested: &TestedThreshold) -> String {
    match tested.evidence {
        Evidence::PValue(p) if p < 0.000_1 => "< 0.0001".to_owned(),
        Evidence::PValue(p) => format!("{p:.4}"),
        Evidence::EValue(e) if e >= 10_000.0 => "> 9999".to_owned(),
        Evidence::EValue(e) => format!("{e:.2}"),
    }
}

/// The outcome of a threshold.
pub(super) fn verdict(tested: &TestedThreshold) -> &'static str {
    match tested.verdict {
        Verdict::TooFew => "too few",
        Verdict::Certified => "certified",
        Verdict::NotCertified => "not certified",
        _ => "not tested",
    }
}

/// The number of documents to draw for each threshold, where none is reviewed yet.
#[must_use]
pub fn needed_text(needed: &[NeededReviews], settings: &Certify, paint: Paint) -> String {
    let counts = figures("reached by | if none is wrong | if one is");
    let columns = [vec![figure(&format!("{} ≥", settings.score.value))], counts].concat();
    let mut blocks = Vec::new();
    for group in needed {
        let of_type = group.document_type.as_ref().map(|name| format!(" of the type `{name}`"));
        let heading = format!(
            "{}{} in the run; to draw at random:",
            count(group.in_run, "document"),
            of_type.unwrap_or_default()
        );
        let draws = |count: Option<u64>| count.map_or_else(|| "-".to_owned(), |count| count.to_string());
        let rows = group.thresholds.iter().map(|at| {
            Row::from(vec![
                Threshold(at.threshold).to_string(),
                at.accepted_in_run.to_string(),
                draws(at.to_draw_if_none_is_wrong),
                draws(at.to_draw_if_one_is_wrong),
            ])
        });
        let table = Table::new(heading.clone(), columns.clone(), rows.collect());
        blocks.extend([Block::Section(heading), Block::Table(table)]);
    }
    let meaning = format!(
        "So many bring, on average, enough accepted documents to show that at most {} are wrong, with {} confidence.",
        settings.wrong_documents, settings.confidence
    );
    blocks.push(Block::Text(Tone::Plain, meaning));
    lines(&blocks, paint)
}

/// The outcome of the audit.
#[must_use]
pub fn audit_text(calibration: &Calibration, audit: &AuditOutcome, paint: Paint) -> String {
    let AuditOutcome { accepted, wrong, not_covered, own, highest_e_value, limit, .. } = audit;
    let are_wrong = format!(
        "{wrong} of {} {} wrong",
        count(*accepted, "audited document"),
        if *wrong == 1 { "is" } else { "are" }
    );
    let (tone, outcome) = if !audit.says_something() {
        let nothing = "No audited document is covered by the certificate: the audit shows nothing";
        (Tone::Warn, nothing.to_owned())
    } else if audit.drifted {
        let most = calibration.wrong_documents;
        let more = format!("{are_wrong}, more than chance explains where at most {most} are");
        (Tone::Bad, format!("The promise no longer holds: {more}"))
    } else {
        (Tone::Plain, format!("Nothing speaks against the promise: {are_wrong}"))
    };
    let mut further = Vec::new();
    if audit.says_something() {
        further.push(format!(
            "e-value {highest_e_value:.2} at its highest; drift is reported from {limit:.0} on"
        ));
    }
    if *own > 0 {
        let own = count(*own, "audited document");
        further.push(format!("left out: {own}, because the certificate was made by them"));
    }
    if *not_covered > 0 {
        let (are, say) = if *not_covered == 1 { ("is", "says") } else { ("are", "say") };
        let count = count(*not_covered, "audited document");
        further.push(format!("{count} {are} not covered by the certificate, and {say} nothing about it"));
    }
    lines(&[Block::Text(tone, outcome), Block::List(List::of(further))], paint)
}

/// The share of the documents that are so many; 0 of none.
pub(super) fn share(part: u64, whole: u64) -> f64 {
    statistics::share(part, whole).unwrap_or_default()
}
