//! Policies side by side.

use super::figures::fixed;
use super::model::{Block, Row, Table, figure, lines, word};
use super::paint::Paint;
use crate::experiment::Tally;
use crate::policy::FinalStatus;

/// A table with one column for each policy: how its documents ended, their costs and values. Numbers are under their
/// policy's name; a dash means that there is nothing to take a mean of.
#[must_use]
pub fn comparison(policies: &[(String, Tally)], paint: Paint) -> String {
    let row = |label: String, value: &dyn Fn(&Tally) -> String| {
        let cells = policies.iter().map(|(_, tally)| value(tally));
        Row::from(std::iter::once(label).chain(cells).collect::<Vec<_>>())
    };
    let mut rows = vec![
        row("documents".to_owned(), &|tally| tally.documents().to_string()),
        row("reached acceptance, %".to_owned(), &|tally| {
            fixed(tally.share_accepted().map(|share| share * 100.0), 1)
        }),
        row("mean overall of the selected".to_owned(), &|tally| fixed(tally.mean_overall(), 4)),
        row("mean iterations".to_owned(), &|tally| fixed(tally.mean_iterations(), 2)),
        row("mean cost, USD".to_owned(), &|tally| fixed(tally.mean_cost_usd(), 6)),
        // Between the means and the counts.
        Row::from(vec![String::new()]),
    ];
    rows.extend(all_endings(policies).into_iter().map(|(status, reason)| {
        row(format!("{status} / {reason}"), &|tally| {
            let found = tally.endings().find(|(s, r, _)| (*s, *r) == (status, reason.as_str()));
            found.map_or_else(|| "–".to_owned(), |(_, _, count)| count.to_string())
        })
    }));
    let names = policies.iter().map(|(name, _)| figure(name));
    let columns = std::iter::once(word("")).chain(names).collect();
    lines(&[Block::Table(Table::new("Policies side by side", columns, rows))], paint)
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
