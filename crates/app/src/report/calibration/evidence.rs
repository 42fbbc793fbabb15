//! A calibration of patterns by labelled values, on a terminal.

use super::words::share;
use crate::experiment::calibrate::{EvidenceCalibration, PatternTrust};
use crate::report::columns::{figures, words};
use crate::report::figures::{fixed, percent_of};
use crate::report::paint::Paint;
use crate::report::text_table::text_table;
use crate::value::prose::count;
use std::fmt::Write;

/// The table of patterns, with the basis of each bound.
#[must_use]
pub fn evidence_text(found: &EvidenceCalibration, paint: Paint) -> String {
    let mut out = String::new();
    let all = found.right.saturating_add(found.wrong);
    let _ = writeln!(
        out,
        "{}: {} right, {} wrong ({}; `grounding.mistakes` assumes {})",
        paint.strong(&format!("{} labelled", count(all, "value"))),
        found.right,
        found.wrong,
        percent_of(share(found.wrong, all)),
        percent_of(found.mistakes)
    );
    if found.without_pattern > 0 {
        let _ = writeln!(
            out,
            "{} of them {} a passage without a pattern, or none",
            found.without_pattern,
            if found.without_pattern == 1 { "has" } else { "have" }
        );
    }
    let numbers = figures("right | wrong | at least | shipped | at least | in use");
    let columns = [words("pattern"), numbers, words("")].concat();
    let rows: Vec<Vec<String>> = found.patterns.iter().map(row).collect();
    let heading = format!("Passages by pattern; `grounding.trust` asks for {:.2}", found.trust);
    out.push_str(&text_table(&heading, &columns, &rows, 0, paint));
    out
}

fn row(of: &PatternTrust) -> Vec<String> {
    let verdict = if of.trusted { "verifies" } else { "leaves undecided" };
    let naming = of.pattern.split('/').next_back().unwrap_or_default();
    let basis = match of.from {
        "naming" => format!(", too few labels: by all `{naming}`"),
        "all" => ", too few labels: by all patterns".to_owned(),
        _ => String::new(),
    };
    vec![
        of.pattern.clone(),
        of.right.to_string(),
        of.wrong.to_string(),
        fixed(of.bound, 3),
        format!("{}/{}", of.shipped.right, of.shipped.right.saturating_add(of.shipped.wrong)),
        format!("{:.3}", of.shipped.bound),
        format!("{:.3}", of.in_use),
        format!("{verdict}{basis}"),
    ]
}
