//! `--format`: the form of results on standard output.

use super::loading::context;
use crate::failure::Failure;
use crate::requests::ResultFormat;
use crate::streams::Streams;
use clap::builder::{EnumValueParser, TypedValueParser};
use clap::{Args, ValueEnum};

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
        output.record_format(self.format, context())
    }
}
