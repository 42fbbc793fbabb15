//! Scoring by a profile and by hand-written code, side by side: `cargo bench -- ratios`, and
//! `cargo bench -- instructions` for what does not depend on the machine.
//!
//! Machines differ and are noisy, so only the ratio counts: both are timed in turn in each round, and the median of the
//! rounds' ratios is compared with the one in `ratios.txt` (`instructions.txt`). More than a quarter above it fails;
//! `LOOPCTL_UPDATE=1` rewrites the file.
#![expect(clippy::print_stdout, reason = "a bench says what it has measured")]
#![expect(clippy::indexing_slicing, reason = "of records that stand here, and of rounds that were counted")]

use crate::documents::{loaded, pathology, plan};
use loopctl::plan::{DocumentContext, Given, Plan};
use loopctl::policy::{History, IterationSummary, ScriptCriteria, Spent, decide};
use loopctl::score::Assessment;
use loopctl::value::Score;
use regex::Regex;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::hint::black_box;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

const ROUNDS: usize = 31;
const SLICE: Duration = Duration::from_millis(4);
/// The factor by which a ratio may be worse than the recorded one.
const WORSE: f64 = 1.25;
const RATIOS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/ratios.txt");
const INSTRUCTIONS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/instructions.txt");
/// With this argument, the bench does one thing a number of times, so that its instructions can be counted.
pub(crate) const COUNTED: &str = "--counted";

/// The seven fields, and what each weighs.
const WEIGHED: [(&str, f64); 7] = [
    ("histology", 1.0),
    ("grade", 1.0),
    ("margins", 0.7),
    ("ihcMarkers", 0.7),
    ("date", 0.3),
    ("institution", 0.3),
    ("rawText", 0.3),
];
const WIDE: usize = 200;

/// One candidate, and the two ways to score it. Each returns its overall score.
struct HandWrittenCase {
    name: String,
    ours: Box<dyn FnMut() -> f64>,
    by_hand: Box<dyn FnMut() -> f64>,
}

/// Prints how long each case takes, and fails where a ratio is worse than the recorded one.
///
/// # Panics
/// If one is.
pub(crate) fn table() {
    let measured = cases().into_iter().map(|mut case| (case.name.clone(), case.side_by_side()));
    report("nanoseconds", RATIOS, &measured.collect());
}

/// Like [`table`], by the instructions that each case takes, which are the same on every run. Valgrind counts them.
///
/// # Panics
/// If a ratio is worse than the recorded one.
pub(crate) fn instructions() {
    let names: Vec<String> = cases().into_iter().map(|case| case.name).collect();
    let mut measured = BTreeMap::new();
    for name in names {
        let Some((ours, by_hand)) = counted(&name, "ours").zip(counted(&name, "by-hand")) else {
            println!("there is no valgrind here to count instructions");
            return;
        };
        measured.insert(name, [ours / by_hand, ours, by_hand]);
    }
    report("instructions", INSTRUCTIONS, &measured);
}

/// Does one thing a number of times: the name of a case, who does it, how often.
pub(crate) fn repeat(arguments: &[String]) {
    let [name, who, times] = arguments else { return };
    let (Ok(times), Some(mut case)) = (times.parse(), cases().into_iter().find(|case| case.name == *name))
    else {
        return;
    };
    let work = if who == "ours" { &mut case.ours } else { &mut case.by_hand };
    for _ in 0..times {
        black_box(work());
    }
}

/// The number of instructions that one case takes: what 1,010 take more than 10, divided by 1,000.
fn counted(name: &str, who: &str) -> Option<f64> {
    const TIMES: u32 = 1_000;
    let of = |times: u32| -> Option<f64> {
        let out = Command::new("valgrind")
            .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
            .arg(std::env::current_exe().ok()?)
            .args([COUNTED, name, who, &times.to_string()])
            .output()
            .ok()?;
        let said = String::from_utf8_lossy(&out.stderr).into_owned();
        let line = said.lines().find_map(|line| line.split_once("Collected :"))?;
        line.1.trim().parse().ok()
    };
    Some((of(TIMES + 10)? - of(10)?) / f64::from(TIMES))
}

fn cases() -> Vec<HandWrittenCase> {
    let folder = tempfile::tempdir().unwrap();
    let (record, wide) = (Arc::new(record_plan(folder.path())), Arc::new(wide_plan(folder.path())));
    let (by_hand, wide_by_hand) = (Arc::new(ByHand::new()), Arc::new(WideByHand::new()));
    let mut cases = Vec::new();
    for (name, candidate) in
        [("record", clean()), ("record with faults", faulty()), ("large record", large(clean()))]
    {
        let by_hand = Arc::clone(&by_hand);
        cases.extend(of_candidate(name, &record, candidate, move |value| by_hand.score(value)));
    }
    cases.extend(of_candidate("200 fields", &wide, wide_record(), move |value| wide_by_hand.score(value)));
    cases.push(decision(&record, &by_hand));
    cases
}

