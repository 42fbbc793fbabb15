//! The report of a calibration: the statements, each with its basis, then the sample.

use super::plot::thresholds;
use super::words::{called, evidence, evidence_name, grounds, sample, share, verdict};
use crate::experiment::calibrate::{Calibration, Group, Scope, TestedThreshold, Threshold, Verdict};
use crate::profile::Looks;
use crate::report::figures::{percent_of, thousands};
use crate::report::model::{
    Block, Fact, List, Plot, Report, Row, Table, Tile, Tone, facts, figure, figures, tile, words,
};

/// The report.
pub(in crate::report) fn report(calibration: &Calibration) -> Report {
    let mut blocks = vec![Block::Tiles(tiles(calibration))];
    for group in &calibration.groups {
        blocks.extend(section(calibration, group));
    }
    blocks.push(Block::Section("What it rests on".to_owned()));
    if calibration.groups.len() > 1 && calibration.certifies() {
        let together =
            format!("The {} confidence is that of all statements together.", calibration.confidence);
        blocks.push(Block::Text(Tone::Plain, together));
    }
    blocks.push(Block::List(List::of(sample(calibration))));
    let note = "“At most wrong” is the bound of one threshold by itself. Thresholds are tested in their order, the strictest first, up \
                to the first that fails.";
    blocks.push(Block::Note(note.to_owned()));
    Report { title: "Calibration".to_owned(), facts: about(calibration), blocks }
}

fn about(calibration: &Calibration) -> Vec<Fact> {
    let scope = match calibration.scope {
        Scope::ThisRun => "the documents of one run",
        Scope::DocumentsLikeThese => "documents like the reviewed ones",
    };
    let looks = match calibration.looks {
        Looks::AnyTime => "at any time",
        _ => "once",
    };
    let Calibration { wrong_documents, confidence, .. } = calibration;
    facts([
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
    let mut tiles = vec![tile("Reviewed", reviewed, format!("{} wrong", thousands(wrong)), Tone::Plain)];
    if let [group] = calibration.groups.as_slice() {
        match certified(group) {
            Some(found) => tiles.extend([
                tile(
                    "Certified",
                    format!("≥ {}", Threshold(found.threshold)),
                    calibration.condition(found.threshold),
                    Tone::Good,
                ),
                tile(
                    "Accepted there",
                    percent_of(share(found.accepted, group.reviewed)),
                    format!("{} of {}", thousands(found.accepted), thousands(group.reviewed)),
                    Tone::Plain,
                ),
                tile(
                    "At most wrong",
                    percent_of(found.upper_bound),
                    format!("{} seen", thousands(found.wrong)),
                    Tone::Plain,
                ),
            ]),
            None => {
                let missing = match &group.feasibility.more {
                    Some(more) => format!("some {} more documents to draw", thousands(more.to_draw)),
                    None => "see what is missing".to_owned(),
                };
                tiles.push(tile("Certified", "nothing", missing, Tone::Warn));
            }
        }
    } else {
        let count = calibration.groups.iter().filter(|group| group.certified.is_some()).count();
        let of_all = format!("{count} of {}", calibration.groups.len());
        let class = if count > 0 { Tone::Good } else { Tone::Warn };
        tiles.push(tile("Certified", of_all, "document types", class));
    }
    tiles
}

/// The threshold that is certified, with its bound.
fn certified(group: &Group) -> Option<&TestedThreshold> {
    let found = group.certified?;
    group.thresholds.iter().find(|tested| (tested.threshold - found.threshold).abs() < 1e-9)
}

fn section(calibration: &Calibration, group: &Group) -> Vec<Block> {
    let statement = calibration.statement(group);
    let heading = group.document_type.clone().unwrap_or_else(|| "Risk against coverage".to_owned());
    let promise = match statement {
        Some(statement) => Block::Text(Tone::Good, statement),
        None => Block::Text(Tone::Warn, format!("Nothing can be certified of {}", called(group))),
    };
    let mut blocks =
        vec![Block::Section(heading), promise, Block::List(List::of(grounds(calibration, group)))];
    blocks.extend(thresholds(calibration, group).map(|curve| {
        let caption = if curve.marked.is_some() {
            "Dots: the share of accepted documents that is wrong at each threshold, the strictest at the left. The area above reaches to what it may be at most, and is cut off at the top. Green: the certified threshold with its bound."
        } else {
            "Dots: the share of accepted documents that is wrong at each threshold, the strictest at the left. The area above reaches to what it may be at most, and is cut off at the top."
        };
        Block::Plot(Plot::Risk(Box::new(curve), caption))
    }));
    blocks.push(Block::Table(table(calibration, group)));
    blocks
}

fn table(calibration: &Calibration, group: &Group) -> Table {
    let row = |tested: &TestedThreshold| {
        let cells = vec![
            format!("≥ {}", Threshold(tested.threshold)),
            thousands(tested.accepted),
            percent_of(share(tested.accepted, group.reviewed)),
            thousands(tested.wrong),
            percent_of(tested.upper_bound),
            evidence(tested),
            verdict(tested).to_owned(),
        ];
        Row::from(cells).tone(match tested.verdict {
            Verdict::Certified => Tone::Good,
            Verdict::NotCertified => Tone::Warn,
            _ => Tone::Plain,
        })
    };
    let counts = figures(
        "Score=score | Accepted=accepted | Coverage=coverage | Wrong=wrong | At most wrong=at most wrong",
    );
    let columns = [counts, vec![figure(evidence_name(calibration))], words("Verdict=verdict")].concat();
    Table::new("Thresholds, the strictest first", columns, group.thresholds.iter().map(row).collect())
}
