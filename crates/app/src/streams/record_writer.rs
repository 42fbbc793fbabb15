//! Records as JSON.

use super::Streams;
use crate::requests::ResultFormat;
use serde::Serialize;

/// Writes records as JSON, as they come: one on each line, or as one list.
pub struct RecordWriter {
    /// The form of a record.
    pub format: ResultFormat,
    written: usize,
    /// The bytes not yet written.
    waiting: Vec<u8>,
    /// The number of bytes that may wait.
    most_waiting: usize,
}

impl RecordWriter {
    /// Writes each record at once.
    pub fn new(format: ResultFormat) -> Self {
        RecordWriter { format, written: 0, waiting: Vec::new(), most_waiting: 0 }
    }

    /// Writes many records at once, or when flushed.
    pub fn buffered(format: ResultFormat) -> Self {
        RecordWriter { most_waiting: 64 << 10, ..RecordWriter::new(format) }
    }

    /// Writes a record. Text is written by the caller, who knows how people read such a record.
    pub fn write(&mut self, record: &impl Serialize, output: &mut Streams) -> std::io::Result<()> {
        match self.format {
            ResultFormat::Text | ResultFormat::Jsonl => {
                serde_json::to_writer(&mut self.waiting, record)?;
                self.waiting.push(b'\n');
            }
            ResultFormat::Json => {
                let before = if self.written == 0 { "[\n" } else { ",\n" };
                self.waiting.extend_from_slice(before.as_bytes());
                serde_json::to_writer_pretty(&mut self.waiting, record)?;
            }
        }
        self.written += 1;
        if self.waiting.len() > self.most_waiting { self.flush(output) } else { Ok(()) }
    }

    /// Writes the waiting bytes.
    pub fn flush(&mut self, output: &mut Streams) -> std::io::Result<()> {
        if !self.waiting.is_empty() {
            output.out.write_all(&self.waiting)?;
            self.waiting.clear();
        }
        Ok(())
    }

    /// Ends the list.
    pub fn close(&self, output: &mut Streams) -> std::io::Result<()> {
        if self.format == ResultFormat::Json {
            output.out.write_all(if self.written == 0 { b"[]\n" } else { b"\n]\n" })?;
        }
        output.out.flush()
    }
}
