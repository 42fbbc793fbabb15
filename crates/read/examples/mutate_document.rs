//! A reader of mutated files on stable Rust, for minutes: it reports those that break it or take long.
//!
//! ```text
//! cargo run --release -p loopctl-read --example mutate_document -- SECONDS SEED FILE…
//! ```
//!
//! Files are of any kind that has a reader; of packages (DOCX, XLSX, ODT) a part is changed before it is deflated. The same
//! seed gives the same files, in the order of the arguments. `fuzz/` has the same check for cargo-fuzz.

use loopctl_core::value::DocumentId;
use loopctl_read::DocumentReader;
use std::collections::BTreeMap;
use std::error::Error;
use std::io::{Cursor, Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::{Duration, Instant};
use zip::write::SimpleFileOptions;
use zip::{ZipArchive, ZipWriter};

/// Longest file, in bytes.
const LONGEST: usize = 256 << 10;
/// A file that takes longer is shown.
const LONG: Duration = Duration::from_secs(10);
/// Parts of files that are put at random places.
const WORDS: [&[u8]; 32] = [
    b"/Kids[3 0 R]",
    b"/Parent 3 0 R",
    b"<<",
    b">>",
    b"[",
    b"]",
    b"endstream",
    b" 99999999999 ",
    b" -1 ",
    b"/Length 0",
    b"/Filter/FlateDecode",
    b" Do ",
    b"/Subtype/Form",
    b"(",
    b"<w:tbl>",
    b"</w:p>",
    b"<w:gridSpan w:val=\"99999999999\"/>",
    b"<table><tr><td colspan=1000 rowspan=1000>",
    b"</table>",
    b"<style>*{display:none}</style>",
    b"<!--",
    b"<![CDATA[",
    b"&#x110000;",
    b"xml:space=\"preserve\"",
    b"{\\rtf1 ",
    b"\\bin2147483647 ",
    b"\\u-32768 ",
    b"}}",
    b"--b\r\n",
    b"Content-Transfer-Encoding: base64\r\n\r\n",
    b"=?utf-8?B?",
    b"\xff\xfe\x00",
];
/// The places where reading broke, with their counts.
static BREAKS: LazyLock<Mutex<BTreeMap<String, usize>>> = LazyLock::new(Mutex::default);

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [seconds, seed, files @ ..] = arguments.as_slice() else {
        return Err("mutate_document SECONDS SEED FILE…".into());
    };
    let limit = Duration::from_secs(seconds.parse()?);
    let mut dice = MutantDice(seed.parse::<u64>()?.max(1));
    let mut seeds = Vec::new();
    for file in files {
        let bytes = std::fs::read(file)?;
        seeds.extend((bytes.len() <= LONGEST).then_some(bytes));
    }
    std::panic::set_hook(Box::new(|broken| {
        let place = broken.location().map_or_else(String::new, ToString::to_string);
        *BREAKS.lock().unwrap_or_else(PoisonError::into_inner).entry(place).or_default() += 1;
    }));
    let (start, mut longest) = (Instant::now(), Duration::ZERO);
    let (mut inputs, mut read) = (0_u64, 0_u64);
    let mut out = std::io::stdout().lock();
    while start.elapsed() < limit {
        let file = dice.mutant(&seeds);
        let begun = Instant::now();
        let reader = DocumentReader::in_process();
        // A part that breaks is caught within the reader of PDF files, and nowhere else.
        let document = catch_unwind(AssertUnwindSafe(|| {
            if DocumentReader::media_type(&file).is_some_and(|kind| kind.starts_with("image/")) {
                let _ = reader.page_picture(&file, 1, 0.5);
            }
            reader.document(DocumentId::new("x"), file.clone())
        }));
        let took = begun.elapsed();
        longest = longest.max(took);
        inputs += 1;
        let Ok(document) = document else {
            std::fs::write(std::env::temp_dir().join(format!("broken-{seed}-{inputs}")), &file)?;
            writeln!(out, "broken-{seed}-{inputs} in the folder of temporary files")?;
            continue;
        };
        read += u64::from(document.text.is_ok() && document.pages.is_none());
        if let (Ok(text), Some(pages)) = (&document.text, &document.pages) {
            read += 1;
            for word in pages.iter().flat_map(|page| &page.words) {
                if text.as_str().get(word.text()).is_none_or(str::is_empty) {
                    writeln!(out, "a word has no text: {inputs}")?;
                }
            }
        }
        if took > LONG {
            std::fs::write(std::env::temp_dir().join(format!("slow-{seed}-{inputs}")), &file)?;
            writeln!(out, "{took:?}: slow-{seed}-{inputs} in the folder of temporary files")?;
        }
    }
    writeln!(out, "{inputs} files, {read} read, the longest in {longest:?}")?;
    for (place, count) in BREAKS.lock().unwrap_or_else(PoisonError::into_inner).iter() {
        writeln!(out, "broke {count} times at {place}")?;
    }
    Ok(())
}

/// A generator of random numbers (xorshift).
struct MutantDice(u64);

impl MutantDice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(limit.max(1)).unwrap_or(1)).unwrap_or(0)
    }

    /// One of the files, changed at some places.
    fn mutant(&mut self, seeds: &[Vec<u8>]) -> Vec<u8> {
        let Some(seed) = seeds.get(self.below(seeds.len())) else { return Vec::new() };
        if seed.starts_with(b"PK\x03\x04")
            && let Some(package) = self.package(seed)
        {
            return package;
        }
        self.changed(seed.clone())
    }

    /// A package of which a part is changed.
    fn package(&mut self, seed: &[u8]) -> Option<Vec<u8>> {
        let mut archive = ZipArchive::new(Cursor::new(seed)).ok()?;
        let changed = self.below(archive.len());
        let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
        for at in 0..archive.len() {
            let mut part = archive.by_index(at).ok()?;
            let name = part.name().ok()?.into_owned();
            let mut content = Vec::new();
            part.read_to_end(&mut content).ok()?;
            if at == changed {
                content = self.changed(content);
            }
            writer.start_file(name, SimpleFileOptions::default()).ok()?;
            writer.write_all(&content).ok()?;
        }
        writer.finish().ok().map(Cursor::into_inner)
    }

    /// A file, changed at some places.
    fn changed(&mut self, mut file: Vec<u8>) -> Vec<u8> {
        if file.is_empty() {
            return file;
        }
        for _ in 0..=self.below(12) {
            let at = self.below(file.len());
            let end = (at + 1 + self.below(40)).min(file.len());
            match self.below(6) {
                0 | 1 => {
                    let byte = u8::try_from(self.below(256)).unwrap_or(0);
                    file.splice(at..end.min(at + 1), [byte]);
                }
                2 => drop(file.drain(at..end)),
                3 => {
                    let part: Vec<u8> = file.get(at..end).unwrap_or_default().to_vec();
                    let to = self.below(file.len());
                    file.splice(to..to, part);
                }
                4 => {
                    let word = WORDS.get(self.below(WORDS.len())).copied().unwrap_or_default();
                    file.splice(at..at, word.iter().copied());
                }
                _ => {
                    // Numbers become other numbers.
                    for byte in
                        file.iter_mut().skip(at).take(200).filter(|byte| byte.is_ascii_digit()).take(1)
                    {
                        *byte = b'0' + u8::try_from(self.below(10)).unwrap_or(0);
                    }
                }
            }
        }
        file
    }
}
