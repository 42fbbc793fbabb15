//! The contents of the page of a calibration: words, numbers, plots and tables, which the template lays out.

use super::plot::ThresholdPlot;
use super::text::{called, evidence, evidence_name, grounds, percent, sample, share, verdict};
use crate::experiment::calibrate::{Calibration, Group, Scope, TestedThreshold, Threshold, Verdict};
use crate::profile::Looks;
use crate::report::page::{Fact, Row, Table, Tile, column, figure};
use crate::report::run_summary::thousands;
use serde::Serialize;

#[derive(Debug, Serialize)]
pub(super) struct Page {
    title: &'static str,
    facts: Vec<Fact>,
    tiles: Vec<Tile>,
    groups: Vec<Section>,
    /// Lines about all statements together; empty where there is one.
    together: String,
    sample: Vec<String>,
}

/// The documents that one statement is about.
#[derive(Debug, Serialize)]
struct Section {
    heading: String,
    /// The promise, or that there is none.
    promise: String,
    class: &'static str,
    /// The meaning of that for the work, or what is missing for it.
    grounds: Vec<String>,
    plot: Option<ThresholdPlot>,
    table: Table,
}

impl Page {
    pub(super) fn of(calibration: &Calibration, title: &'static str) -> Self {
        let several = calibration.groups.len() > 1 && calibration.certifies();
        Page {
            title,
            facts: facts(calibration),
            tiles: tiles(calibration),
            groups: (0..)
                .zip(&calibration.groups)
                .map(|(at, group)| section(calibration, group, at))
                .collect(),
            together: if several {
                format!("The {} confidence is that of all statements together.", calibration.confidence)
            } else {
                String::new()
            },
            sample: sample(calibration),
        }
    }
}

fn facts(calibration: &Calibration) -> Vec<Fact> {
    let scope = match calibration.scope {
        Scope::ThisRun => "the documents of one run",
        Scope::DocumentsLikeThese => "documents like the reviewed ones",
    };
    let looks = match calibration.looks {
        Looks::AnyTime => "at any time",
        _ => "once",
    };
    let facts = [
        (
            "Promise",
            format!("at most {} wrong, {} confidence", calibration.wrong_documents, calibration.confidence),
        ),
        ("Score", calibration.score.clone()),
        ("About", scope.to_owned()),
        ("Labels looked at", looks.to_owned()),
        ("Clusters", calibration.clusters.map(thousands).unwrap_or_default()),
    ];
    let facts = facts.into_iter().filter(|(_, value)| !value.is_empty());
    facts.map(|(name, value)| Fact { name, value }).collect()
}

fn tiles(calibration: &Calibration) -> Vec<Tile> {
    let wrong: u64 = calibration.groups.iter().map(|group| group.wrong).sum();
    let mut tiles = vec![Tile {
        name: "Reviewed",
        value: thousands(calibration.reviewed),
        note: format!("{} wrong", thousands(wrong)),
        class: "",
    }];
    if let [group] = calibration.groups.as_slice() {
        match certified(group) {
            Some(found) => tiles.extend([
                Tile {
                    name: "Certified",
                    value: format!("≥ {}", Threshold(found.threshold)),
                    note: calibration.condition(found.threshold),
                    class: "passed",
                },
                Tile {
                    name: "Accepted there",
                    value: percent(share(found.accepted, group.reviewed)),
                    note: format!("{} of {}", thousands(found.accepted), thousands(group.reviewed)),
                    class: "",
                },
                Tile {
                    name: "At most wrong",
                    value: percent(found.upper_bound),
                    note: format!("{} seen", thousands(found.wrong)),
                    class: "",
                },
            ]),
            None => tiles.push(Tile {
                name: "Certified",
                value: "nothing".to_owned(),
                note: match &group.feasibility.more {
                    Some(more) => format!("some {} more documents to draw", thousands(more.to_draw)),
                    None => "see what is missing".to_owned(),
                },
                class: "review",
            }),
        }
    } else {
        let count = calibration.groups.iter().filter(|group| group.certified.is_some()).count();
        tiles.push(Tile {
            name: "Certified",
            value: format!("{count} of {}", calibration.groups.len()),
            note: "document types".to_owned(),
            class: if count > 0 { "passed" } else { "review" },
        });
    }
    tiles
}

/// The threshold that is certified, with its bound.
fn certified(group: &Group) -> Option<&TestedThreshold> {
    let found = group.certified?;
    group.thresholds.iter().find(|tested| (tested.threshold - found.threshold).abs() < 1e-9)
}

fn section(calibration: &Calibration, group: &Group, number: usize) -> Section {
    let statement = calibration.statement(group);
    Section {
        heading: group.document_type.clone().unwrap_or_else(|| "Risk against coverage".to_owned()),
        class: if statement.is_some() { "passed" } else { "review" },
        promise: statement.unwrap_or_else(|| format!("Nothing can be certified of {}", called(group))),
        grounds: grounds(calibration, group),
        plot: ThresholdPlot::of(calibration, group, number),
        table: table(calibration, group),
    }
}

fn table(calibration: &Calibration, group: &Group) -> Table {
    let rows = group.thresholds.iter().map(|tested| Row {
        cells: vec![
            format!("≥ {}", Threshold(tested.threshold)),
            thousands(tested.accepted),
            percent(share(tested.accepted, group.reviewed)),
            thousands(tested.wrong),
            percent(tested.upper_bound),
            evidence(tested),
            verdict(tested).to_owned(),
        ],
        bar: 0.0,
        class: if tested.verdict == Verdict::Certified { "certified" } else { "" },
    });
    Table {
        heading: String::new(),
        note: String::new(),
        caption: "Thresholds, the strictest first".to_owned(),
        bars: "",
        columns: vec![
            figure("Score"),
            figure("Accepted"),
            figure("Coverage"),
            figure("Wrong"),
            figure("At most wrong"),
            figure(evidence_name(calibration)),
            column("Verdict"),
        ],
        rows: rows.collect(),
        more: 0,
    }
}
