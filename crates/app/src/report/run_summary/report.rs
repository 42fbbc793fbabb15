//! The summary of a run as a report.

use super::histogram::SCORE_BINS;
use super::look_at::{LookAt, LookAtIssue};
use super::tables::{largest_types, severity_tone, tables};
use super::{RunSummary, TypeSummary};
use crate::experiment::statistics::real;
use crate::policy::FinalStatus;
use crate::report::figures::{dollars, duration, percent, spelled_money, thousands};
use crate::report::model::{
    Block, Fact, Histogram, Item, List, Parts, Piece, Plot, Report, Row, Table, Tile, Tone, facts, figures,
    tile, words,
};
use crate::report::page::{Tick, tenths};
use crate::value::{Millis, page_numbers_in_words, prose};
use std::cmp::Reverse;

/// The plot of scores, in units of its own.
const LEFT: f64 = 52.0;
const TOP: f64 = 26.0;
const WIDTH: f64 = 580.0;
const HEIGHT: f64 = 150.0;

/// The report.
pub(in crate::report) fn report(summary: &RunSummary, title: &str) -> Report {
    let mut blocks = vec![Block::Tiles(tiles(summary))];
    blocks.extend(status(summary));
    if !summary.look_at().is_empty() {
        blocks.push(Block::Section("Look at these first".to_owned()));
        blocks.push(Block::List(List::of(summary.look_at().iter().map(item))));
    }
    blocks.extend(histograms(summary));
    blocks.extend(tables(summary));
    Report { title: title.to_owned(), facts: about(summary), blocks }
}

