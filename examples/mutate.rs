//! Random and mutated inputs for minutes, on stable Rust: does anything break, or take long?
//!
//! ```text
//! cargo run --example mutate -- salvage|profile|candidate SECONDS [SEED]
//! ```
//!
//! `salvage` mutates the inputs of `tests/corpora/llm_json`, `profile` the shipped profiles and those of `examples/`,
//! `candidate` the same replies as `salvage`, scored from text and from a tree.
//! Inputs depend on the seed alone. `fuzz/` has the same checks for cargo-fuzz.

use loopctl::diag::{Problems, Style, render_human};
use loopctl::plan::{DocumentContext, Given, Plan};
use loopctl::profile::{Library, load};
use loopctl::repair::{RepairKind, salvage, salvage_bytes};
use loopctl::score::Assessment;
use loopctl::value::{MAX_CANDIDATE_DEPTH, is_deeper};
use serde_json::Value;
use std::error::Error;
use std::io::Write;
use std::path::Path;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

/// Longest input, in bytes.
const LONGEST: usize = 4_096;
/// An input that takes longer is shown.
const LONG: Duration = Duration::from_secs(5);

/// Says whether an input was of use, or what is wrong with what became of it.
type MutantCheck = fn(&[u8]) -> Result<bool, String>;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let usage = "mutate salvage|profile|candidate SECONDS [SEED]";
    let what = arguments.first().map(String::as_str).ok_or(usage)?;
    let limit = Duration::from_secs(arguments.get(1).ok_or(usage)?.parse()?);
    let mut dice = Dice(arguments.get(2).map_or(Ok(1), |seed| seed.parse())?);
    let (seeds, words, check): (_, &[&str], MutantCheck) = match what {
        "salvage" => (replies()?, &JSON_WORDS, check_salvage),
        "profile" => (profiles()?, &YAML_WORDS, check_profile),
        "candidate" => (candidates()?, &JSON_WORDS, check_candidate),
        _ => return Err(usage.into()),
    };
    let start = Instant::now();
    let (mut inputs, mut usable, mut broken) = (0_u64, 0_u64, 0_u64);
    let mut longest = Duration::ZERO;
    let mut out = std::io::stdout().lock();
    while start.elapsed() < limit {
        let input = dice.input(&seeds, words);
        let begun = Instant::now();
        let checked = std::panic::catch_unwind(|| check(&input));
        let took = begun.elapsed();
        longest = longest.max(took);
        inputs += 1;
        let wrong = match checked {
            Ok(Ok(was_usable)) => {
                usable += u64::from(was_usable);
                None
            }
            Ok(Err(why)) => Some(why),
            Err(_) => Some("it panicked".to_owned()),
        };
        let wrong = wrong.or_else(|| (took > LONG).then(|| format!("it took {took:?}")));
        if let Some(why) = wrong {
            broken += 1;
            writeln!(out, "{why}: {}", Value::from(String::from_utf8_lossy(&input)))?;
        }
    }
    writeln!(out, "{what}: {inputs} inputs, {usable} usable, {broken} broken; the slowest took {longest:?}")?;
    if broken == 0 { Ok(()) } else { Err("something broke".into()) }
}

const JSON_WORDS: [&str; 40] = [
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    "\"",
    "'",
    "“",
    "’",
    "`",
    "```",
    "```json\n",
    ":",
    ",",
    "\\",
    "\\\"",
    "\\u",
    "\\ud83d",
    "//",
    "/*",
    "*/",
    "# ",
    "...",
    "…",
    "null",
    "None",
    "True",
    "NaN",
    "-",
    "1e",
    ".5",
    "007",
    "+",
    "\n",
    " ",
    "\u{feff}",
    "\u{a0}",
    "\"a\": ",
    "f(",
];
const YAML_WORDS: [&str; 40] = [
    "\n",
    "  ",
    ": ",
    "- ",
    "{",
    "}",
    "[",
    "]",
    ",",
    "'",
    "\"",
    "|",
    ">",
    "&a",
    "*a",
    "<<: ",
    "!!str ",
    "#",
    "---\n",
    "null",
    "~",
    "true",
    "0.5",
    "-1",
    ".inf",
    "1e400",
    "extends: ",
    "stages:",
    "assess:",
    "stop:",
    "accept:",
    "repair:",
    "overall",
    "${A:-",
    "}}",
    "{{",
    "\t",
    "\u{0}",
    "?",
    "%YAML",
];

/// xorshift64*: nothing depends on its quality.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let roll = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 16;
        usize::try_from(roll).unwrap_or_default() % sides.max(1)
    }

    fn input(&mut self, seeds: &[Vec<u8>], words: &[&str]) -> Vec<u8> {
        let mut bytes = seeds.get(self.roll(seeds.len())).cloned().unwrap_or_default();
        for _ in 0..=self.roll(8) {
            let (from, to) = (self.roll(bytes.len() + 1), self.roll(bytes.len() + 1));
            let (from, to) = (from.min(to), from.max(to));
            let word = words.get(self.roll(words.len())).copied().unwrap_or_default().as_bytes();
            match self.roll(7) {
                0 => drop(bytes.splice(from..from, word.iter().copied())),
                1 => drop(bytes.splice(from..to.min(from + 16), [])),
                2 => bytes.truncate(to),
                3 => drop(bytes.splice(from..from, word.repeat(self.roll(200)))),
                4 => {
                    let copy: Vec<u8> = bytes.get(from..to.min(from + 200)).unwrap_or_default().to_vec();
                    bytes.splice(to..to, copy);
                }
                5 => {
                    let random = u8::try_from(self.roll(256)).unwrap_or_default();
                    if let Some(byte) = bytes.get_mut(from) {
                        *byte = random;
                    }
                }
                _ => {
                    let other = seeds.get(self.roll(seeds.len())).cloned().unwrap_or_default();
                    let cut = self.roll(other.len() + 1);
                    bytes.splice(from..from, other.get(..cut).unwrap_or_default().iter().copied());
                }
            }
            bytes.truncate(LONGEST);
        }
        bytes
    }
}