/// A candidate that is a value, and one that is text.
fn of_candidate(
    name: &str,
    plan: &Arc<Plan>,
    candidate: Value,
    by_hand: impl Fn(&Value) -> f64 + Clone + 'static,
) -> [HandWrittenCase; 2] {
    let given = || vec![("accuracy".to_owned(), Score::ONE)];
    let context = DocumentContext::named(plan, "report", None);
    let assessor = || (context.assessor(), Assessment::default(), given());
    let (text, candidate) = (candidate.to_string(), Arc::new(candidate));
    let ((mut of_value, mut out, scores), value) = (assessor(), Arc::clone(&candidate));
    let document = context.clone();
    let from_value = HandWrittenCase {
        name: format!("{name}, from a value"),
        ours: Box::new(move || {
            let given = Given { scores: &scores, ..Given::default() };
            document.assess(&mut of_value, black_box(&value), given, &mut out);
            out.overall
        }),
        by_hand: {
            let by_hand = by_hand.clone();
            Box::new(move || by_hand(black_box(&candidate)))
        },
    };
    let ((mut of_text, mut out, scores), own) = (assessor(), text.clone());
    let from_text = HandWrittenCase {
        name: format!("{name}, from text"),
        ours: Box::new(move || {
            let given = Given { scores: &scores, ..Given::default() };
            context.assess_text(&mut of_text, black_box(&own), given, &mut out).unwrap();
            out.overall
        }),
        by_hand: Box::new(move || by_hand(&serde_json::from_str(black_box(&text)).unwrap())),
    };
    [from_value, from_text]
}

/// A candidate as the loop has it: assessed, with where each point went, and decided upon after one that was worse.
fn decision(plan: &Arc<Plan>, by_hand: &Arc<ByHand>) -> HandWrittenCase {
    let (candidate, by_hand) = (Arc::new(clean()), Arc::clone(by_hand));
    let (policy, value) = (Arc::clone(&plan.policy), Arc::clone(&candidate));
    let context = DocumentContext::named(plan, "report", None);
    let (mut assessor, mut out) = (context.assessor(), Assessment::default());
    let given = vec![("accuracy".to_owned(), Score::ONE)];
    let worse = Assessment { overall: 0.8, ..Assessment::default() };
    HandWrittenCase {
        name: "record, accounted for and decided upon".to_owned(),
        ours: Box::new(move || {
            let given = Given { scores: &given, ..Given::default() };
            black_box(context.assess_and_account(&mut assessor, black_box(&value), given, &mut out));
            let mut history = History::new();
            history.push(&policy, IterationSummary::of(&policy, &worse, None));
            history.push(&policy, IterationSummary::of(&policy, &out, None));
            let _ = black_box(decide(&policy, &mut history, Spent::default(), &ScriptCriteria::default()));
            out.overall
        }),
        by_hand: Box::new(move || {
            let score = by_hand.score(black_box(&candidate));
            black_box(score >= 0.95 || score - black_box(0.8) < 0.05);
            score
        }),
    }
}

impl HandWrittenCase {
    /// The median ratio, and the median times in nanoseconds: ours, the hand-written code's.
    fn side_by_side(&mut self) -> [f64; 3] {
        let (ours, theirs) = ((self.ours)(), (self.by_hand)());
        assert!((ours - theirs).abs() < 1e-9, "{}: {ours} is {theirs} by hand", self.name);
        let mut rounds: Vec<[f64; 3]> = (0..ROUNDS)
            .map(|round| {
                // The first finds the caches cold, so they take turns.
                let (a, b) = if round % 2 == 0 {
                    let a = nanoseconds(&mut self.ours);
                    (a, nanoseconds(&mut self.by_hand))
                } else {
                    let b = nanoseconds(&mut self.by_hand);
                    (nanoseconds(&mut self.ours), b)
                };
                [a / b, a, b]
            })
            .collect();
        std::array::from_fn(|column| {
            rounds.sort_unstable_by(|one, other| one[column].total_cmp(&other[column]));
            rounds[ROUNDS / 2][column]
        })
    }
}

fn nanoseconds(work: &mut impl FnMut() -> f64) -> f64 {
    let (begun, mut times) = (Instant::now(), 0_u32);
    while begun.elapsed() < SLICE {
        for _ in 0..16 {
            black_box(work());
        }
        times += 16;
    }
    begun.elapsed().as_secs_f64() * 1e9 / f64::from(times)
}