fn about(summary: &RunSummary) -> Vec<Fact> {
    let run = summary.run();
    facts([
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
    let (mut money, mut spent) = ("–".to_owned(), Vec::new());
    if let Some(whole) = spelled_money(usage) {
        // `$3.34` is before its note.
        let known = dollars(usage.known_cost_usd.get());
        let (of_calls, is_known) = match whole.strip_prefix(&known) {
            Some(rest) => (rest.trim_start_matches([',', ' ']), true),
            None => (whole.trim_start_matches("cost unknown, "), false),
        };
        money = if is_known { known } else { "unknown".to_owned() };
        spent = vec![of_calls.to_owned(), prose::count(usage.tokens, "token")];
    }
    spent.extend(summary.cached_calls());
    // Nothing of a kind is no news.
    let counted = |name, count: u64, note: String, tone| {
        tile(name, thousands(count), note, if count > 0 { tone } else { Tone::Plain })
    };
    let reviews = match summary.needs_review_passed {
        0 => percent(summary.needs_review(), done),
        passed => format!("{}, {} of them passed", percent(summary.needs_review(), done), thousands(passed)),
    };
    let mut tiles = vec![
        counted("Done", done, summary.outstanding().join(", "), Tone::Plain),
        counted("Passed", summary.passed(), percent(summary.passed(), done), Tone::Good),
        counted("Needs review", summary.needs_review(), reviews, Tone::Warn),
        counted("Failed or given up", failed, percent(failed, done), Tone::Bad),
        tile("Cost", money, spent.join(", "), Tone::Plain),
    ];
    if let Some(half) = summary.time.under(0.5) {
        let most = summary.time.under(0.95);
        let most = most.map_or_else(String::new, |most| format!(", 95 % under {}", duration(most)));
        let note = format!("half of them{most}; longest {}", duration(Millis(summary.longest_ms)));
        tiles.push(tile("Time per document", format!("< {}", duration(half)), note, Tone::Plain));
    }
    tiles
}

/// One bar of all documents; nothing without any.
fn status(summary: &RunSummary) -> Vec<Block> {
    let counts = [
        ("Passed", "passed", summary.passed()),
        ("Not passed", "not-passed", summary.not_passed()),
        ("Failed", "failed", summary.failed()),
        ("Given up", "given-up", summary.given_up()),
        ("Stopped", "stopped", summary.with_status(FinalStatus::Cancelled)),
        ("Waiting", "waiting", summary.waiting),
        ("Not readable", "unreadable", summary.unreadable),
    ];
    let whole: u64 = counts.iter().map(|(.., count)| count).sum();
    let row = |(name, class, count): (&str, _, _)| {
        Row::from(vec![name.to_owned(), thousands(count), percent(count, whole)]).swatch(class)
    };
    let rows: Vec<Row> = counts.into_iter().filter(|(.., count)| *count > 0).map(row).collect();
    if rows.is_empty() {
        return Vec::new();
    }
    let columns = [words("Status=status"), figures("Documents=documents | Share=share")].concat();
    vec![
        Block::Section("Documents".to_owned()),
        Block::Plot(Plot::Parts(Parts::of_documents(counts))),
        Block::Table(Table::new("Documents by status", columns, rows)),
    ]
}

fn item(document: &LookAt) -> Item {
    let mut text = vec![Piece::Words(format!(": {}", document.why.as_str()))];
    text.extend(document.overall().map(|overall| Piece::Words(format!(", overall {overall:.3}"))));
    if let Some(document_type) = &document.document_type {
        text.extend([Piece::Words(" (".to_owned()), Piece::Outside(document_type.clone())]);
        if let Some(status) = &document.final_status {
            let reason = document.stop_reason.as_deref().unwrap_or_default();
            text.extend([Piece::Words("; ".to_owned()), Piece::Outside(format!("{status} / {reason}"))]);
        }
        text.push(Piece::Words(")".to_owned()));
    }
    if let Some(reason) = &document.reason {
        text.extend([Piece::Words(": ".to_owned()), Piece::Outside(reason.clone())]);
    }
    let issue = |issue: &LookAtIssue| {
        let severity = Piece::Toned(severity_tone(issue.severity), issue.severity.as_str().to_owned());
        let mut text = vec![Piece::Words(" ".to_owned()), severity];
        if !issue.path.is_empty() {
            text.extend([Piece::Words(" at ".to_owned()), Piece::Outside(issue.path.clone())]);
        }
        if let Some(pages) = page_numbers_in_words(&issue.pages) {
            text.push(Piece::Words(format!(", {pages}")));
        }
        if let Some(message) = &issue.message {
            text.extend([Piece::Words(": ".to_owned()), Piece::Outside(message.clone())]);
        }
        Item::new(&issue.code, text, Vec::new())
    };
    let more = (document.more_issues > 0).then(|| {
        let more = format!("and {} more", document.more_issues);
        Item::new("", vec![Piece::Words(more)], Vec::new())
    });
    Item::new(&document.id, text, document.issues.iter().map(issue).chain(more).collect())
}

fn histograms(summary: &RunSummary) -> Vec<Block> {
    let bound = summary.run().accept_overall;
    let scored = largest_types(summary).filter(|(_, of)| of.scores.0.iter().sum::<u64>() > 0);
    let mut blocks = Vec::new();
    for (name, of) in scored {
        if blocks.is_empty() {
            blocks.push(Block::Section("Overall scores".to_owned()));
        }
        blocks.push(Block::Group(name.clone()));
        blocks.push(Block::Plot(Plot::Histogram(histogram(name, of, bound))));
        blocks.push(Block::Table(scores(name, of)));
    }
    blocks
}

/// The bins of a type that have documents, with their ends and their counts.
fn used(of: &TypeSummary) -> impl Iterator<Item = (u32, (f64, f64), u64)> {
    let ends = |at: u32| (f64::from(at) / 20.0, f64::from(at + 1) / 20.0);
    let bins = (0_u32..).zip(&of.scores.0).filter(|(_, count)| **count > 0);
    bins.map(move |(at, count)| (at, ends(at), *count))
}

/// The scores of a type, as a table below its plot.
fn scores(name: &str, of: &TypeSummary) -> Table {
    let all: u64 = of.scores.0.iter().sum();
    let rows = used(of).map(|(_, (from, to), count)| {
        Row::from(vec![format!("{from:.2} – {to:.2}"), thousands(count), percent(count, all)])
    });
    let columns = [words("Overall"), figures("Documents | Share")].concat();
    Table::new(format!("Overall scores of {name}"), columns, rows.collect()).folded()
}

/// The scores of a type, against the bound of the profile.
fn histogram(name: &str, of: &TypeSummary, bound: Option<f64>) -> Histogram {
    let bins = &of.scores.0;
    let all: u64 = bins.iter().sum();
    let top = round_up(bins.iter().copied().max().unwrap_or_default());
    let step = WIDTH / real(SCORE_BINS as u64);
    let height = |count: u64| real(count) / real(top) * HEIGHT;
    let bars = used(of).map(|(at, _, count)| {
        let height = height(count).max(1.0);
        let (x, y) = (LEFT + f64::from(at) * step + 1.0, TOP + HEIGHT - height);
        [tenths(x), tenths(y), tenths(step - 2.0), tenths(height)]
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
    let mut caption = format!("{} with a score, mean {mean:.3}", prose::count(all, "document"));
    if let Some(bound) = bound {
        caption = format!("{caption}; the profile asks for {bound}");
    }
    let most = used(of).max_by_key(|(at, _, count)| (*count, Reverse(*at)));
    let alt = most.map_or_else(String::new, |(_, (from, to), count)| {
        format!(
            "Overall scores of {name}: {caption}. Most, {}, are from {from:.2} to {to:.2}.",
            thousands(count)
        )
    });
    let position = |bound: f64| tenths(LEFT + bound.clamp(0.0, 1.0) * WIDTH);
    Histogram {
        alt,
        caption,
        bars: bars.collect(),
        lines,
        ticks: (0..=10).step_by(2).map(tick).collect(),
        bound: bound.map(|bound| (position(bound), bound > 0.5, format!("asked for: {bound}"))),
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
