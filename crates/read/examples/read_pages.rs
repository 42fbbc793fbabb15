//! Reading of files in this process, or with `--contained` in one of its own: pages, seconds of a processor, and the most
//! memory (Linux). `tests/pdf_speed.py` holds it against other readers.
//!
//! ```text
//! cargo run --release -p loopctl-read --example read_pages -- [--contained] FILE…
//! ```

use loopctl_core::value::DocumentId;
use loopctl_read::{DocumentReader, answer_contained};
use std::error::Error;
use std::io::Write;

/// The argument of the process that is started for a file.
const CHILD: &str = "--child";

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.first().is_some_and(|first| first == CHILD) {
        return Ok(answer_contained(std::io::stdin(), &mut std::io::stdout().lock())?);
    }
    let is_contained = arguments.first().is_some_and(|first| first == "--contained");
    let reader = if is_contained {
        arguments.remove(0);
        DocumentReader::contained(std::env::current_exe()?, vec![CHILD.to_owned()])
    } else {
        DocumentReader::in_process()
    };
    for file in arguments {
        let document = reader.document(DocumentId::new("x"), std::fs::read(&file)?);
        let pages = document.pages.as_ref().map_or(0, |pages| pages.len());
        match &document.text {
            Ok(text) => {
                writeln!(std::io::stdout(), "{file}: {pages} pages, {} bytes", text.as_str().len())?;
            }
            Err(why) => writeln!(std::io::stdout(), "{file}: {why}")?,
        }
    }
    Ok(())
}
