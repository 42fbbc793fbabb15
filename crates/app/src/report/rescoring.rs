//! Changes by scoring candidates again.

use super::live::{decision_line, numbers};
use super::model::{Block, Item, List, Piece, Tone, lines, toned};
use super::paint::Paint;
use crate::policy::{Check, Decision, StopReason, Verdict};
use crate::rescore::{Rescore, Rescored};
use crate::score::Issue;
use crate::value::prose;
use serde_json::{Value, json};
use std::fmt::Write;

/// Most issues that are named for one document, of those that are gone and of the new ones.
const MOST_ISSUES: usize = 6;
/// Most documents that are shown one by one.
const MOST_DOCUMENTS: usize = 20;
/// Differences that three decimals don't show.
const SEEN: f64 = 0.000_5;

/// The changes by a saved file, for people: a few lines for each document that is affected.
#[must_use]
pub fn rescoring_lines(rescored: &[Rescored], paint: Paint) -> String {
    let changed: Vec<&Rescored> = rescored.iter().filter(|one| differs(&one.before, &one.after)).collect();
    let documents = changed.iter().take(MOST_DOCUMENTS).map(|one| document(one));
    let mut blocks = vec![Block::List(List::of(documents))];
    if let Some(more @ 1..) = changed.len().checked_sub(MOST_DOCUMENTS) {
        blocks.push(Block::Text(Tone::Faint, format!("and {more} more documents change")));
    }
    let closing = match rescored {
        [_] if changed.is_empty() => Some("nothing changes".to_owned()),
        [] | [_] => None,
        several => {
            let accepted =
                |of: fn(&Rescored) -> &Rescore| several.iter().filter(|one| passes(of(one))).count();
            let (before, after) = (accepted(|one| &one.before), accepted(|one| &one.after));
            let accepted = if before == after { after.to_string() } else { format!("{before} → {after}") };
            let documents = prose::count(several.len() as u64, "document");
            Some(format!("{} of {documents} change; accepted {accepted}", changed.len()))
        }
    };
    blocks.extend(closing.map(|closing| Block::Text(Tone::Plain, closing)));
    lines(&blocks, paint)
}

/// One rescored document for programs.
#[must_use]
pub fn rescoring_json(rescored: &Rescored, profile: &str) -> Value {
    let (before, after) = (&rescored.before, &rescored.after);
    let scores = |standing: &Rescore| json!({ "scores": standing.assessment.scores, "overall": standing.assessment.overall });
    let (gone, came) = issues_changed(before, after);
    json!({
        "rescored": rescored.id,
        "document_type": after.document_type,
        "profile": profile,
        "iteration": after.iteration,
        "changed": differs(before, after),
        "before": scores(before),
        "after": scores(after),
        "issues_gone": gone,
        "issues_new": came,
        "accepted": after.accepted,
        "acceptance": after.acceptance,
        "decision": after.decision,
        "decision_before": before.decision,
        "best_iteration": after.selected,
        "notes": after.notes,
    })
}

/// Returns whether the policy, over the whole course, ends with an accepted candidate.
fn passes(standing: &Rescore) -> bool {
    standing.decision.verdict.accepts()
}

fn differs(before: &Rescore, after: &Rescore) -> bool {
    let ends = |standing: &Rescore| {
        let Decision { iteration, verdict, .. } = &standing.decision;
        (*iteration, verdict.clone(), standing.selected, standing.accepted)
    };
    before.assessment.scores != after.assessment.scores
        || (before.assessment.overall - after.assessment.overall).abs() > 1e-12
        || before.document_type != after.document_type
        || before.notes != after.notes && !after.notes.is_empty()
        || before.acceptance != after.acceptance
        || ends(before) != ends(after)
        || issues_changed(before, after) != (Vec::new(), Vec::new())
}

/// The issues that only one of the two has, as often as it has them.
fn issues_changed<'a>(before: &'a Rescore, after: &'a Rescore) -> (Vec<&'a Issue>, Vec<&'a Issue>) {
    let key = |issue: &&Issue| {
        (issue.code.clone(), issue.path.clone(), issue.message.clone(), issue.severity, issue.disposition)
    };
    let mut gone: Vec<&Issue> = before.assessment.issues.iter().collect();
    let mut came = Vec::new();
    for issue in &after.assessment.issues {
        match gone.iter().position(|known| key(known) == key(&issue)) {
            Some(at) => drop(gone.remove(at)),
            None => came.push(issue),
        }
    }
    (gone, came)
}

