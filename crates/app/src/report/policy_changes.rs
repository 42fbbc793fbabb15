//! Changes from one profile to another, for people.

use super::paint::Paint;
use crate::explain::policy::{
    Change, Comparison, Documents, Ended, Moved, Said, SettingChange, SettingEffect,
};
use crate::facts::Origin;
use crate::value::sanitize_line;
use std::fmt::Write;

/// The changes in behaviour by section, the files that differ, and the settings that make no difference.
#[must_use]
pub fn policy_changes_text(comparison: &Comparison, paint: Paint) -> String {
    let (before, after) = (sanitize_line(&comparison.before), sanitize_line(&comparison.after));
    let mut out = String::new();
    if comparison.is_same() && before == after {
        let _ =
            writeln!(out, "`{before}` is compared with itself, and no flag changes it: both do the same.");
    } else if comparison.is_same() {
        let _ = writeln!(out, "`{before}` and `{after}` do the same.");
    } else {
        let _ = writeln!(out, "From `{before}` to `{after}`:");
    }
    let mut section = "";
    for change in &comparison.changes {
        if change.section != section {
            section = change.section;
            let _ = writeln!(out, "\n{}", paint.strong(section));
        }
        out.push_str(&one_change(change, paint));
    }
    if !comparison.files.is_empty() {
        let _ = writeln!(out, "\n{}", paint.strong("Files of the same name that are not the same"));
        for file in &comparison.files {
            let _ = writeln!(
                out,
                "  {}: {} → {}",
                sanitize_line(&file.name),
                sanitize_line(&file.before),
                sanitize_line(&file.after)
            );
        }
    }
    let of =
        |effect: SettingEffect| comparison.settings.iter().filter(move |setting| setting.effect == effect);
    let idle: Vec<&SettingChange> = of(SettingEffect::None).collect();
    if !idle.is_empty() {
        let title = "Set otherwise, with no effect on what is done";
        let _ = writeln!(out, "\n{}", paint.strong(title));
        for setting in idle {
            let shown = |value: &Option<String>| value.as_deref().map_or("not set".to_owned(), sanitize_line);
            let _ = writeln!(
                out,
                "  {}: {} → {}",
                sanitize_line(&setting.path),
                shown(&setting.before),
                shown(&setting.after)
            );
        }
    }
    let untried = of(SettingEffect::Unknown).count();
    if untried > 0 {
        let _ = writeln!(
            out,
            "\n{}; which of them make no difference was not looked into.",
            if untried == 1 { "1 setting differs".to_owned() } else { format!("{untried} settings differ") }
        );
    }
    out
}

fn one_change(change: &Change, paint: Paint) -> String {
    let said = |side: &Said| format!("{}{}", sanitize_line(&side.text), bracketed(&places(&side.origin)));
    match (change.inline(), &change.before, &change.after) {
        (Some(inline), Some(before), Some(after)) => {
            let (from, to) = (places(&before.origin), places(&after.origin));
            let places = if from == to { to } else { format!("{from} → {to}") };
            format!("  {} {}{}\n", paint.warn("~"), sanitize_line(&inline), bracketed(&places))
        }
        (_, Some(before), Some(after)) => {
            format!("  {} was: {}\n    now: {}\n", paint.warn("~"), said(before), said(after))
        }
        (_, Some(before), None) => format!("  {} no longer: {}\n", paint.bad("-"), said(before)),
        (_, None, Some(after)) => format!("  {} new: {}\n", paint.good("+"), said(after)),
        (_, None, None) => String::new(),
    }
}

/// The locations of the settings from which something follows.
fn places(origin: &[Origin]) -> String {
    let mut places: Vec<String> = origin.iter().map(|one| sanitize_line(&one.text())).collect();
    places.dedup();
    places.join(", ")
}

fn bracketed(places: &str) -> String {
    if places.is_empty() { String::new() } else { format!("  [{places}]") }
}

/// The recorded documents that end otherwise: the sums, then each document.
#[must_use]
pub fn documents_text(documents: &Documents, paint: Paint) -> String {
    let sum = documents.sum();
    let mut out = format!("\n{}\n", paint.strong("On the recorded documents"));
    if sum.differ == 0 {
        let _ = writeln!(out, "  All {} end alike.\n", sum.documents);
        return out;
    }
    let _ = writeln!(
        out,
        "  {} of {} end otherwise: {} newly accepted, {} no longer; {} candidate{} fewer and {} more.",
        sum.differ,
        sum.documents,
        sum.newly_accepted,
        sum.no_longer_accepted,
        sum.candidates_fewer,
        if sum.candidates_fewer == 1 { "" } else { "s" },
        sum.candidates_more
    );
    let width = documents.moved().iter().map(|moved| id(moved).chars().count()).max().unwrap_or(0);
    for moved in documents.moved() {
        let _ = writeln!(out, "  {:width$}  {} → {}", id(moved), ended(&moved.before), ended(&moved.after));
    }
    let left = sum.differ.saturating_sub(documents.moved().len() as u64);
    if left > 0 {
        let _ = writeln!(out, "  and {left} more; `--all` names them.");
    }
    out.push('\n');
    out
}

fn id(moved: &Moved) -> String {
    match &moved.id {
        serde_json::Value::String(text) => sanitize_line(text),
        other => other.to_string(),
    }
}

/// `passed / accepted, candidate 1 of 2 (0.96)`.
fn ended(ended: &Ended) -> String {
    let chosen = match (ended.best_iteration, ended.overall) {
        (Some(best), Some(overall)) => {
            format!("candidate {best} of {} ({overall:.4})", ended.iteration_count)
        }
        _ => "no candidate".to_owned(),
    };
    format!("{} / {}, {chosen}", ended.final_status, sanitize_line(&ended.stop_reason.to_string()))
}
