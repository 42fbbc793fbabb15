//! Reading of hostile files, one by one: how much of a processor each takes, how much memory, and what comes of it.
//!
//! ```text
//! cargo run --release -p loopctl-read --example read_hostile               # the names of the files
//! cargo run --release -p loopctl-read --example read_hostile -- NAME       # reads one
//! cargo run --release -p loopctl-read --example read_hostile -- NAME FILE  # writes one
//! ```
//!
//! `src/hostile_tests.rs` makes the same files, and holds what comes of them.

#[path = "../tests/hostile_files/mod.rs"]
mod hostile_files;

use hostile_files::{HOSTILE_FILES, HostileFile};
use loopctl_core::value::DocumentId;
use loopctl_read::{DocumentReader, OcrSettings};
use std::error::Error;
use std::io::Write;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let mut out = std::io::stdout().lock();
    let Some(wanted) = arguments.first() else {
        for file in HOSTILE_FILES {
            writeln!(out, "{}", file.name)?;
        }
        return Ok(());
    };
    let found = HOSTILE_FILES.iter().find(|file| file.name == wanted);
    let HostileFile { kind, name, make } = found.ok_or_else(|| format!("there is no file `{wanted}`"))?;
    let bytes = make();
    if let Some(file) = arguments.get(1) {
        return Ok(std::fs::write(file, bytes)?);
    }
    let (size, before) = (bytes.len(), processor_seconds()?);
    // Images are opened when they are wanted for OCR; no engine is asked.
    let reader = DocumentReader::in_process();
    let document = match DocumentReader::media_type(&bytes) {
        Some(kind) if kind.starts_with("image/") => {
            let picture = reader.page_picture(&bytes, 1, 0.5);
            let read = reader.with_ocr(OcrSettings::default()).document(DocumentId::new("x"), bytes);
            if picture.is_ok() {
                write!(out, "drawn; ")?;
            }
            read
        }
        Some(_) | None => reader.document(DocumentId::new("x"), bytes),
    };
    let outcome = match &document.text {
        Ok(text) => format!("{} bytes of text", text.as_str().len()),
        Err(why) => why.to_string(),
    };
    let took = processor_seconds()? - before;
    writeln!(out, "{kind}\t{name}\t{size} bytes\t{took:.1} s\t{} MiB\t{outcome}", peak_mebibytes()?)?;
    Ok(())
}

/// Seconds for which this process had a processor (Linux).
fn processor_seconds() -> Result<f64, Box<dyn Error>> {
    let status = std::fs::read_to_string("/proc/self/stat")?;
    let fields: Vec<&str> = status.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |at: usize| fields.get(at).and_then(|field| field.parse::<f64>().ok()).unwrap_or_default();
    Ok((ticks(11) + ticks(12)) / 100.0)
}

/// The most memory that this process had (Linux).
fn peak_mebibytes() -> Result<u64, Box<dyn Error>> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
    let kibibytes: u64 = line.trim().trim_end_matches(" kB").parse()?;
    Ok(kibibytes / 1024)
}
