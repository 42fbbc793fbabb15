//! What stands on the page of a summary: words, numbers and the geometry of its plots, all computed here, so that the
//! template only puts them in their places.

use super::figures::{dollars, documents, duration, percent, share, spelled_money, thousands};
use super::fields::Fill;
use super::histogram::SCORE_BINS;
use super::look_at::LookAt;
use super::{RunSummary, TypeSummary};
use crate::policy::FinalStatus;
use crate::value::{Millis, Severity};
use serde::Serialize;
use std::cmp::Reverse;

/// Most rows of each table; what is left out is said.
const MOST_TYPES: usize = 12;
const MOST_ENDINGS: usize = 40;
const MOST_ISSUES: usize = 60;
const MOST_FIELDS: usize = 60;

/// The page.
#[derive(Debug, Serialize)]
pub(super) struct Page<'s> {
    title: &'s str,
    labels: Labels,
    facts: Vec<Fact>,
    tiles: Vec<Tile>,
    status: StatusBar,
    look_at: Vec<Document<'s>>,
    histograms: Vec<Histogram>,
    tables: Vec<Table>,
}

/// Words that stand in several places.
#[derive(Debug, Clone, Copy, Serialize)]
pub(super) struct Labels {
    documents: &'static str,
    share: &'static str,
}

impl Default for Labels {
    fn default() -> Self {
        Labels { documents: "Documents", share: "Share" }
    }
}

#[derive(Debug, Serialize)]
struct Fact {
    name: &'static str,
    value: String,
}

#[derive(Debug, Serialize)]
struct Tile {
    name: &'static str,
    value: String,
    note: String,
    class: &'static str,
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
    /// Told apart from the others of the page.
    number: usize,
    name: String,
    note: String,
    alt: String,
    bars: Vec<Bar>,
    lines: Vec<GridLine>,
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
struct GridLine {
    y: f64,
    label: String,
}

#[derive(Debug, Serialize)]
struct Tick {
    x: f64,
    label: String,
}

#[derive(Debug, Serialize)]
struct Bound {
    x: f64,
    label: String,
    anchor: &'static str,
    label_x: f64,
}

/// A table, with a bar in each row where there is something to compare.
#[derive(Debug, Serialize)]
struct Table {
    heading: String,
    note: String,
    caption: String,
    /// What the bars say, for the head of their column; empty without bars.
    bars: &'static str,
    columns: Vec<Column>,
    rows: Vec<Row>,
    more: usize,
}

#[derive(Debug, Serialize)]
struct Column {
    name: &'static str,
    class: &'static str,
}

#[derive(Debug, Serialize)]
struct Row {
    cells: Vec<String>,
    /// The length of the bar, of 100.
    bar: f64,
    class: &'static str,
}

/// The plot of scores, in units of its own.
const LEFT: f64 = 52.0;
const TOP: f64 = 26.0;
const WIDTH: f64 = 580.0;
const HEIGHT: f64 = 150.0;

fn number(count: u64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "drawn in pixels")]
    let number = count as f64;
    number
}

/// A length with one decimal: pages stay short, and the same on every machine.
fn tenths(length: f64) -> f64 {
    (length * 10.0).round() / 10.0
}

fn column(name: &'static str) -> Column {
    Column { name, class: "" }
}

fn figure(name: &'static str) -> Column {
    Column { name, class: "number" }
}

impl<'s> Page<'s> {
    /// What stands on the page of a summary.
    pub(super) fn of(summary: &'s RunSummary, title: &'s str, labels: Labels) -> Self {
        let mut tables = vec![iterations(summary), issues(summary)];
        tables.extend(field_tables(summary));
        tables.extend([types(summary), endings(summary), errors(summary)]);
        tables.retain(|table| !table.rows.is_empty());
        Page {
            title,
            labels,
            facts: facts(summary),
            tiles: tiles(summary),
            status: status(summary),
            look_at: summary.look_at().iter().map(Document::of).collect(),
            histograms: histograms(summary),
            tables,
        }
    }
}

