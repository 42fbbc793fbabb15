//! `--log`: what happens in a run, line by line, for programs or for people; `--otlp`: the same for a collector.

use crate::logging::{LogFormat, LogSettings};
use crate::telemetry::endpoints::{Url, base_url};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// The arguments that ask for a log.
#[derive(Args)]
pub(super) struct LogArguments {
    /// Log what happens, one line each; contains no document text and no values [env: LOOPCTL_LOG]
    #[arg(long, value_enum, value_name = "FORMAT")]
    log: Option<LogFormatName>,
    /// Append the log to this file instead of writing it to standard error
    #[arg(long, value_name = "FILE")]
    log_file: Option<PathBuf>,
    /// Also log messages of provider plugins; whether they quote documents is up to them
    #[arg(long)]
    log_plugins: bool,
    /// Export spans and metrics to this collector (OTLP over HTTP); they contain no document text and no values [env:
    /// OTEL_EXPORTER_OTLP_ENDPOINT]
    #[arg(long, value_name = "URL", value_parser = base_url)]
    otlp: Option<Url>,
}

/// The format of a log as arguments name it.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum LogFormatName {
    /// For people
    Text,
    /// One JSON object per line
    Json,
}

impl LogArguments {
    /// The settings that they make.
    pub(super) fn settings(&self) -> LogSettings {
        LogSettings {
            format: self.log.map(|name| match name {
                LogFormatName::Text => LogFormat::Text,
                LogFormatName::Json => LogFormat::Json,
            }),
            file: self.log_file.clone(),
            plugins: self.log_plugins,
            otlp: self.otlp.clone(),
        }
    }
}
