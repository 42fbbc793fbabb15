//! Results written to standard output as they come, or kept for the caller.

use crate::report::Paint;
use crate::requests::ResultFormat;
use crate::result::{DocumentResult, MergedResult};
use crate::streams::Streams;
use crate::value::prose::{list, plural};
use crate::value::sanitize_line;
use serde::Serialize;
use tokio::sync::watch;

/// Writes results, or keeps them.
pub(super) struct ResultWriter {
    pub(super) format: ResultFormat,
    /// `true` if there may be more than one.
    pub(super) several: bool,
    /// Ends the run when no one reads the results and they are kept nowhere else.
    pub(super) stop: Option<watch::Sender<bool>>,
    /// The results, if they are returned in place of being written.
    pub(super) returned: Option<Vec<DocumentResult>>,
    pub(super) written: usize,
    pub(super) failure: Option<std::io::Error>,
}

impl ResultWriter {
    /// Writes text, unless writing failed before, or results are returned.
    pub(super) fn write(&mut self, text: &str, output: &mut Streams) {
        if self.failure.is_none() && self.returned.is_none() {
            self.failure = output.out.write_all(text.as_bytes()).err();
            if let (Some(_), Some(stop)) = (&self.failure, &self.stop) {
                let _ = stop.send(true);
            }
        }
    }

    /// Writes or keeps a result; `summary` is its text for people.
    pub(super) fn add(
        &mut self,
        result: &DocumentResult,
        summary: impl FnOnce(Paint) -> String,
        output: &mut Streams,
    ) {
        if let Some(results) = &mut self.returned {
            return results.push(result.clone());
        }
        self.put(result, summary, output);
    }

    /// Writes the result of a file whose sections were documents of their own. What returns results has those of the
    /// sections.
    pub(super) fn add_merged(&mut self, merged: &MergedResult, output: &mut Streams) {
        self.put(merged, |_| merged_summary(merged), output);
    }

    fn put(&mut self, result: &impl Serialize, summary: impl FnOnce(Paint) -> String, output: &mut Streams) {
        let text = match self.format {
            ResultFormat::Text => summary(output.out_paint),
            ResultFormat::Jsonl => serde_json::to_string(result).unwrap_or_default() + "\n",
            ResultFormat::Json if self.several => {
                let before = if self.written == 0 { "[\n" } else { ",\n" };
                format!("{before}{}", serde_json::to_string_pretty(result).unwrap_or_default())
            }
            ResultFormat::Json => serde_json::to_string_pretty(result).unwrap_or_default() + "\n",
        };
        self.write(&text, output);
        self.written += 1;
    }

    /// Ends the list of results, if they are one.
    pub(super) fn end(&mut self, output: &mut Streams) {
        if self.format == ResultFormat::Json && self.several {
            self.write(if self.written == 0 { "[]\n" } else { "\n]\n" }, output);
        }
    }
}

/// A merged result for people.
fn merged_summary(merged: &MergedResult) -> String {
    let count = merged.sections.len();
    let (id, status) = (sanitize_line(merged.id.as_str()), merged.status.as_str());
    let mut text = format!("{id}: {status}, {count} {}\n", plural(count as u64, "section"));
    for conflict in &merged.conflicts {
        let of = conflict.values.iter().map(|value| value.section.as_str());
        let of: Vec<String> = of.map(sanitize_line).map(|id| id.to_string()).collect();
        text += &format!("  {} differs between {}\n", conflict.path, list(&of, "and"));
    }
    text
}