fn replies() -> Result<Vec<Vec<u8>>, Box<dyn Error>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpora/llm_json/repair_cases.jsonl");
    let text = std::fs::read_to_string(path)?;
    let inputs = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    Ok(inputs.filter_map(|record| Some(record.get("input")?.as_str()?.as_bytes().to_vec())).collect())
}

fn profiles() -> Result<Vec<Vec<u8>>, Box<dyn Error>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = vec![loopctl::profile::defaults_text().as_bytes().to_vec()];
    for folder in ["profiles", "examples/profiles"] {
        for entry in std::fs::read_dir(root.join(folder))? {
            let path = entry?.path();
            if path.extension().is_some_and(|ending| ending == "yaml") {
                found.push(std::fs::read(path)?);
            }
        }
    }
    Ok(found)
}

/// The answers of models, and candidates with the fields that the rules inspect.
fn candidates() -> Result<Vec<Vec<u8>>, Box<dyn Error>> {
    let own = [
        r#"{"a": "text", "b": [{"a": 1}, {"a": 2.5, "a": 3}], "c": {"a": 1.0}, "c_status": "not_present"}"#,
        r#"{"a": {"b": [[], {}]}, "b": ["x", "\u0078", 1e2, -0], "\u0063": null, "b": [1, 1.0]}"#,
    ];
    Ok(own.iter().map(|text| text.as_bytes().to_vec()).chain(replies()?).collect())
}

/// A candidate is scored from its text as from its tree.
fn check_candidate(bytes: &[u8]) -> Result<bool, String> {
    static PLAN: LazyLock<Option<Plan>> = LazyLock::new(|| {
        let library = Library::embedded()
            .holding("profiles/fuzz.yaml", include_str!("../fuzz/candidate/profile.yaml"))
            .holding("rules/fuzz.yaml", include_str!("../fuzz/candidate/rules.yaml"))
            .holding("rules/rubrics/fuzz.yaml", include_str!("../fuzz/candidate/rubric.yaml"));
        let mut problems = Problems::new();
        Plan::compile(&load("fuzz", &library, &[], &|_| None, &mut problems)?, &mut problems)
    });
    let plan = PLAN.as_ref().ok_or("the profile does not compile")?;
    let Ok(text) = std::str::from_utf8(bytes) else { return Ok(false) };
    let context = DocumentContext::named(plan, "unknown", None);
    let mut assessor = context.assessor();
    let (mut from_tree, mut from_text) = (Assessment::default(), Assessment::default());
    let read = context.assess_text(&mut assessor, text, Given::default(), &mut from_text);
    match (serde_json::from_str::<Value>(text), read) {
        (Ok(tree), Ok(())) => {
            context.assess(&mut assessor, &tree, Given::default(), &mut from_tree);
            if from_tree == from_text {
                Ok(true)
            } else {
                Err("text and tree are scored differently".to_owned())
            }
        }
        (Err(expected), Err(found)) if expected.to_string() == found.to_string() => Ok(false),
        (tree, read) => Err(format!("{:?} from the tree, {:?} from text", tree.err(), read.err())),
    }
}

fn check_salvage(bytes: &[u8]) -> Result<bool, String> {
    let Ok(salvaged) = salvage_bytes(bytes) else { return Ok(false) };
    if is_deeper(&salvaged.value, MAX_CANDIDATE_DEPTH) {
        return Err("it is nested too deep".to_owned());
    }
    if !salvage(&salvaged.value.to_string()).is_ok_and(|again| again.steps.is_empty()) {
        return Err("what comes out is not left alone".to_owned());
    }
    match serde_json::from_slice::<Value>(bytes) {
        Ok(strict)
            if strict != salvaged.value
                || salvaged.steps.iter().any(|step| step.kind != RepairKind::LostDigits) =>
        {
            Err("strict JSON was changed".to_owned())
        }
        _ => Ok(true),
    }
}

fn check_profile(bytes: &[u8]) -> Result<bool, String> {
    let path = std::env::temp_dir().join(format!("loopctl-mutate-{}.yaml", std::process::id()));
    std::fs::write(&path, bytes).map_err(|error| error.to_string())?;
    let mut problems = Problems::new();
    let loaded = load(&path.to_string_lossy(), &Library::embedded(), &[], &|_| None, &mut problems);
    let plan = loaded.and_then(|loaded| Plan::compile(&loaded, &mut problems));
    let _ = render_human(&problems, Style::Plain);
    match plan {
        Some(_) if problems.has_errors() => Err("a profile with errors can be run".to_owned()),
        None if !problems.has_errors() => {
            Err("nothing is reported about a profile that can't be run".to_owned())
        }
        plan => Ok(plan.is_some()),
    }
}
