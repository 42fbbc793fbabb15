//! Renders a story as lines.

use super::choice::key_value;
use super::page::{Line, Tone};
use super::story::{CandidateStory, Cost, DimensionStory, IssueChange, IssueStory, Story};
use super::words::{counted, lost, number, one_line, place, points_of, score, shown, usage};
use crate::explain::json_diff::{Change, changed_part};
use crate::policy::FinalStatus;
use crate::value::prose::{beginning, capital, list, names};
use crate::value::{Disposition, Millis, pages_in_words};
use serde_json::Value;

/// Most issues, changes and solved issues of a candidate that are shown without `--full`.
const MOST_TOLD: usize = 20;
/// Most lines of feedback that are shown without `--full`.
const MOST_FEEDBACK: usize = 24;
/// Longest value that is shown without `--full`, in characters.
const LONGEST_VALUE: usize = 160;
/// Characters of a long text that are shown before and after what changed in it.
const CONTEXT: usize = 24;

/// Renders a story. `full` leaves nothing out; otherwise long feedback, long values and long lists are folded.
#[must_use]
pub fn tell(story: &Story, full: bool) -> Vec<Line> {
    let mut lines = headline(story);
    for candidate in &story.candidates {
        tell_candidate(candidate, full, &mut lines);
    }
    lines.push(Line::Heading("Why it stopped".to_owned()));
    lines.extend(story.why_stopped.iter().map(|why| Line::Item(Tone::Plain, sentence(why))));
    tell_choice(story, &mut lines);
    lines.push(Line::Heading("Does a person have to look?".to_owned()));
    let passed = story.ended.as_ref().is_some_and(|ended| ended.final_status.passes());
    let (word, tone) = match story.review {
        Some(true) => ("Yes", Tone::Warn),
        Some(false) if passed => ("No", Tone::Good),
        Some(false) => ("Yes, though the result is not marked for review", Tone::Warn),
        None => ("Unknown", Tone::Warn),
    };
    lines.push(Line::Item(tone, format!("{word}: {}", story.why_review.join("; "))));
    if let Some(message) = &story.message {
        lines.extend(message.lines().map(|line| Line::Item(Tone::Bad, one_line(line))));
    }
    lines.push(Line::Heading("What to do next".to_owned()));
    lines.push(Line::Item(Tone::Strong, sentence(&story.next)));
    let warnings: Vec<&String> = story.warnings.iter().filter(|warning| !is_told(story, warning)).collect();
    if !warnings.is_empty() {
        lines.push(Line::Heading("Warnings".to_owned()));
        lines.extend(warnings.into_iter().map(|warning| Line::Item(Tone::Warn, one_line(warning))));
    }
    if !story.gaps.is_empty() {
        lines.push(Line::Heading("What the record lacks".to_owned()));
        lines.extend(story.gaps.iter().map(|gap| Line::Item(Tone::Faint, sentence(gap))));
    }
    lines
}

/// Returns whether a warning is shown with a candidate.
fn is_told(story: &Story, warning: &String) -> bool {
    story.candidates.iter().any(|candidate| {
        candidate.notes.contains(warning)
            || candidate.decision.contains(warning)
            || candidate.troubles.iter().any(|trouble| trouble.message == *warning)
    })
}

/// With a capital and a full stop.
fn sentence(text: &str) -> String {
    let text = one_line(text);
    let end = if text.ends_with(['.', '?', '!', ':']) { "" } else { "." };
    format!("{}{end}", capital(&text))
}

fn headline(story: &Story) -> Vec<Line> {
    let Story { document, document_type, profile, .. } = story;
    let title =
        format!("{} · {} · profile {}", one_line(document), one_line(document_type), one_line(profile));
    let mut lines = vec![Line::Title(title)];
    match &story.ended {
        Some(ended) => {
            let tone = match ended.final_status {
                status if status.passes() => Tone::Good,
                FinalStatus::Failed => Tone::Bad,
                _ => Tone::Warn,
            };
            let after = counted(ended.candidates, "candidate");
            let chosen = match &story.chosen {
                Some(chosen) => format!("; candidate {} was chosen", chosen.iteration),
                None => "; none was chosen".to_owned(),
            };
            let status = ended.final_status;
            lines.push(Line::Text(
                tone,
                format!("Ended {status} ({}) after {after}{chosen}.", ended.stop_reason),
            ));
            lines.push(Line::Text(
                Tone::Faint,
                format!("{}, {}", usage(ended.usage), Millis(ended.elapsed_ms)),
            ));
        }
        None => lines.push(Line::Text(Tone::Bad, "Interrupted: it has no end in the record.".to_owned())),
    }
    if let Some(run) = &story.run {
        let text = format!("Run {} of {}, loopctl {}", run.id, run.started_at, run.loopctl_version);
        lines.push(Line::Text(Tone::Faint, one_line(&text)));
    }
    lines
}

