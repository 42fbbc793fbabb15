//! Engines of OCR: programs that read a picture and answer with the words in it.

use super::OcrSettings;
use super::tesseract_table::{OcrWord, words_of};
use loopctl_plugin_sdk::Cancel;
use loopctl_program::{Program, locate};
use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The engine that Debian has.
pub(super) const TESSERACT: &str = "tesseract";
/// The name of loopctl's own engine, and its program.
const PPOCR: &str = "ppocr";
const PPOCR_PROGRAM: &str = "loopctl-ppocr";
/// The most that an engine answers, in bytes.
const MOST_ANSWER: u64 = 64 << 20;
/// Variables of the environment that engines see: where their models are.
const SHOWN: [&str; 4] = ["PATH", "TESSDATA_PREFIX", "LOOPCTL_PPOCR_MODELS", "LD_LIBRARY_PATH"];

/// An engine of OCR.
pub(super) trait OcrEngine: Sync {
    /// Its name in results.
    fn name(&self) -> &str;

    /// The words in a picture, a PNG file.
    ///
    /// # Errors
    /// The reason, as a clause.
    fn read(&self, png: Vec<u8>, settings: &OcrSettings) -> Result<Vec<OcrWord>, String>;
}

/// The engines that a document is read by.
pub(in super::super) struct Engines {
    pub(super) first: Box<dyn OcrEngine>,
    /// The one that reads lines with digits again.
    pub(super) second: Option<Box<dyn OcrEngine>>,
}

impl Engines {
    /// The engines that settings name.
    ///
    /// # Errors
    /// The reason why one can't be used, and what to do, as clauses.
    pub(in super::super) fn of(settings: &OcrSettings) -> Result<Self, String> {
        let boxed = |engine: EngineProgram| Box::new(engine) as Box<dyn OcrEngine>;
        let first = boxed(EngineProgram::found(&settings.engine, settings)?);
        let second = match &settings.proofread {
            None => None,
            Some(name) => Some(boxed(EngineProgram::found(name, settings)?)),
        };
        Ok(Engines { first, second })
    }

    /// Returns whether the second reading is by the first engine again.
    pub(super) fn second_is_first(&self) -> bool {
        self.second.as_ref().is_some_and(|second| second.name() == self.first.name())
    }
}

/// An engine that is a program: it reads a PNG file from standard input and writes tesseract's TSV to standard output.
struct EngineProgram {
    name: String,
    file: PathBuf,
}

impl EngineProgram {
    /// The engine of a name: beside this program, or in the folders of `PATH`; never in the working directory.
    fn found(name: &str, settings: &OcrSettings) -> Result<Self, String> {
        let program = if name == PPOCR { PPOCR_PROGRAM } else { name };
        if program.is_empty() || program.contains(['/', '\\']) {
            return Err(format!("`{name}` is not the name of an OCR engine; it is `tesseract` or `ppocr`"));
        }
        let beside = env::current_exe().ok().and_then(|exe| exe.parent().map(Path::to_path_buf));
        let folders: Vec<PathBuf> =
            beside.into_iter().chain(env::var_os("PATH").iter().flat_map(env::split_paths)).collect();
        let search = env::join_paths(folders).unwrap_or_default();
        let file =
            locate(program, Path::new("/"), &search).map_err(|_| missing(name, &settings.languages))?;
        let engine = EngineProgram { name: name.to_owned(), file };
        engine.check_languages(settings)?;
        Ok(engine)
    }

    /// Refuses languages that tesseract does not have.
    fn check_languages(&self, settings: &OcrSettings) -> Result<(), String> {
        let is_name = |language: &&String| {
            !language.is_empty() && language.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        };
        if let Some(wrong) = settings.languages.iter().find(|language| !is_name(language)) {
            return Err(format!("`{wrong}` is not a language of OCR; languages are named as `eng` or `deu`"));
        }
        if self.name != TESSERACT {
            return Ok(());
        }
        let listed = self.run(vec!["--list-langs".to_owned()], Vec::new(), settings)?;
        let listed = String::from_utf8_lossy(&listed);
        let has = |language: &String| listed.lines().any(|line| line.trim() == language);
        let missing: Vec<String> =
            settings.languages.iter().filter(|language| !has(language)).cloned().collect();
        if missing.is_empty() {
            return Ok(());
        }
        let packages = packages(&missing).join(" ");
        Err(format!(
            "`tesseract` has no data for the language {}; install it: `apt-get install {packages}`",
            missing.iter().map(|language| format!("`{language}`")).collect::<Vec<_>>().join(", ")
        ))
    }

    /// Runs the program, and returns its standard output.
    fn run(&self, arguments: Vec<String>, input: Vec<u8>, settings: &OcrSettings) -> Result<Vec<u8>, String> {
        let shown = SHOWN.iter().filter_map(|name| Some((OsString::from(name), env::var_os(name)?)));
        // One thread each: pages are read beside each other.
        let one_thread = (OsString::from("OMP_THREAD_LIMIT"), OsString::from("1"));
        let program = Program {
            name: self.name.clone(),
            file: self.file.clone(),
            arguments,
            environment: shown.chain([one_thread]).collect(),
            cwd: None,
            max_output: MOST_ANSWER,
            show_stderr: true,
        };
        program.run_within(input, &Cancel::new(), settings.page_time).map_err(|failure| failure.error.message)
    }
}

impl OcrEngine for EngineProgram {
    fn name(&self) -> &str {
        &self.name
    }

    fn read(&self, png: Vec<u8>, settings: &OcrSettings) -> Result<Vec<OcrWord>, String> {
        let arguments = match self.name.as_str() {
            TESSERACT => tesseract_arguments(settings),
            PPOCR => vec!["--threads".to_owned(), "1".to_owned()],
            _ => Vec::new(),
        };
        let table = self.run(arguments, png, settings)?;
        words_of(&table)
            .map_err(|why| format!("the answer of `{}` is not a table of words: {why}", self.name))
    }
}

/// A page is read as one block: its own division into columns loses short cells, and ours does not need it.
fn tesseract_arguments(settings: &OcrSettings) -> Vec<String> {
    let languages = settings.languages.join("+");
    let dpi = settings.dpi.to_string();
    ["stdin", "stdout", "-l", &languages, "--oem", "1", "--psm", "6", "--dpi", &dpi, "tsv"]
        .map(str::to_owned)
        .into()
}

/// A clause about an engine that is not installed, with the way to install it.
fn missing(name: &str, languages: &[String]) -> String {
    match name {
        TESSERACT => format!(
            "the OCR engine `tesseract` is not installed; install it: `apt-get install tesseract-ocr {}`",
            packages(languages).join(" ")
        ),
        PPOCR => format!(
            "the OCR engine `ppocr` is not installed; put its program, `{PPOCR_PROGRAM}`, beside `loopctl` or in a folder of PATH"
        ),
        other => format!(
            "there is no OCR engine `{other}`: its program is neither beside `loopctl` nor in a folder of PATH; engines are `tesseract` and `ppocr`"
        ),
    }
}

/// Debian's packages of languages.
fn packages(languages: &[String]) -> Vec<String> {
    languages.iter().map(|language| format!("tesseract-ocr-{}", language.replace('_', "-"))).collect()
}
