//! A calibration of patterns by labelled values, on a terminal.

use super::words::share;
use crate::experiment::calibrate::{EvidenceCalibration, PatternTrust};
use crate::report::figures::{fixed, percent_of};
use crate::report::model::{Block, Row, Table, Tone, figures, lines, words};
use crate::report::paint::Paint;
use crate::value::prose::count;

/// The table of patterns, with the basis of each bound.
#[must_use]
pub fn evidence_text(found: &EvidenceCalibration, paint: Paint) -> String {
    let all = found.right.saturating_add(found.wrong);
    let sum = format!(
        "{} labelled: {} right, {} wrong ({}; `grounding.mistakes` assumes {})",
        count(all, "value"),
        found.right,
        found.wrong,
        percent_of(share(found.wrong, all)),
        percent_of(found.mistakes)
    );
    let mut blocks = vec![Block::Text(Tone::Plain, sum)];
    let without = found.without_pattern;
    if without > 0 {
        let have = if without == 1 { "has" } else { "have" };
        let told = format!("{without} of them {have} a passage without a pattern, or none");
        blocks.push(Block::Text(Tone::Plain, told));
    }
    let numbers = figures("right | wrong | at least | shipped | at least | in use");
    let columns = [words("pattern"), numbers, words("")].concat();
    let heading = format!("Passages by pattern; `grounding.trust` asks for {:.2}", found.trust);
    let table = Table::new(heading.clone(), columns, found.patterns.iter().map(row).collect());
    blocks.extend([Block::Section(heading), Block::Table(table)]);
    lines(&blocks, paint)
}

fn row(of: &PatternTrust) -> Row {
    let verdict = if of.trusted { "verifies" } else { "leaves undecided" };
    let naming = of.pattern.split('/').next_back().unwrap_or_default();
    let basis = match of.from {
        "naming" => format!(", too few labels: by all `{naming}`"),
        "all" => ", too few labels: by all patterns".to_owned(),
        _ => String::new(),
    };
    Row::from(vec![
        of.pattern.clone(),
        of.right.to_string(),
        of.wrong.to_string(),
        fixed(of.bound, 3),
        format!("{}/{}", of.shipped.right, of.shipped.right.saturating_add(of.shipped.wrong)),
        format!("{:.3}", of.shipped.bound),
        format!("{:.3}", of.in_use),
        format!("{verdict}{basis}"),
    ])
}
