//! A calibration of patterns by labelled values, on a terminal.

use super::super::paint::Paint;
use super::super::text_table::{Align, text_table};
use crate::experiment::calibrate::{EvidenceCalibration, PatternTrust};
use crate::value::prose::count;
use std::fmt::Write;

/// The table of patterns, with the basis of each bound.
#[must_use]
pub fn evidence_text(found: &EvidenceCalibration, paint: Paint) -> String {
    let mut out = String::new();
    let all = found.right.saturating_add(found.wrong);
    #[expect(clippy::cast_precision_loss, reason = "counts of labels are far below 2^52")]
    let share = if all == 0 { 0.0 } else { found.wrong as f64 / all as f64 * 100.0 };
    let _ = writeln!(
        out,
        "{}: {} right, {} wrong ({share:.1} %; `grounding.mistakes` assumes {:.1} %)",
        paint.strong(&format!("{} labelled", count(all, "value"))),
        found.right,
        found.wrong,
        found.mistakes * 100.0
    );
    if found.without_pattern > 0 {
        let _ = writeln!(
            out,
            "{} of them {} a passage without a pattern, or none",
            found.without_pattern,
            if found.without_pattern == 1 { "has" } else { "have" }
        );
    }
    let columns = [
        ("pattern", Align::Left),
        ("right", Align::Right),
        ("wrong", Align::Right),
        ("at least", Align::Right),
        ("shipped", Align::Right),
        ("at least", Align::Right),
        ("in use", Align::Right),
        ("", Align::Left),
    ];
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
        of.bound.map_or_else(|| "–".to_owned(), |bound| format!("{bound:.3}")),
        format!("{}/{}", of.shipped.right, of.shipped.right.saturating_add(of.shipped.wrong)),
        format!("{:.3}", of.shipped.bound),
        format!("{:.3}", of.in_use),
        format!("{verdict}{basis}"),
    ]
}