fn document(rescored: &Rescored) -> Item {
    let (before, after) = (&rescored.before, &rescored.after);
    let mut text = format!("  iteration {}", after.iteration);
    if rescored.candidates != 1 {
        let _ = write!(text, " (last of {})", rescored.candidates);
    }
    if before.document_type != after.document_type {
        let _ = write!(text, "  {} → {}", before.document_type, after.document_type);
    }
    let (gone, came) = issues_changed(before, after);
    let mut parts = vec![scores(before, after)];
    parts.extend(issues("gone", Tone::Good, &gone));
    parts.extend(issues("new ", Tone::Warn, &came));
    let note = |note: &String| vec![toned(Tone::Warn, "warning:"), Piece::Outside(format!(" {note}"))];
    parts.extend(after.notes.iter().map(note).map(Item::from));
    let (was, is) = (course_line(before, rescored.candidates), course_line(after, rescored.candidates));
    let earlier = (was != is).then(|| Item::from(vec![toned(Tone::Faint, format!("before: {was}"))]));
    parts.push(vec![toned(if passes(after) { Tone::Good } else { Tone::Warn }, is)].into());
    parts.extend(acceptance_line(after).map(Item::from));
    parts.extend(earlier);
    if let (Some(earlier), Some(now)) = (before.selected, after.selected)
        && earlier != now
    {
        parts.push(format!("returns iteration {now} instead of {earlier}").into());
    }
    Item::new(rescored.id.as_str(), vec![Piece::Outside(text)], parts)
}

/// Every score that changed, and the overall score.
fn scores(before: &Rescore, after: &Rescore) -> Item {
    let shown = |score: Option<f64>| score.map_or_else(|| "none".to_owned(), |score| format!("{score:.3}"));
    let change = |was: Option<f64>, is: Option<f64>| {
        let tone = if is.unwrap_or(0.0) < was.unwrap_or(0.0) { Tone::Warn } else { Tone::Good };
        toned(tone, format!("{} → {}", shown(was), shown(is)))
    };
    let mut names: Vec<&str> = after.assessment.scores.iter().map(|(name, _)| name).collect();
    for (name, _) in before.assessment.scores.iter() {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let mut line = Vec::new();
    // A dimension called `overall` is the overall score, which is at the end.
    for name in names.into_iter().filter(|name| *name != "overall") {
        let of = |standing: &Rescore| standing.assessment.scores.get(name).map(|score| score.get());
        let (was, is) = (of(before), of(after));
        if was.is_some() != is.is_some() || (was.unwrap_or(0.0) - is.unwrap_or(0.0)).abs() >= SEEN {
            line.extend([Piece::Outside(format!("{name} ")), change(was, is), Piece::Words("  ".to_owned())]);
        }
    }
    let (was, is) = (before.assessment.overall, after.assessment.overall);
    if (was - is).abs() >= SEEN {
        line.extend([Piece::Words("overall ".to_owned()), change(Some(was), Some(is))]);
    } else {
        line.push(toned(Tone::Faint, format!("overall {is:.3} as before")));
    }
    Item::from(line)
}

fn issues(word: &str, tone: Tone, issues: &[&Issue]) -> Vec<Item> {
    let item = |issue: &&Issue| {
        let place = if issue.path.is_empty() { "the whole answer" } else { issue.path.as_str() };
        let Issue { severity, code, message, .. } = issue;
        let text = format!(" {} {code} at {place}: {message}", severity.as_str());
        Item::from(vec![toned(tone, word), Piece::Outside(text)])
    };
    let more = issues.len().checked_sub(MOST_ISSUES).filter(|more| *more > 0);
    let more = more.map(|more| format!("{word} and {more} more").into());
    issues.iter().take(MOST_ISSUES).map(item).chain(more).collect()
}

/// The point at which the policy stops in the course, or what it would do after it.
fn course_line(standing: &Rescore, candidates: usize) -> String {
    let decision = &standing.decision;
    let line = decision_line(decision);
    let after = candidates.saturating_sub(decision.iteration + 1);
    match after {
        0 => line,
        1 => format!("{line}, at iteration {} already: 1 candidate less", decision.iteration),
        more => format!("{line}, at iteration {} already: {more} candidates less", decision.iteration),
    }
}

/// The lines that the last candidate misses, where the line about the course does not name them.
fn acceptance_line(standing: &Rescore) -> Option<String> {
    let at_last = standing.decision.iteration == standing.iteration;
    let said = match &standing.decision.verdict {
        Verdict::Continue { .. } => at_last && !standing.accepted,
        Verdict::Stop { reason: StopReason::Accepted } => at_last,
        Verdict::Stop { .. } => false,
    };
    if said {
        return None;
    }
    let which = if at_last { "it" } else { "the last candidate" };
    if standing.accepted {
        return Some(format!("every line of `accept` holds for {which}"));
    }
    let missed = |check: &&Check| !check.holds;
    let told = |check: &Check| numbers(&check.line, check.value, check.bound);
    let lines: Vec<String> = standing.acceptance.iter().filter(missed).map(told).collect();
    Some(format!("not acceptable: {}", lines.join("; ")))
}