fn tell_candidate(candidate: &CandidateStory, full: bool, lines: &mut Vec<Line>) {
    let CandidateStory { iteration, origin, .. } = candidate;
    let rolled_back = if candidate.rolled_back { ", rolled back" } else { "" };
    let overall =
        candidate.overall.map_or_else(String::new, |overall| format!(": overall {}", score(overall)));
    lines.push(Line::Heading(format!("Candidate {iteration} ({origin}{rolled_back}){overall}")));
    if !candidate.troubles.is_empty() {
        lines.push(Line::Part("Calls that gave nothing".to_owned()));
        for trouble in &candidate.troubles {
            let again = match trouble.tried_again_at_ms {
                Some(at) => format!("; tried again after {}", Millis(at)),
                None => "; not tried again".to_owned(),
            };
            lines.push(Line::Item(
                Tone::Bad,
                format!("{}: {}{again}", trouble.who, one_line(&trouble.message)),
            ));
        }
    }
    let said = candidate.notes.iter().map(|note| Line::Item(Tone::Faint, one_line(note)));
    if !candidate.notes.is_empty() {
        lines.push(Line::Part("What the provider said about its answer".to_owned()));
        lines.extend(said);
    }
    for fed in &candidate.feedback {
        lines.push(Line::Part(format!("What the stage `{}` was told", fed.stage)));
        lines.push(Line::Verbatim(folded(&fed.text, full)));
    }
    if !candidate.repairs.is_empty() {
        lines.push(Line::Part("Repairs of the answer".to_owned()));
        lines.extend(candidate.repairs.iter().map(|repair| Line::Item(Tone::Plain, one_line(repair))));
    }
    tell_changes(candidate, full, lines);
    tell_scores(candidate, lines);
    tell_issues(candidate, full, lines);
    let bounds = candidate.gate.iter().chain(&candidate.acceptance);
    let bounds: Vec<Line> = bounds
        .map(|line| {
            let tone = if line.holds { Tone::Good } else { Tone::Warn };
            Line::Item(tone, line.words.clone())
        })
        .collect();
    if !bounds.is_empty() {
        lines.push(Line::Part("Acceptance".to_owned()));
        lines.extend(bounds);
    }
    if !candidate.decision.is_empty() {
        lines.push(Line::Part("Decision".to_owned()));
        lines.extend(candidate.decision.iter().map(|said| Line::Item(Tone::Plain, sentence(said))));
    }
}

fn tell_scores(candidate: &CandidateStory, lines: &mut Vec<Line>) {
    let Some(overall) = candidate.overall else { return };
    lines.push(Line::Part("Scores".to_owned()));
    let none = || "?".to_owned();
    let row = |one: &DimensionStory| {
        let counts = one.weight.is_none_or(|weight| weight > 0.0);
        vec![
            one.dimension.to_string(),
            one.score.map_or_else(|| "none".to_owned(), score),
            one.weight.map_or_else(none, number),
            one.share.map_or_else(none, points_of),
            one.lost.map_or_else(none, lost),
            if counts { one.how.clone() } else { format!("{} (not in overall)", one.how) },
        ]
    };
    let mut rows: Vec<Vec<String>> = candidate.dimensions.iter().map(row).collect();
    let lacking = || "?".to_owned();
    let total = candidate.dimensions.iter().map(|one| one.lost).sum::<Option<f64>>();
    rows.push(vec![
        "overall".to_owned(),
        score(overall),
        String::new(),
        points_of(overall),
        total.map_or_else(lacking, lost),
        String::new(),
    ]);
    lines.push(Line::Table(vec!["dimension", "score", "× weight", "= share", "lost", "how"], rows));
}

fn tell_issues(candidate: &CandidateStory, full: bool, lines: &mut Vec<Line>) {
    if candidate.overall.is_none() {
        return;
    }
    if !candidate.issues_known {
        lines.push(Line::Part("Issues: not in the record".to_owned()));
    } else {
        let compared =
            candidate.base.is_some() && candidate.issues.iter().all(|i| i.standing != IssueChange::Only);
        let count = |standing| candidate.issues.iter().filter(|issue| issue.standing == standing).count();
        let title = match candidate.base {
            Some(base) if compared => format!(
                "Issues: {}; against candidate {base}: {} solved, {} remaining, {} new",
                candidate.issues.len(),
                candidate.solved.len(),
                count(IssueChange::Remains),
                count(IssueChange::New)
            ),
            _ => format!("Issues: {}", candidate.issues.len()),
        };
        lines.push(Line::Part(title));
    }
    let most = if full { usize::MAX } else { MOST_TOLD };
    for issue in candidate.issues.iter().take(most) {
        tell_issue(issue, candidate, lines);
    }
    more(candidate.issues.len(), most, "issue", lines);
    for issue in candidate.solved.iter().take(most) {
        let text = format!("solved: {} at {}", issue.code, place(&issue.path));
        lines.push(Line::Item(Tone::Good, text));
    }
    more(candidate.solved.len(), most, "solved issue", lines);
    if !candidate.other_losses.is_empty() {
        lines.push(Line::Part("Other losses".to_owned()));
        for other in candidate.other_losses.iter().take(most) {
            lines.push(Line::Item(
                Tone::Plain,
                format!("{}: {}", one_line(&other.why), cost_words(&other.cost)),
            ));
        }
        more(candidate.other_losses.len(), most, "loss", lines);
    }
}

