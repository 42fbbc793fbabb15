//! Policies side by side.

use super::figures::fixed;
use super::paint::Paint;
use crate::experiment::Tally;
use crate::policy::FinalStatus;
use crate::value::prose::padded;
use crate::value::sanitize_line;
use std::fmt::Write;

/// A table with one column for each policy: how its documents ended, their costs and values. Numbers are under their
/// policy's name; a dash means that there is nothing to take a mean of.
#[must_use]
pub fn comparison(policies: &[(String, Tally)], paint: Paint) -> String {
    let column = |value: &dyn Fn(&Tally) -> String| -> Vec<String> {
        policies.iter().map(|(_, tally)| value(tally)).collect()
    };
    let mut rows = vec![
        ("documents".to_owned(), column(&|tally| tally.documents().to_string())),
        ("reached acceptance, %".to_owned(), column(&|t| fixed(t.share_accepted().map(|s| s * 100.0), 1))),
        ("mean overall of the selected".to_owned(), column(&|t| fixed(t.mean_overall(), 4))),
        ("mean iterations".to_owned(), column(&|t| fixed(t.mean_iterations(), 2))),
        ("mean cost, USD".to_owned(), column(&|t| fixed(t.mean_cost_usd(), 6))),
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
    let rows = rows.into_iter().map(|(label, cells)| [vec![label], cells].concat());
    let all: Vec<Vec<String>> = std::iter::once([vec![String::new()], names].concat()).chain(rows).collect();
    let numbers: Vec<bool> = (0..=policies.len()).map(|column| column > 0).collect();
    let mut out = String::new();
    for (at, cells) in padded(&all, &numbers).into_iter().enumerate() {
        if at == endings + 1 {
            out.push('\n');
        }
        let bold = |(column, cell): (usize, String)| {
            if at == 0 && column > 0 { paint.strong(&cell) } else { cell }
        };
        let cells: Vec<String> = cells.into_iter().enumerate().map(bold).collect();
        let _ = writeln!(out, "{}", cells.join("   ").trim_end());
    }
    out
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
