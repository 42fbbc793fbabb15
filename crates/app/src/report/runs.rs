//! The runs of a journal on terminals.

use super::Paint;
use super::model::{Block, Row, Table, figures, lines, words};
use crate::store::{BatchSavings, DocumentStage, StageCounts, StoredRun};
use crate::value::prose::count;
use crate::value::sanitize_line;

/// The runs of a journal, with their documents in each stage.
pub fn run_list_text(runs: &[(StoredRun, StageCounts)]) -> String {
    if runs.is_empty() {
        return "no runs\n".to_owned();
    }
    let row = |(run, stages): &(StoredRun, StageCounts)| {
        let began: String = run.record.started_at.chars().take(16).collect();
        let left: u64 = DocumentStage::LEFT.iter().map(|stage| stages.of(*stage)).sum();
        let counts =
            [stages.sum(), stages.of(DocumentStage::Finished), stages.of(DocumentStage::Failed), left];
        let names = [run.id.as_str(), &began.replace('T', " "), &run.record.profile, run.stage.as_str()];
        let cells = names.map(str::to_owned).into_iter().chain(counts.map(|count| count.to_string()));
        Row::from(cells.collect::<Vec<_>>())
    };
    let columns = [words("run|began|profile|stage"), figures("documents|finished|failed|left")].concat();
    let table = Table::new("Runs", columns, runs.iter().map(row).collect());
    lines(&[Block::Table(table)], Paint::new(false))
}

/// The documents of a run in each stage, the progress of its review, and what its batches saved.
pub fn run_stages_text(
    run: &StoredRun,
    stages: &StageCounts,
    reviews: Option<String>,
    savings: &BatchSavings,
) -> String {
    let mut text = format!("run {}  {}\n", run.id, sanitize_line(&run.record.profile));
    for stage in DocumentStage::ALL {
        text.push_str(&format!("{:>9}  {}\n", stages.of(stage), stage.as_str().replace('_', " ")));
    }
    if let Some(line) = reviews {
        text.push_str(&format!("for a person: {line}\n"));
    }
    if savings.batches > 0 {
        let less = if savings.usd > 0.0 {
            format!(", {:.2} USD less than online", savings.usd)
        } else {
            String::new()
        };
        let (calls, batches) = (count(savings.calls, "call"), savings.batches);
        let batches = if batches == 1 { "1 batch".to_owned() } else { format!("{batches} batches") };
        text.push_str(&format!("{calls} in {batches}{less}\n"));
    }
    text
}
