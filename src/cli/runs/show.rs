//! `loopctl runs show`.

use super::super::exit::{Exit, Failure};
use super::super::output::{Format, Output, RecordFormat};
use super::super::resume::{JournalArgument, find_run};
use super::list::described;
use crate::store::DocumentStage;
use crate::value::sanitize_line;
use clap::Args;

#[derive(Args)]
pub(super) struct Arguments {
    /// The run, as `loopctl runs list` names it; the beginning of its id is enough
    #[arg(value_name = "RUN", default_value = "latest")]
    run: String,
    #[command(flatten)]
    journal: JournalArgument,
    #[command(flatten)]
    format: RecordFormat,
}

pub(super) fn execute(arguments: &Arguments, output: &mut Output) -> Result<Exit, Failure> {
    let journal = arguments.journal.open()?;
    let format = arguments.format.chosen(output)?;
    let run = find_run(&journal, &arguments.run)?;
    let stages = journal.stages(&run.id)?;
    if format != Format::Text {
        output.write_json(&described(&journal, &run, &stages)?, format)?;
        return Ok(Exit::Success);
    }
    let mut text = format!("run {}  {}\n", run.id, sanitize_line(&run.record.profile));
    for stage in DocumentStage::ALL {
        text.push_str(&format!("{:>9}  {}\n", stages.of(stage), stage.as_str().replace('_', " ")));
    }
    output.out.write_all(text.as_bytes())?;
    output.out.flush()?;
    Ok(Exit::Success)
}
