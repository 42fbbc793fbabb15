//! The contents of the page of a summary: words, numbers and the geometry of its plots, all computed here, so that the
//! template only lays them out.

use super::histogram::SCORE_BINS;
use super::look_at::LookAt;
use super::page_tables::{largest_types, tables};
use super::{RunSummary, TypeSummary};
use crate::experiment::statistics::real;
use crate::policy::FinalStatus;
use crate::report::figures::{dollars, duration, percent, spelled_money, thousands};
use crate::report::model::Tone;
use crate::report::page::{self, Fact, Table, Tick, Tile, tenths, tile};
use crate::value::Millis;
use crate::value::prose;
use serde::Serialize;
use std::cmp::Reverse;

/// The page.
#[derive(Debug, Serialize)]
pub(in crate::report) struct Page<'s> {
    title: &'s str,
    facts: Vec<Fact>,
    tiles: Vec<Tile>,
    status: StatusBar,
    look_at: Vec<Document<'s>>,
    histograms: Vec<Histogram>,
    tables: Vec<Table>,
}

/// One bar of all documents.
#[derive(Debug, Serialize)]
struct StatusBar {
    alt: String,
    parts: Vec<StatusPart>,
}

#[derive(Debug, Serialize)]
struct StatusPart {
    name: &'static str,
    class: &'static str,
    x: f64,
    width: f64,
    count: String,
    percent: String,
}

#[derive(Debug, Serialize)]
struct Document<'s> {
    id: &'s str,
    why: &'static str,
    ended: String,
    overall: String,
    document_type: &'s str,
    reason: &'s str,
    issues: Vec<DocumentIssue<'s>>,
    more_issues: u64,
}

#[derive(Debug, Serialize)]
struct DocumentIssue<'s> {
    severity: &'static str,
    code: &'s str,
    path: &'s str,
    message: &'s str,
}

/// Scores of a type, against the bound.
#[derive(Debug, Serialize)]
struct Histogram {
    /// Distinguishes it from the others of the page.
    number: usize,
    name: String,
    note: String,
    alt: String,
    bars: Vec<Bar>,
    lines: Vec<Tick>,
    ticks: Vec<Tick>,
    bound: Option<Bound>,
    rows: Vec<[String; 3]>,
}

#[derive(Debug, Serialize)]
struct Bar {
    x: f64,
    y: f64,
    width: f64,
    height: f64,
}

#[derive(Debug, Serialize)]
struct Bound {
    x: f64,
    label: String,
    anchor: &'static str,
    label_x: f64,
}

/// The plot of scores, in units of its own.
const LEFT: f64 = 52.0;
const TOP: f64 = 26.0;
const WIDTH: f64 = 580.0;
const HEIGHT: f64 = 150.0;

impl<'s> Page<'s> {
    /// The contents of the page of a summary.
    pub(in crate::report) fn of(summary: &'s RunSummary, title: &'s str) -> Self {
        Page {
            title,
            facts: facts(summary),
            tiles: tiles(summary),
            status: status(summary),
            look_at: summary.look_at().iter().map(Document::of).collect(),
            histograms: histograms(summary),
            tables: tables(summary),
        }
    }
}

fn facts(summary: &RunSummary) -> Vec<Fact> {
    let run = summary.run();
    page::facts([
        ("Profile", run.profile.clone()),
        ("Run", run.id.clone()),
        ("Started", run.started_at.clone().unwrap_or_default()),
        ("Finished", run.finished_at.clone().unwrap_or_default()),
        ("Took", run.elapsed().map(duration).unwrap_or_default()),
        ("loopctl", run.loopctl_version.clone()),
    ])
}