fn tell_issue(issue: &IssueStory, candidate: &CandidateStory, lines: &mut Vec<Line>) {
    let standing = match issue.standing {
        IssueChange::Only => "",
        IssueChange::Remains => "remains: ",
        IssueChange::New => "new: ",
    };
    let whose = match issue.disposition {
        Disposition::Correct => "",
        Disposition::Escalate => ", escalate",
        Disposition::Warn => ", warn",
    };
    let rule = issue.rule.as_ref().map_or_else(String::new, |rule| format!(" (rule `{rule}`)"));
    let pages = pages_in_words(&issue.places).map_or_else(String::new, |pages| format!(", {pages}"));
    let head = format!(
        "{standing}{}{whose} {} at {}{rule}{pages}",
        issue.severity.as_str(),
        issue.code,
        place(&issue.path)
    );
    let tone = if issue.standing == IssueChange::New { Tone::Bad } else { Tone::Warn };
    lines.push(Line::Item(tone, head));
    lines.push(Line::Under(Tone::Plain, beginning(&one_line(&issue.message), 400)));
    let known = candidate.dimensions.iter().any(|one| !one.how.is_empty());
    let cost = if issue.costs.is_empty() {
        no_cost(issue, candidate, known).to_owned()
    } else {
        issue.costs.iter().map(cost_words).collect::<Vec<_>>().join("; ")
    };
    lines.push(Line::Under(Tone::Faint, cost));
}

/// The text for an issue without a cost.
fn no_cost(issue: &IssueStory, candidate: &CandidateStory, known: bool) -> &'static str {
    let from = |who: &str| candidate.other_losses.iter().any(|other| other.why.starts_with(who));
    if !known {
        "what it costs is not recorded"
    } else if issue.rule.is_none() && (from("judge") || from("validator")) {
        "costs no points by itself (the scores that judges and validators gave are listed below)"
    } else {
        "costs no points"
    }
}

/// `−0.100 validity, −0.015 overall`.
fn cost_words(cost: &Cost) -> String {
    let overall = match cost.overall {
        Some(overall) => format!(", {} overall", lost(overall)),
        None => String::new(),
    };
    let capped = if cost.capped > 5e-10 {
        format!(" (the floor absorbs {} more)", lost(cost.capped).replace('−', ""))
    } else {
        String::new()
    };
    format!("{} {}{overall}{capped}", lost(cost.points), cost.dimension)
}

fn more(count: usize, most: usize, what: &str, lines: &mut Vec<Line>) {
    let rest = count.saturating_sub(most);
    if rest > 0 {
        let what = counted(rest, what);
        lines.push(Line::Item(Tone::Faint, format!("and {what} more (`--full` lists all)")));
    }
}

fn tell_changes(candidate: &CandidateStory, full: bool, lines: &mut Vec<Line>) {
    let Some(base) = candidate.base else { return };
    let Some(changes) = &candidate.changes else {
        if candidate.overall.is_some() {
            lines.push(Line::Part(format!("What changed against candidate {base}: not in the record")));
        }
        return;
    };
    if changes.is_empty() {
        lines.push(Line::Part(format!("What changed against candidate {base}: nothing")));
        return;
    }
    lines.push(Line::Part(format!("What changed against candidate {base}")));
    let limit = if full { usize::MAX } else { LONGEST_VALUE };
    let told = change_words(changes, limit);
    let most = if full { usize::MAX } else { MOST_TOLD };
    let count = told.len();
    lines.extend(told.into_iter().take(most).map(|(tone, text)| Line::Item(tone, text)));
    more(count, most, "change", lines);
}