fn facts(summary: &RunSummary) -> Vec<Fact> {
    let run = summary.run();
    let mut facts = Vec::new();
    let mut fact = |name, value: &str| {
        if !value.is_empty() {
            facts.push(Fact { name, value: value.to_owned() });
        }
    };
    fact("Profile", &run.profile);
    fact("Run", &run.id);
    fact("Started", run.started_at.as_deref().unwrap_or_default());
    fact("Finished", run.finished_at.as_deref().unwrap_or_default());
    if let Some(elapsed) = run.elapsed() {
        fact("Took", &duration(elapsed));
    }
    fact("loopctl", &run.loopctl_version);
    facts
}

fn tiles(summary: &RunSummary) -> Vec<Tile> {
    let done = summary.done();
    let tile = |name, value, note, class| Tile { name, value, note, class };
    let outstanding = [
        (summary.waiting, "waiting"),
        (summary.not_tried, "not tried"),
        (summary.unreadable, "not readable"),
    ];
    let outstanding: Vec<String> = (outstanding.iter().filter(|(count, _)| *count > 0))
        .map(|(count, word)| format!("{} {word}", thousands(*count)))
        .collect();
    let failed = summary.failed() + summary.given_up();
    let usage = summary.usage();
    let whole = spelled_money(usage).unwrap_or_default();
    // `$3.34` stands above what is to be said of it.
    let (money, of_calls) = match usage.calls {
        0 => ("–".to_owned(), whole),
        calls if usage.calls_of_unknown_cost >= calls => ("unknown".to_owned(), whole),
        _ => {
            let money = dollars(usage.known_cost_usd.get());
            let rest = whole.strip_prefix(&money).unwrap_or(&whole);
            (money, rest.trim_start_matches([',', ' ']).to_owned())
        }
    };
    let mut spent = vec![of_calls, format!("{} tokens", thousands(usage.tokens))];
    if summary.spent.cached_calls > 0 {
        spent.push(format!("{} calls from the cache", thousands(summary.spent.cached_calls)));
    }
    spent.retain(|part| !part.is_empty());
    let mut tiles = vec![
        tile("Done", thousands(done), outstanding.join(", "), ""),
        tile("Passed", thousands(summary.passed()), percent(summary.passed(), done), "passed"),
        tile(
            "Needs review",
            thousands(summary.needs_review()),
            match summary.needs_review_passed {
                0 => percent(summary.needs_review(), done),
                passed => {
                    format!("{}, {} of them passed", percent(summary.needs_review(), done), thousands(passed))
                }
            },
            "review",
        ),
        tile("Failed or given up", thousands(failed), percent(failed, done), "failed"),
        tile("Cost", money, spent.join(", "), ""),
    ];
    if let Some(half) = summary.time.under(0.5) {
        let longest = format!("half of them; longest {}", duration(Millis(summary.longest_ms)));
        tiles.push(tile("Time of a document", format!("under {}", duration(half)), longest, ""));
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
    // What is there is seen, however little it is.
    let length = |count: u64| (number(count) / number(whole.max(1)) * 1_000.0).max(4.0);
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
    StatusBar { alt: format!("Of {}: {}", documents(whole), said.join(", ")), parts }
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

/// The largest types, by how many documents they have.
fn largest_types(summary: &RunSummary) -> Vec<(&String, &TypeSummary)> {
    let mut types: Vec<_> = summary.types.kept.iter().collect();
    types.sort_by_key(|(name, of)| (Reverse(of.documents), *name));
    types.truncate(MOST_TYPES);
    types
}

fn histograms(summary: &RunSummary) -> Vec<Histogram> {
    let bound = summary.run().accept_overall;
    let scored = largest_types(summary).into_iter().filter(|(_, of)| of.scores.0.iter().sum::<u64>() > 0);
    scored.enumerate().map(|(number, (name, of))| Histogram::of(number, name, of, bound)).collect()
}

impl Histogram {
    fn of(number_of: usize, name: &str, of: &TypeSummary, bound: Option<f64>) -> Self {
        let bins = &of.scores.0;
        let all: u64 = bins.iter().sum();
        let top = round_up(bins.iter().copied().max().unwrap_or_default());
        let step = WIDTH / number(SCORE_BINS as u64);
        let height = |count: u64| number(count) / number(top) * HEIGHT;
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
        let mut lines: Vec<GridLine> = lines
            .map(|count| GridLine { y: tenths(TOP + HEIGHT - height(count)), label: thousands(count) })
            .collect();
        lines.dedup_by(|a, b| a.label == b.label);
        let tick = |tenth: u32| {
            let at = f64::from(tenth) / 10.0;
            Tick { x: tenths(LEFT + at * WIDTH), label: format!("{at}") }
        };
        let mean = of.mean_overall().unwrap_or_default();
        let mut note = format!("{} with a score, mean {mean:.3}", documents(all));
        if let Some(bound) = bound {
            note = format!("{note}; `accept` asks for {bound}");
        }
        let most = (0_u32..).zip(bins).max_by_key(|(at, count)| (**count, Reverse(*at)));
        let alt = most.map_or_else(String::new, |(at, count)| {
            let (from, to) = ends(at);
            format!("Overall scores of {name}: {note}. Most, {}, are from {from:.2} to {to:.2}.", thousands(*count))
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
                label: format!("accept ≥ {bound}"),
                anchor: if bound > 0.5 { "end" } else { "start" },
                label_x: tenths(LEFT + bound.clamp(0.0, 1.0) * WIDTH + if bound > 0.5 { -4.0 } else { 4.0 }),
            }),
            rows: rows.collect(),
        }
    }
}

/// The next number that is easy to read: 1, 2, 4, 5, 6, 8, 10, 20, …; halves of all but 1 and 5 are whole.
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

fn iterations(summary: &RunSummary) -> Table {
    let most = summary.iterations.0.iter().copied().max().unwrap_or_default();
    let rows = summary.iterations.lines().map(|(name, count)| Row {
        bar: of_100(count, most),
        cells: vec![name, thousands(count), percent(count, summary.done())],
        class: "",
    });
    Table {
        heading: "Iterations".to_owned(),
        note: String::new(),
        caption: "Documents by how many candidates were assessed".to_owned(),
        bars: "Documents, as bars",
        columns: vec![figure("Iterations"), figure("Documents"), figure("Share")],
        rows: rows.collect(),
        more: 0,
    }
}

fn issues(summary: &RunSummary) -> Table {
    let wrong = summary.issues.kept.iter().filter(|((severity, _), _)| severity.0 != Severity::Info);
    let mut issues: Vec<_> = wrong.collect();
    issues.sort_by_key(|((severity, code), of)| (*severity, Reverse(of.documents), code));
    let most = issues.iter().map(|(_, of)| of.documents).max().unwrap_or_default();
    let rows = issues.iter().take(MOST_ISSUES).map(|((severity, code), of)| Row {
        bar: of_100(of.documents, most),
        cells: vec![
            code.clone(),
            severity.0.as_str().to_owned(),
            thousands(of.documents),
            percent(of.documents, summary.done()),
            thousands(of.count),
        ],
        class: severity.0.as_str(),
    });
    Table {
        heading: "Issues".to_owned(),
        note: "Of the candidates that were returned; `loopctl explain CODE` says what a code means.".to_owned(),
        caption: "Issues by code, the most severe first".to_owned(),
        bars: "Documents, as bars",
        columns: vec![
            column("Code"),
            column("Severity"),
            figure("Documents"),
            figure("Share"),
            figure("Issues"),
        ],
        rows: rows.collect(),
        more: issues.len().saturating_sub(MOST_ISSUES),
    }
}

fn field_tables(summary: &RunSummary) -> Vec<Table> {
    let types = largest_types(summary).into_iter().filter(|(_, of)| of.extracted > 0);
    types
        .map(|(name, of)| {
            let fields: Vec<(&String, &Fill)> = of.fields.kept.iter().collect();
            let rows = fields.iter().take(MOST_FIELDS).map(|(path, fill)| Row {
                bar: of_100(fill.filled, of.extracted),
                cells: vec![
                    (*path).clone(),
                    thousands(fill.filled),
                    percent(fill.filled, of.extracted),
                    thousands(fill.not_present),
                ],
                class: "",
            });
            Table {
                heading: format!("Fields: {name}"),
                note: format!("Of {} with an extraction.", documents(of.extracted)),
                caption: format!("How many extractions of {name} have a value in each field"),
                bars: "Filled, as bars",
                columns: vec![
                    column("Field"),
                    figure("Filled"),
                    figure("Share"),
                    figure("Said not to be in the document"),
                ],
                rows: rows.collect(),
                more: fields.len().saturating_sub(MOST_FIELDS),
            }
        })
        .collect()
}

fn types(summary: &RunSummary) -> Table {
    let rows = largest_types(summary).into_iter().map(|(name, of)| Row {
        bar: share(of.passed, of.documents).map_or(0.0, |share| tenths(share * 100.0)),
        cells: vec![
            name.clone(),
            thousands(of.documents),
            percent(of.passed, of.documents),
            thousands(of.needs_review),
            of.mean_overall().map_or_else(|| "–".to_owned(), |mean| format!("{mean:.3}")),
        ],
        class: "",
    });
    Table {
        heading: "Document types".to_owned(),
        note: String::new(),
        caption: "Documents by type".to_owned(),
        bars: "Passed, as bars",
        columns: vec![
            column("Type"),
            figure("Documents"),
            figure("Passed"),
            figure("Needs review"),
            figure("Mean overall"),
        ],
        rows: rows.collect(),
        more: summary.types.kept.len().saturating_sub(MOST_TYPES),
    }
}

fn endings(summary: &RunSummary) -> Table {
    let mut endings: Vec<_> = summary.endings.kept.iter().collect();
    endings.sort_by_key(|(ending, count)| (Reverse(**count), *ending));
    let most = endings.first().map(|(_, count)| **count).unwrap_or_default();
    let rows = endings.iter().take(MOST_ENDINGS).map(|((at, reason), count)| Row {
        bar: of_100(**count, most),
        cells: vec![
            FinalStatus::ALL.get(*at).map_or("", |status| status.as_str()).to_owned(),
            reason.clone(),
            thousands(**count),
            percent(**count, summary.done()),
        ],
        class: "",
    });
    Table {
        heading: "How documents ended".to_owned(),
        note: String::new(),
        caption: "Documents by final status and stop reason".to_owned(),
        bars: "Documents, as bars",
        columns: vec![column("Status"), column("Reason"), figure("Documents"), figure("Share")],
        rows: rows.collect(),
        more: endings.len().saturating_sub(MOST_ENDINGS),
    }
}

fn errors(summary: &RunSummary) -> Table {
    let mut errors: Vec<_> = summary.errors.kept.iter().collect();
    errors.sort_by_key(|(kind, count)| (Reverse(**count), *kind));
    let most = errors.first().map(|(_, count)| **count).unwrap_or_default();
    let rows = errors.iter().map(|(kind, count)| Row {
        bar: of_100(**count, most),
        cells: vec![(*kind).clone(), thousands(**count)],
        class: "critical",
    });
    Table {
        heading: "Errors".to_owned(),
        note: String::new(),
        caption: "Documents by kind of error".to_owned(),
        bars: "Documents, as bars",
        columns: vec![column("Kind"), figure("Documents")],
        rows: rows.collect(),
        more: 0,
    }
}

/// The length of a bar, of 100.
fn of_100(count: u64, most: u64) -> f64 {
    share(count, most).map_or(0.0, |share| tenths(share * 100.0))
}
