//! Policies side by side.

use super::paint::Paint;
use crate::experiment::Tally;
use crate::policy::FinalStatus;
use crate::value::sanitize_line;
use std::fmt::Write;

/// A table with one column for each policy: how its documents ended, their costs and values. Numbers are under their
/// policy's name; a dash means that there is nothing to take a mean of.
#[must_use]
pub fn comparison(policies: &[(String, Tally)], paint: Paint) -> String {
    let column = |value: &dyn Fn(&Tally) -> String| -> Vec<String> {
        policies.iter().map(|(_, tally)| value(tally)).collect()
    };
    let shown = |value: Option<f64>, decimals: usize| {
        value.map_or_else(|| "–".to_owned(), |value| format!("{value:.decimals$}"))
    };
    let mut rows = vec![
        ("documents".to_owned(), column(&|tally| tally.documents().to_string())),
        ("reached acceptance, %".to_owned(), column(&|t| shown(t.share_accepted().map(|s| s * 100.0), 1))),
        ("mean overall of the selected".to_owned(), column(&|t| shown(t.mean_overall(), 4))),
        ("mean iterations".to_owned(), column(&|t| shown(t.mean_iterations(), 2))),
        ("mean cost, USD".to_owned(), column(&|t| shown(t.mean_cost_usd(), 6))),
    ];
    let endings: usize = rows.len();
    for (status, reason) in all_endings(policies) {
        let count = |tally: &Tally| {
            let found = tally.endings().find(|(s, r, _)| (*s, *r) == (status, reason.as_str()));
            found.map_or_else(|| "–".to_owned(), |(_, _, count)| count.to_string())
        };
        rows.push((format!("{status} / {}", sanitize_line(&reason)), column(&count)));
    }
    let names: Vec<String> = policies.iter().map(|(name, _)| sanitize_line(name)).collect();
    let label_width = rows.iter().map(|(label, _)| width(label)).max().unwrap_or(0);
    let widths: Vec<usize> = names
        .iter()
        .enumerate()
        .map(|(at, name)| {
            let cells = rows.iter().filter_map(|(_, cells)| cells.get(at)).map(|cell| width(cell));
            cells.max().unwrap_or(0).max(width(name))
        })
        .collect();
    let mut out = String::new();
    let mut line = |label: &str, cells: &[String], bold: bool| {
        let _ = write!(out, "{label:<label_width$}");
        for (cell, width) in cells.iter().zip(&widths) {
            let padded = format!("{cell:>width$}");
            let _ = write!(out, "   {}", if bold { paint.strong(&padded) } else { padded });
        }
        out.push('\n');
    };
    line("", &names, true);
    for (at, (label, cells)) in rows.iter().enumerate() {
        if at == endings {
            line("", &[], false);
        }
        line(label, cells, false);
    }
    out.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}

fn width(text: &str) -> usize {
    text.chars().count()
}

/// Every ending that some policy has, in the order of [`Tally::endings`].
fn all_endings(policies: &[(String, Tally)]) -> Vec<(FinalStatus, String)> {
    let place = |status: FinalStatus| FinalStatus::ALL.iter().position(|known| *known == status);
    let mut endings: Vec<(FinalStatus, String)> = policies
        .iter()
        .flat_map(|(_, tally)| tally.endings().map(|(status, reason, _)| (status, reason.to_owned())))
        .collect();
    endings.sort_by(|a, b| (place(a.0), &a.1).cmp(&(place(b.0), &b.1)));
    endings.dedup();
    endings
}
