//! `--format`: the form of results on standard output.

use super::loading::context;
use crate::failure::Failure;
use crate::requests::ResultFormat;
use crate::streams::Streams;
use clap::builder::{EnumValueParser, TypedValueParser};
use clap::{Args, ValueEnum};

/// The variable that gives the format of records if `--format` does not.
const FORMAT_VARIABLE: &str = "LOOPCTL_FORMAT";

/// The format of results as arguments name it.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum FormatName {
    /// For people
    Text,
    /// One indented JSON value (a list, if there are several results)
    Json,
    /// One JSON value per line
    Jsonl,
}

impl From<FormatName> for ResultFormat {
    fn from(name: FormatName) -> Self {
        match name {
            FormatName::Text => ResultFormat::Text,
            FormatName::Json => ResultFormat::Json,
            FormatName::Jsonl => ResultFormat::Jsonl,
        }
    }
}

/// Reads the argument of `--format`.
pub(super) fn result_format() -> impl TypedValueParser<Value = ResultFormat> {
    EnumValueParser::<FormatName>::new().map(ResultFormat::from)
}

/// `--format` of a verb that writes records: people get text, and programs lines.
#[derive(Args, Debug, Clone, Copy)]
pub(super) struct RecordFormat {
    /// Format of results on standard output [default: text on a terminal, else jsonl] [env: LOOPCTL_FORMAT]
    #[arg(long, value_parser = result_format(), value_name = "FORMAT")]
    pub(super) format: Option<ResultFormat>,
}

impl RecordFormat {
    /// The format that the flag or the variable asks for, else the default for the reader.
    pub(super) fn chosen(self, output: &Streams) -> Result<ResultFormat, Failure> {
        if let Some(format) = self.format {
            return Ok(format);
        }
        match context().variable(FORMAT_VARIABLE) {
            Some(name) if !name.is_empty() => {
                FormatName::from_str(&name, true).map(ResultFormat::from).map_err(|_| {
                    Failure::usage(format!("`{FORMAT_VARIABLE}` is `{name}`"))
                        .help("expected `text`, `json` or `jsonl`")
                })
            }
            _ if output.out_is_terminal => Ok(ResultFormat::Text),
            _ => Ok(ResultFormat::Jsonl),
        }
    }
}
