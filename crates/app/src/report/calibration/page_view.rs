//! The contents of the page of a calibration: words, numbers, plots and tables, which the template lays out.

use super::plot::ThresholdPlot;
use super::text::{called, evidence, evidence_name, grounds, sample, share, verdict};
use crate::experiment::calibrate::{Calibration, Group, Scope, TestedThreshold, Threshold, Verdict};
use crate::profile::Looks;
use crate::report::columns::{figures, words};
use crate::report::figures::{percent_of, thousands};
use crate::report::page::{self, Fact, Row, Table, Tile, tile};
use serde::Serialize;

#[derive(Debug, Serialize)]
pub(in crate::report) struct Page {
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
    pub(in crate::report) fn of(calibration: &Calibration, title: &'static str) -> Self {
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
    let Calibration { wrong_documents, confidence, .. } = calibration;
    page::facts([
        ("Promise", format!("at most {wrong_documents} wrong, {confidence} confidence")),
        ("Score", calibration.score.clone()),
        ("About", scope.to_owned()),
        ("Labels looked at", looks.to_owned()),
        ("Clusters", calibration.clusters.map(thousands).unwrap_or_default()),
    ])
}

fn tiles(calibration: &Calibration) -> Vec<Tile> {
    let wrong: u64 = calibration.groups.iter().map(|group| group.wrong).sum();
    let reviewed = thousands(calibration.reviewed);
    let mut tiles = vec![tile("Reviewed", reviewed, format!("{} wrong", thousands(wrong)), "")];
    if let [group] = calibration.groups.as_slice() {
        match certified(group) {
            Some(found) => tiles.extend([
                tile(
                    "Certified",
                    format!("≥ {}", Threshold(found.threshold)),
                    calibration.condition(found.threshold),
                    "passed",
                ),
                tile(
                    "Accepted there",
                    percent_of(share(found.accepted, group.reviewed)),
                    format!("{} of {}", thousands(found.accepted), thousands(group.reviewed)),
                    "",
                ),
                tile(
                    "At most wrong",
                    percent_of(found.upper_bound),
                    format!("{} seen", thousands(found.wrong)),
                    "",
                ),
            ]),
            None => {
                let missing = match &group.feasibility.more {
                    Some(more) => format!("some {} more documents to draw", thousands(more.to_draw)),
                    None => "see what is missing".to_owned(),
                };
                tiles.push(tile("Certified", "nothing", missing, "review"));
            }
        }
    } else {
        let count = calibration.groups.iter().filter(|group| group.certified.is_some()).count();
        let of_all = format!("{count} of {}", calibration.groups.len());
        let class = if count > 0 { "passed" } else { "review" };
        tiles.push(tile("Certified", of_all, "document types", class));
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
    let rows = group.thresholds.iter().map(|tested| {
        let cells = vec![
            format!("≥ {}", Threshold(tested.threshold)),
            thousands(tested.accepted),
            percent_of(share(tested.accepted, group.reviewed)),
            thousands(tested.wrong),
            percent_of(tested.upper_bound),
            evidence(tested),
            verdict(tested).to_owned(),
        ];
        Row::from(cells).class(if tested.verdict == Verdict::Certified { "certified" } else { "" })
    });
    let counts = figures("Score | Accepted | Coverage | Wrong | At most wrong");
    let columns = [counts, figures(evidence_name(calibration)), words("Verdict")].concat();
    Table::new("", "Thresholds, the strictest first", columns, rows)
}
