//! `loopctl repair`: text that is not quite JSON to JSON, and JSON closer to a schema.

use crate::failure::{ExitStatus, Failure};
use crate::profile::Repair;
use crate::repairs::{RepairForm, RepairRequest, repair};
use crate::streams::Streams;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

#[derive(Args)]
#[command(
    after_help = "The value goes to standard output, what was done to standard error. A `.jsonl` holds a record per line, {\"id\", \"input\", \"schema\"?}, and is answered line by line: {\"id\", \"value\" or \"error\", \"steps\"}, with a schema also \"remaining_errors\". A line that can't be used has an answer, too; without an id its `id` is null."
)]
pub(super) struct Arguments {
    /// JSON Schema that the value should come closer to
    #[arg(long, value_name = "FILE")]
    schema: Option<PathBuf>,
    /// Leave out a pass (repeatable)
    #[arg(long, value_name = "PASS", value_enum)]
    without: Vec<Pass>,
    /// Give required values that are missing the schema's defaults
    #[arg(long)]
    defaults: bool,
    /// Output format [default: jsonl for a `.jsonl`, else text]
    #[arg(long, value_enum)]
    format: Option<RepairFormat>,
    /// File to repair; `-` or nothing reads standard input
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum RepairFormat {
    /// The value alone
    Text,
    /// One object: value, steps, patch and, with a schema, the errors that remain
    Json,
    /// Reads and answers records, one per line; from standard input, too
    Jsonl,
}

/// The passes by the names that profiles have for them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
enum Pass {
    Salvage,
    DropInvalid,
    DropUnknown,
    Rewrap,
    Coerce,
    Trim,
}

impl Arguments {
    fn settings(&self) -> Repair {
        let mut settings = Repair { defaults: self.defaults, ..Repair::default() };
        for pass in &self.without {
            *match pass {
                Pass::Salvage => &mut settings.salvage,
                Pass::DropInvalid => &mut settings.drop_invalid,
                Pass::DropUnknown => &mut settings.drop_unknown,
                Pass::Rewrap => &mut settings.rewrap,
                Pass::Coerce => &mut settings.coerce,
                Pass::Trim => &mut settings.trim,
            } = false;
        }
        settings
    }
}

pub(super) fn execute(arguments: &Arguments, output: &mut Streams) -> Result<ExitStatus, Failure> {
    let request = RepairRequest {
        schema: arguments.schema.clone(),
        settings: arguments.settings(),
        format: arguments.format.map(|format| match format {
            RepairFormat::Text => RepairForm::Text,
            RepairFormat::Json => RepairForm::Json,
            RepairFormat::Jsonl => RepairForm::Jsonl,
        }),
        file: arguments.file.clone(),
    };
    Ok(ExitStatus::whole(repair(&request, output)?))
}