fn report(unit: &str, path: &str, measured: &BTreeMap<String, [f64; 3]>) {
    let written = std::fs::read_to_string(path).unwrap_or_default();
    let written: BTreeMap<&str, f64> = written
        .lines()
        .filter_map(|line| line.split_once(':'))
        .filter_map(|(name, ratio)| Some((name, ratio.trim().parse().ok()?)))
        .collect();
    println!("{:<40}{:>12}{:>12}{:>9}{:>11}", format!("in {unit}"), "loopctl", "by hand", "ratio", "written");
    let (mut file, mut worse) = (String::new(), Vec::new());
    for (name, [ratio, ours, by_hand]) in measured {
        let before = written.get(name.as_str());
        let known = before.map_or_else(|| "-".to_owned(), |ratio| format!("{ratio:.2}"));
        println!("{name:<40}{ours:>12.0}{by_hand:>12.0}{ratio:>9.2}{known:>11}");
        // Writing to a String can't fail.
        let _ = writeln!(file, "{name}: {ratio:.2}");
        if before.is_some_and(|before| *ratio > before * WORSE) {
            worse.push(name.as_str());
        }
    }
    if std::env::var_os("LOOPCTL_UPDATE").is_some() {
        std::fs::write(path, file).unwrap();
    } else {
        assert!(
            worse.is_empty(),
            "more than a quarter more {unit}, by hand-written code: {}",
            worse.join("; ")
        );
    }
}

/// The rules of the reliability loop, as its tables have them.
fn record_plan(folder: &Path) -> Plan {
    let rubric = "types:
  report:
    required: [histology, grade]
    important: [margins, ihcMarkers]
    optional: [date, institution, rawText]
";
    let validity = r"rules:
  - { id: grade-format, field: grade, matches: { pattern: '^(1|2|3|I|II|III|well|moderate|poorly)', ignore_case: true } }
  - id: marker-value
    each: $.ihcMarkers.*
    when: { key: { matches: { pattern: 'er|pr', ignore_case: true } } }
    required: true
    matches: { pattern: 'positive|negative|\d+%', ignore_case: true }
  - { id: msi-status, field: msiStatus, matches: { pattern: '^(MSI-?H|MSI-?L|MSS|stable|high|low)', ignore_case: true } }
  - { id: tmb-number, field: tmb, type: number }
";
    let consistency = "rules:
  - { id: carcinoma-needs-grade, when: { field: histology, contains: carcinoma }, require: grade }
  - { id: mutations-need-msi, when: { field: mutations, required: true }, require: msiStatus }
";
    let profile = "classify: null
assess:
  completeness: { rubric: record }
  accuracy: given
  validity: { rules: record-validity, penalty: 0.10, floor: 0.30 }
  consistency: { rules: record-consistency, penalty: 0.15, floor: 0.50 }
overall: { completeness: 0.30, accuracy: 0.40, validity: 0.15, consistency: 0.15 }
accept: { overall: 0.95 }
stop: { max_iterations: 3 }
";
    let files = [
        ("rules/rubrics/record.yaml", rubric),
        ("rules/record-validity.yaml", validity),
        ("rules/record-consistency.yaml", consistency),
        ("record.yaml", profile),
    ];
    written_plan(folder, &files)
}

fn wide_plan(folder: &Path) -> Plan {
    let names: Vec<String> = (0..WIDE).map(|field| format!("field{field}")).collect();
    let rubric = format!("types: {{ report: {{ required: [{}] }} }}\n", names.join(", "));
    let rules = "rules:
  - { id: shape, each: '$.*', matches: { pattern: '^observation \\d+ of \\d+$' }, length: { max: 60 } }
  - { id: first-and-last, when: { field: field0, contains: observation }, require: field199 }
";
    let profile = "classify: null
assess: { completeness: { rubric: many }, accuracy: given, validity: { rules: many } }
overall: { completeness: 0.4, accuracy: 0.4, validity: 0.2 }
accept: { overall: 0.95 }
stop: { max_iterations: 3 }
";
    let files =
        [("rules/rubrics/many.yaml", rubric.as_str()), ("rules/many.yaml", rules), ("many.yaml", profile)];
    written_plan(folder, &files)
}

/// The plan of the last of some files, which are written to a folder.
fn written_plan(folder: &Path, files: &[(&str, &str)]) -> Plan {
    let mut last = folder.to_owned();
    for (name, content) in files {
        last = folder.join(name);
        std::fs::create_dir_all(last.parent().unwrap_or(folder)).unwrap();
        std::fs::write(&last, content).unwrap();
    }
    plan(&loaded(&last.to_string_lossy()))
}

fn clean() -> Value {
    let mut record = pathology();
    record["ihcMarkers"]["HER2"] = json!("negative (1+)");
    record["msiStatus"] = json!("MSS");
    record["tmb"] = json!(4.2);
    record["mutations"] = json!([{"gene": "PIK3CA", "variant": "p.H1047R"}]);
    record
}