/// Each change in words. A value that was taken out of a list and put in again elsewhere has moved.
fn change_words(changes: &[Change], limit: usize) -> Vec<(Tone, String)> {
    let parent = |path: &str| path.rsplit_once('/').map(|(parent, _)| parent.to_owned());
    let mut moved_to: Vec<Option<usize>> = vec![None; changes.len()];
    let mut taken = vec![false; changes.len()];
    for (at, change) in changes.iter().enumerate() {
        let Change::Removed { path, old } = change else { continue };
        let target = changes.iter().enumerate().position(|(other, candidate)| {
            matches!(candidate, Change::Added { path: to, new } if new == old && parent(to) == parent(path))
                && !taken.get(other).copied().unwrap_or(true)
        });
        if let (Some(target), Some(place)) = (target, moved_to.get_mut(at)) {
            *place = Some(target);
            if let Some(taken) = taken.get_mut(target) {
                *taken = true;
            }
        }
    }
    let mut told = Vec::new();
    for (at, change) in changes.iter().enumerate() {
        match change {
            Change::Removed { path, old } => {
                let target = moved_to.get(at).copied().flatten().and_then(|target| changes.get(target));
                match target {
                    Some(to) => {
                        told.push((Tone::Plain, format!("moved {} to {}", place(path), place(to.path()))))
                    }
                    None => told.push((Tone::Bad, format!("removed {}: {}", place(path), shown(old, limit)))),
                }
            }
            Change::Added { .. } if taken.get(at).copied().unwrap_or(false) => {}
            Change::Added { path, new } => {
                told.push((Tone::Good, format!("added {}: {}", place(path), shown(new, limit))));
            }
            Change::Changed { path, old, new } => {
                told.push((Tone::Plain, format!("changed {}: {}", place(path), from_to(old, new, limit))));
            }
        }
    }
    told
}

/// `old → new`; of two long texts only the difference.
fn from_to(old: &Value, new: &Value, limit: usize) -> String {
    if let (Value::String(before), Value::String(after)) = (old, new)
        && before.chars().count().max(after.chars().count()) > limit.min(LONGEST_VALUE) / 2
    {
        let (head, tail) = changed_part(before, after);
        if head + tail > 2 * CONTEXT {
            let part = |text: &str| {
                let chars: Vec<char> = text.chars().collect();
                let (from, to) =
                    (head.saturating_sub(CONTEXT), (chars.len() - tail + CONTEXT).min(chars.len()));
                let middle: String = chars.get(from..to).unwrap_or_default().iter().collect();
                let (before, after) =
                    (if from > 0 { "…" } else { "" }, if to < chars.len() { "…" } else { "" });
                format!("\"{before}{}{after}\"", beginning(&one_line(&middle), limit))
            };
            return format!("{} → {}", part(before), part(after));
        }
    }
    format!("{} → {}", shown(old, limit), shown(new, limit))
}

/// Feedback without the earlier answer, which is a candidate shown above, and without the lines beyond a limit.
fn folded(text: &str, full: bool) -> Vec<String> {
    if full {
        return text.lines().map(str::to_owned).collect();
    }
    let mut told: Vec<String> = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let closing = match line.trim() {
            "{" => "}",
            "[" => "]",
            _ => {
                // One blank line is as good as several.
                if !(line.trim().is_empty() && told.last().is_none_or(|last| last.trim().is_empty())) {
                    told.push(line.to_owned());
                }
                continue;
            }
        };
        let mut count = 1;
        for inner in lines.by_ref() {
            count += 1;
            if inner == closing {
                break;
            }
        }
        told.push(format!("[{count} lines of JSON: the earlier answer; `--full` shows them]"));
    }
    let rest = told.len().saturating_sub(MOST_FEEDBACK);
    if rest > 1 {
        told.truncate(MOST_FEEDBACK);
        told.push(format!("[{rest} more lines; `--full` shows them]"));
    }
    told
}

fn tell_choice(story: &Story, lines: &mut Vec<Line>) {
    let Some(chosen) = &story.chosen else {
        if story.ended.is_none() {
            return;
        }
        lines.push(Line::Heading("Why no candidate was chosen".to_owned()));
        lines.push(Line::Item(Tone::Plain, "There was none.".to_owned()));
        return;
    };
    lines.push(Line::Heading(format!("Why candidate {} was chosen", chosen.iteration)));
    lines.extend(chosen.why.iter().map(|why| Line::Item(Tone::Plain, sentence(why))));
    if chosen.candidates.len() > 1 {
        let keys = list(&names(&chosen.order), "and");
        lines.push(Line::Item(Tone::Faint, format!("Compared by {keys}, from left to right:")));
        for ranked in &chosen.candidates {
            let values = chosen.order.iter().enumerate().map(|(at, key)| {
                let value = key_value(key, ranked.values.get(at).copied().flatten());
                format!("{key} {value}")
            });
            let mark = if ranked.iteration == chosen.iteration { " ← chosen" } else { "" };
            let text =
                format!("candidate {}: {}{mark}", ranked.iteration, values.collect::<Vec<_>>().join(", "));
            lines.push(Line::Under(Tone::Plain, text));
        }
    }
}
