//! The log of a process, for programs or for people, and the export of the same spans and events to a collector.

mod log_layer;

use self::log_layer::LogLayer;
use crate::context::Context;
use crate::failure::Failure;
use crate::streams::SanitizedWriter;
use crate::value::ShownPath;
use loopctl_telemetry::endpoints::{Url, endpoints};
use loopctl_telemetry::export::Export;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Mutex;
use tracing_subscriber::Registry;
use tracing_subscriber::layer::{Layer, SubscriberExt};

/// The variable that asks for a log if the settings do not.
const VARIABLE: &str = "LOOPCTL_LOG";

/// The log and the export that are asked for.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LogSettings {
    /// The format of the log; `None` for that of the environment, or else no log.
    pub format: Option<LogFormat>,
    /// The file that the log is appended to, instead of standard error.
    pub file: Option<PathBuf>,
    /// `true` if messages of provider plugins are logged, too.
    pub plugins: bool,
    /// The collector; `None` for that of the environment, or else no export.
    pub otlp: Option<Url>,
}

/// The format of a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogFormat {
    /// For people.
    Text,
    /// One JSON object per line.
    Json,
}

impl LogSettings {
    /// Returns these settings with a log file that does not depend on the working directory.
    #[must_use]
    pub fn absolute(self) -> Self {
        let file = self.file.map(|file| std::path::absolute(&file).unwrap_or(file));
        LogSettings { file, ..self }
    }

    /// The flags of the settings that write or send something.
    pub fn named(&self) -> Vec<&'static str> {
        let given =
            [(self.format.is_some() || self.file.is_some(), "--log"), (self.otlp.is_some(), "--otlp")];
        given.into_iter().filter_map(|(given, name)| given.then_some(name)).collect()
    }

    /// Starts the log and the export of this process, as far as they are asked for.
    ///
    /// # Errors
    /// When a setting has no effect, or the log can't be written.
    pub fn start(&self, context: &Context) -> Result<Telemetry, Failure> {
        self.start_with(None, context)
    }

    /// Like [`Self::start`], and `measures` gets spans, too.
    ///
    /// # Errors
    /// Like [`Self::start`].
    pub fn start_with(
        &self,
        measures: Option<Box<dyn Layer<Registry> + Send + Sync>>,
        context: &Context,
    ) -> Result<Telemetry, Failure> {
        let lines = self.lines(context)?;
        let is_logged = lines.is_some();
        let asked = endpoints(self.otlp.as_ref(), &|name| context.variable(name));
        let export = asked.and_then(|asked| asked.map(|to| Export::start::<Registry>(&to)).transpose());
        let (export, spans, trouble) = match export {
            Ok(Some((export, spans))) => (Some(export), Some(spans), None),
            Ok(None) => (None, None, None),
            Err(why) => (None, None, Some(why)),
        };
        let mut layers: Vec<Box<dyn Layer<Registry> + Send + Sync>> = Vec::from_iter(measures);
        layers.extend(spans.map(Layer::boxed));
        layers.extend(lines.map(|lines| lines.filtered().boxed()));
        // Spans are not even made where nothing wants them. Only a second subscriber of the same process would fail,
        // and there is none.
        if !layers.is_empty() {
            let _ = tracing::subscriber::set_global_default(Registry::default().with(layers));
        }
        let telemetry = Telemetry { export, is_logged };
        if let Some(why) = trouble {
            tracing::warn!(target: "loopctl", event = "export_failed", reason = why);
            telemetry.say(&why);
        }
        Ok(telemetry)
    }

    /// The log, if one is asked for.
    fn lines(&self, context: &Context) -> Result<Option<LogLayer>, Failure> {
        let Some(format) = self.format_in(context)? else {
            let only = match (&self.file, self.plugins) {
                (None, false) => return Ok(None),
                (Some(_), _) => "`--log-file` says where, but not what to log",
                (None, true) => "`--log-plugins` adds to a log, and there is none",
            };
            return Err(Failure::usage(only).help("add `--log json` or `--log text`"));
        };
        let out: Box<dyn Write + Send> = match &self.file {
            None => Box::new(SanitizedWriter::new(std::io::stderr(), false)),
            Some(path) => {
                let file = std::fs::OpenOptions::new().create(true).append(true).open(path);
                Box::new(file.map_err(|error| {
                    Failure::broken(format!("can't write the log to `{}`: {error}", path.shown()))
                })?)
            }
        };
        Ok(Some(LogLayer { format, plugins: self.plugins, out: Mutex::new(out) }))
    }

    /// The format that the settings or the environment ask for.
    fn format_in(&self, context: &Context) -> Result<Option<LogFormat>, Failure> {
        if self.format.is_some() {
            return Ok(self.format);
        }
        let word = context.variable(VARIABLE).unwrap_or_default();
        match word.to_ascii_lowercase().as_str() {
            "" => Ok(None),
            "text" => Ok(Some(LogFormat::Text)),
            "json" => Ok(Some(LogFormat::Json)),
            _ => Err(Failure::usage(format!("`{VARIABLE}` is `{word}`")).help("set it to `text` or `json`")),
        }
    }
}

/// The log and the export of this process. On drop, waits a moment for the collector to take the rest.
pub struct Telemetry {
    export: Option<Export>,
    is_logged: bool,
}

impl Telemetry {
    /// Reports a failure of telemetry where users look, once: it is no reason for a run to fail.
    fn say(&self, why: &str) {
        if !self.is_logged {
            let mut out = SanitizedWriter::new(std::io::stderr(), false);
            let _ = writeln!(out, "warning: not everything was exported by OTLP: {why}");
        }
    }
}

impl Drop for Telemetry {
    fn drop(&mut self) {
        if let Some(why) = self.export.take().and_then(Export::close) {
            self.say(&why);
        }
    }
}