/// Every rule finds something.
fn faulty() -> Value {
    let mut record = clean();
    record["grade"] = json!("");
    record["ihcMarkers"] = json!({"ER": "strong", "PR": "weak", "Ki-67": "18%"});
    record["tmb"] = json!("4.2 per megabase");
    record["msiStatus"] = Value::Null;
    record
}

/// With as many fields more as documents have that nothing is asked of.
fn large(mut record: Value) -> Value {
    for at in 0..WIDE {
        record[format!("remark{at}")] = json!({"text": format!("remark {at}"), "pages": [at, at + 1]});
    }
    record
}

fn wide_record() -> Value {
    let member =
        |field: usize| (format!("field{field}"), json!(format!("observation {field} of {}", field * 7)));
    Value::Object((0..WIDE).map(member).collect::<Map<_, _>>())
}

fn present<'a>(record: &'a Value, field: &str) -> Option<&'a Value> {
    record.get(field).filter(|value| !value.is_null() && value.as_str() != Some(""))
}

fn penalized(issues: u32, penalty: f64, floor: f64) -> f64 {
    (1.0 - penalty * f64::from(issues)).max(floor)
}

/// The code that a user would write who needs just these rules.
struct ByHand {
    grade: Regex,
    marker_key: Regex,
    marker: Regex,
    msi: Regex,
    carcinoma: Regex,
}

impl ByHand {
    fn new() -> Self {
        let regex = |pattern: &str| Regex::new(pattern).unwrap();
        ByHand {
            grade: regex("(?i)^(1|2|3|I|II|III|well|moderate|poorly)"),
            marker_key: regex("(?i)er|pr"),
            marker: regex(r"(?i)positive|negative|\d+%"),
            msi: regex("(?i)^(MSI-?H|MSI-?L|MSS|stable|high|low)"),
            carcinoma: regex("(?i)carcinoma"),
        }
    }

    fn score(&self, record: &Value) -> f64 {
        let matches = |regex: &Regex, value: &Value| value.as_str().is_some_and(|text| regex.is_match(text));
        let weight: f64 = WEIGHED
            .iter()
            .filter(|(field, _)| present(record, field).is_some())
            .map(|(_, weight)| weight)
            .sum();
        let all: f64 = WEIGHED.iter().map(|(_, weight)| weight).sum();
        let (grade, msi) = (present(record, "grade"), present(record, "msiStatus"));
        let mut invalid = u32::from(grade.is_some_and(|grade| !matches(&self.grade, grade)));
        if let Some(Value::Object(markers)) = record.get("ihcMarkers") {
            for (name, value) in markers {
                invalid += u32::from(self.marker_key.is_match(name) && !matches(&self.marker, value));
            }
        }
        invalid += u32::from(msi.is_some_and(|msi| !matches(&self.msi, msi)));
        invalid += u32::from(present(record, "tmb").is_some_and(|tmb| !tmb.is_number()));
        let is_carcinoma = record.get("histology").is_some_and(|value| matches(&self.carcinoma, value));
        let has_mutations =
            record.get("mutations").and_then(Value::as_array).is_some_and(|list| !list.is_empty());
        let inconsistent =
            u32::from(is_carcinoma && grade.is_none()) + u32::from(has_mutations && msi.is_none());
        0.30 * weight / all
            + 0.40
            + 0.15 * penalized(invalid, 0.10, 0.30)
            + 0.15 * penalized(inconsistent, 0.15, 0.50)
    }
}

struct WideByHand {
    names: Vec<String>,
    shape: Regex,
}

impl WideByHand {
    fn new() -> Self {
        WideByHand {
            names: (0..WIDE).map(|field| format!("field{field}")).collect(),
            shape: Regex::new(r"^observation \d+ of \d+$").unwrap(),
        }
    }

    fn score(&self, record: &Value) -> f64 {
        let there = self.names.iter().filter(|name| present(record, name).is_some()).count();
        let mut invalid = 0;
        for value in record.as_object().into_iter().flat_map(|members| members.values()) {
            let text = value.as_str().unwrap_or_default();
            invalid += u32::from(!self.shape.is_match(text) || text.chars().count() > 60);
        }
        let begins =
            record.get("field0").and_then(Value::as_str).is_some_and(|text| text.contains("observation"));
        invalid += u32::from(begins && present(record, "field199").is_none());
        #[expect(clippy::cast_precision_loss, reason = "200 at most")]
        let completeness = there as f64 / self.names.len() as f64;
        0.4 * completeness + 0.4 + 0.2 * penalized(invalid, 0.1, 0.3)
    }
}