fn tiles(summary: &RunSummary) -> Vec<Tile> {
    let done = summary.done();
    let failed = summary.failed() + summary.given_up();
    let usage = summary.usage();
    let whole = spelled_money(usage).unwrap_or_default();
    // `$3.34` is above its note.
    let (money, of_calls) = match usage.calls {
        0 => ("–".to_owned(), whole),
        calls if usage.calls_of_unknown_cost >= calls => ("unknown".to_owned(), whole),
        _ => {
            let money = dollars(usage.known_cost_usd.get());
            let rest = whole.strip_prefix(&money).unwrap_or(&whole);
            (money, rest.trim_start_matches([',', ' ']).to_owned())
        }
    };
    let mut spent = vec![of_calls, prose::count(usage.tokens, "token")];
    spent.extend(summary.cached_calls());
    spent.retain(|part| !part.is_empty());
    let mut tiles = vec![
        tile("Done", thousands(done), summary.outstanding().join(", "), Tone::Plain),
        tile("Passed", thousands(summary.passed()), percent(summary.passed(), done), Tone::Good),
        tile(
            "Needs review",
            thousands(summary.needs_review()),
            match summary.needs_review_passed {
                0 => percent(summary.needs_review(), done),
                passed => {
                    format!("{}, {} of them passed", percent(summary.needs_review(), done), thousands(passed))
                }
            },
            Tone::Warn,
        ),
        tile("Failed or given up", thousands(failed), percent(failed, done), Tone::Bad),
        tile("Cost", money, spent.join(", "), Tone::Plain),
    ];
    if let Some(half) = summary.time.under(0.5) {
        let longest = format!("half of them; longest {}", duration(Millis(summary.longest_ms)));
        tiles.push(tile("Time per document", format!("< {}", duration(half)), longest, Tone::Plain));
    }
    tiles
}

fn status(summary: &RunSummary) -> StatusBar {
    let counts = [
        ("Passed", "passed", summary.passed()),
        ("Not passed", "not-passed", summary.not_passed()),
        ("Failed", "failed", summary.failed()),
        ("Given up", "given-up", summary.given_up()),
        ("Stopped", "stopped", summary.with_status(FinalStatus::Cancelled)),
        ("Waiting", "waiting", summary.waiting),
        ("Not tried", "waiting", summary.not_tried),
        ("Not readable", "unreadable", summary.unreadable),
    ];
    let counts: Vec<_> = counts.into_iter().filter(|(.., count)| *count > 0).collect();
    let whole: u64 = counts.iter().map(|(.., count)| count).sum();
    // Every part is visible, however small it is.
    let length = |count: u64| (real(count) / real(whole.max(1)) * 1_000.0).max(4.0);
    let sum: f64 = counts.iter().map(|(.., count)| length(*count)).sum();
    let mut x = 0.0;
    let mut parts = Vec::new();
    for (name, class, count) in counts {
        let width = length(count) / sum * 1_000.0;
        let part = StatusPart {
            name,
            class,
            x: tenths(x),
            width: tenths((width - 2.0).max(1.0)),
            count: thousands(count),
            percent: percent(count, whole),
        };
        x += width;
        parts.push(part);
    }
    let said: Vec<String> =
        parts.iter().map(|part| format!("{} {}", part.name.to_lowercase(), part.count)).collect();
    StatusBar { alt: format!("Of {}: {}", prose::count(whole, "document"), said.join(", ")), parts }
}

impl<'s> Document<'s> {
    fn of(document: &'s LookAt) -> Self {
        let status = document.final_status.as_deref().unwrap_or_default();
        let reason = document.stop_reason.as_deref().unwrap_or_default();
        Document {
            id: &document.id,
            why: document.why.as_str(),
            ended: if status.is_empty() { String::new() } else { format!("{status} / {reason}") },
            overall: document.overall().map_or_else(String::new, |overall| format!("{overall:.3}")),
            document_type: document.document_type.as_deref().unwrap_or_default(),
            reason: document.reason.as_deref().unwrap_or_default(),
            issues: (document.issues.iter())
                .map(|issue| DocumentIssue {
                    severity: issue.severity.as_str(),
                    code: &issue.code,
                    path: &issue.path,
                    message: issue.message.as_deref().unwrap_or_default(),
                })
                .collect(),
            more_issues: document.more_issues,
        }
    }
}

fn histograms(summary: &RunSummary) -> Vec<Histogram> {
    let bound = summary.run().accept_overall;
    let scored = largest_types(summary).filter(|(_, of)| of.scores.0.iter().sum::<u64>() > 0);
    scored.enumerate().map(|(number, (name, of))| Histogram::of(number, name, of, bound)).collect()
}

impl Histogram {
    fn of(number_of: usize, name: &str, of: &TypeSummary, bound: Option<f64>) -> Self {
        let bins = &of.scores.0;
        let all: u64 = bins.iter().sum();
        let top = round_up(bins.iter().copied().max().unwrap_or_default());
        let step = WIDTH / real(SCORE_BINS as u64);
        let height = |count: u64| real(count) / real(top) * HEIGHT;
        let bars = (0_u32..).zip(bins).filter(|(_, count)| **count > 0).map(|(at, count)| {
            let height = height(*count).max(1.0);
            Bar {
                x: tenths(LEFT + f64::from(at) * step + 1.0),
                y: tenths(TOP + HEIGHT - height),
                width: tenths(step - 2.0),
                height: tenths(height),
            }
        });
        let ends = |at: u32| (f64::from(at) / 20.0, f64::from(at + 1) / 20.0);
        let rows = (0_u32..).zip(bins).filter(|(_, count)| **count > 0).map(|(at, count)| {
            let (from, to) = ends(at);
            [format!("{from:.2} – {to:.2}"), thousands(*count), percent(*count, all)]
        });
        let lines = [0, top / 2, top].into_iter().filter(|count| *count == 0 || top > 1 || *count == top);
        let mut lines: Vec<Tick> = lines
            .map(|count| Tick { at: tenths(TOP + HEIGHT - height(count)), label: thousands(count) })
            .collect();
        lines.dedup_by(|a, b| a.label == b.label);
        let tick = |tenth: u32| {
            let at = f64::from(tenth) / 10.0;
            Tick { at: tenths(LEFT + at * WIDTH), label: format!("{at}") }
        };
        let mean = of.mean_overall().unwrap_or_default();
        let mut note = format!("{} with a score, mean {mean:.3}", prose::count(all, "document"));
        if let Some(bound) = bound {
            note = format!("{note}; the profile asks for {bound}");
        }
        let most = (0_u32..).zip(bins).max_by_key(|(at, count)| (**count, Reverse(*at)));
        let alt = most.map_or_else(String::new, |(at, count)| {
            let (from, to) = ends(at);
            format!(
                "Overall scores of {name}: {note}. Most, {}, are from {from:.2} to {to:.2}.",
                thousands(*count)
            )
        });
        Histogram {
            number: number_of,
            name: name.to_owned(),
            note,
            alt,
            bars: bars.collect(),
            lines,
            ticks: (0..=10).step_by(2).map(tick).collect(),
            bound: bound.map(|bound| Bound {
                x: tenths(LEFT + bound.clamp(0.0, 1.0) * WIDTH),
                label: format!("asked for: {bound}"),
                anchor: if bound > 0.5 { "end" } else { "start" },
                label_x: tenths(LEFT + bound.clamp(0.0, 1.0) * WIDTH + if bound > 0.5 { -4.0 } else { 4.0 }),
            }),
            rows: rows.collect(),
        }
    }
}

/// The next number that is easy to read, 1, 2, 4, 6, 8, 10, 20 …, so that its half is, too.
fn round_up(count: u64) -> u64 {
    let mut unit = 1_u64;
    loop {
        for step in [1, 2, 4, 6, 8] {
            let candidate = unit.saturating_mul(step);
            if candidate >= count {
                return candidate.max(1);
            }
        }
        unit = unit.saturating_mul(10);
    }
}
