//! `loopctl prove`.

use super::loading::{OverrideArguments, context, library, or_default};
use super::result_format::result_format;
use crate::diag::{Problems, nearest};
use crate::disk::{self, Access};
use crate::experiment::Trajectory;
use crate::experiment::prove::{Broken, Effort, Subject, prove};
use crate::facts::{Origin, place_of_line, range_of};
use crate::failure::{ExitStatus, Failure};
use crate::policy::{Promises, ScriptCriteria};
use crate::profile::{DeclaredPromise, Loaded, PromiseFile, read_text_file};
use crate::report::{ProofReport, proof_json, proof_text};
use crate::requests::ResultFormat;
use crate::streams::Streams;
use crate::value::ShownPath;
use crate::value::decode::Decode;
use crate::value::{sanitize_line, yaml};
use clap::Args;
use std::path::{Path, PathBuf};

#[derive(Args)]
#[command(
    after_help = "A promise is what must hold of every run, whatever candidates score (`promises:` in the profile, see `docs/prove.md`). Every run is tried over a grid of values: each constant of the policy, just below and just above it, and the ends of what can be scored. A promise that does not hold is shown with a shortest run that breaks it. One that was not broken holds only if all was tried that may break it; else it is `not shown`, and why.\n\nExit status: 0 every promise holds; 1 a file can't be written; 2 the profile or a promise can't be used; 3 a promise is broken, or not shown (unless `--allow-not-shown`)."
)]
pub(super) struct Arguments {
    /// Profile by name, or by path (`./mine.yaml`)
    #[arg(value_name = "PROFILE", default_value = "balanced", env = "LOOPCTL_PROFILE", value_parser = or_default)]
    profile: String,
    #[command(flatten)]
    over: OverrideArguments,
    /// A file with more promises (`promises: [{ always: calls <= 6 }]`; repeatable)
    #[arg(long, value_name = "FILE")]
    promises: Vec<PathBuf>,
    #[command(flatten)]
    effort: EffortArguments,
    /// Exit with status 0 even if promises are not shown to hold, as long as none is broken
    #[arg(long)]
    allow_not_shown: bool,
    /// Format of the proof on standard output
    #[arg(long, value_parser = result_format(), default_value = "text")]
    format: ResultFormat,
}

/// The effort of a search, and the location of runs that show something.
#[derive(Args, Clone)]
pub(super) struct EffortArguments {
    /// Maximum number of decisions of the complete search; beyond it, runs are tried only at random
    #[arg(long, value_name = "N", default_value_t = Effort::default().decisions)]
    decisions: u64,
    /// Number of runs tried at random, in addition
    #[arg(long, value_name = "N", default_value_t = Effort::default().random)]
    random: u64,
    /// Seed of the random runs: the same number tries the same runs
    #[arg(long, value_name = "N", default_value_t = Effort::default().seed)]
    seed: u64,
    /// Write the runs that show it, as `loopctl simulate` reads them: to one file, or one file each into a folder (a
    /// path that ends in `/`, or an existing folder)
    #[arg(long, value_name = "PATH")]
    out: Option<PathBuf>,
}

impl EffortArguments {
    pub(super) fn effort(&self) -> Effort {
        Effort { decisions: self.decisions, random: self.random, seed: self.seed }
    }

    /// Writes the runs that show something.
    pub(super) fn write(&self, runs: &[&Trajectory]) -> Result<(), Failure> {
        match &self.out {
            Some(path) if !runs.is_empty() => write_runs(path, runs),
            _ => Ok(()),
        }
    }
}

pub(super) fn execute(arguments: &Arguments, output: &mut Streams) -> Result<ExitStatus, Failure> {
    let mut problems = Problems::new();
    let own = declared_in_files(&arguments.promises, &mut problems);
    let tried = TriedProfile::load(&arguments.profile, &arguments.over, &own, &mut problems);
    output.show(&problems);
    let Some(tried) = tried.filter(|_| !problems.has_errors()) else {
        return Err(Failure::usage(format!("the promises of `{}` can't be tried", arguments.profile)));
    };
    let range = tried.range();
    let subject = tried.subject(&range);
    let proof = prove(&subject, &tried.promises, arguments.effort.effort());
    for line in &proof.unknown_lines {
        let known = proof_lines(&tried);
        let guess =
            nearest(line, known.iter().map(String::as_str)).map(|guess| format!("; did you mean `{guess}`?"));
        let word = output.err_paint.warn("warning:");
        output.say(&format!(
            "{word} `no_dead_criterion` is waived of `{}`, and the policy has no such line{}",
            sanitize_line(line),
            guess.unwrap_or_default()
        ));
    }
    let places = |line: &str| tried.place(line);
    let report = ProofReport {
        profile: &tried.loaded.profile.name,
        promises: &tried.promises,
        proof: &proof,
        places: &places,
    };
    match arguments.format {
        ResultFormat::Text => output.out.write_all(proof_text(report, output.out_paint).as_bytes())?,
        format => output.write_json(&proof_json(report), format)?,
    }
    let mut runs = Vec::new();
    for proved in &proof.promises {
        if let Some(Broken::Run(run)) = proved.broken() {
            runs.push(&run.trajectory);
            runs.extend(run.beside.as_ref().map(|(trajectory, _)| trajectory));
        }
    }
    arguments.effort.write(&runs)?;
    let kept = proof.holds() || (arguments.allow_not_shown && !proof.is_broken());
    Ok(if kept { ExitStatus::Success } else { ExitStatus::NotPassed })
}

fn proof_lines(tried: &TriedProfile) -> Vec<String> {
    let range = tried.range();
    crate::experiment::prove::lines(&tried.subject(&range))
}

/// The policy of a profile, with its promises.
pub(super) struct TriedProfile {
    pub(super) loaded: Loaded,
    scripts: ScriptCriteria,
    promises: Promises,
}

impl TriedProfile {
    /// Loads the policy of a profile: prompts, schemas and providers need not exist. Problems are pushed.
    pub(super) fn load(
        name: &str,
        over: &OverrideArguments,
        own: &[DeclaredPromise],
        problems: &mut Problems,
    ) -> Option<Self> {
        let loaded = over.on(name).load(context(), &library(), &[], problems)?;
        let profile = &loaded.profile;
        let scripts = ScriptCriteria::compile(&profile.policy.stop, &loaded.library, problems);
        let dimensions: Vec<&str> =
            profile.dimensions.iter().map(|dimension| dimension.name.as_str()).collect();
        let declared: Vec<DeclaredPromise> = profile.promises.iter().chain(own).cloned().collect();
        let promises = Promises::compile(&declared, &dimensions, &loaded.library, problems);
        Some(TriedProfile { loaded, scripts, promises })
    }

    /// The range of scores of each dimension.
    pub(super) fn range(&self) -> impl Fn(&str) -> (f64, f64) {
        let profile = &self.loaded.profile;
        |name: &str| {
            let dimension = profile.dimensions.iter().find(|dimension| dimension.name == name);
            dimension.map_or((0.0, 1.0), |dimension| {
                let range = range_of(dimension, profile.candidate);
                (range.low, range.high)
            })
        }
    }

    pub(super) fn subject<'a>(&'a self, range: &'a dyn Fn(&str) -> (f64, f64)) -> Subject<'a> {
        Subject { policy: &self.loaded.profile.policy, scripts: &self.scripts, range }
    }

    /// The position of a line of its decisions.
    pub(super) fn place(&self, line: &str) -> Option<Origin> {
        place_of_line(&self.loaded.merged, line)
    }
}

/// The promises in separate files. Problems are pushed.
fn declared_in_files(files: &[PathBuf], problems: &mut Problems) -> Vec<DeclaredPromise> {
    let mut declared = Vec::new();
    for path in files {
        match read_text_file(path) {
            Ok(file) => {
                let read = yaml::parse(&file, problems).and_then(|node| PromiseFile::decode(&node, problems));
                declared.extend(read.into_iter().flat_map(|file| file.promises));
            }
            Err(problem) => problems.push(problem),
        }
    }
    declared
}

/// Writes runs to one file, a line each, or one file each into a folder.
fn write_runs(path: &Path, runs: &[&Trajectory]) -> Result<(), Failure> {
    let broken = |path: &Path, error: std::io::Error| {
        Failure::broken(format!("can't write `{}`: {error}", path.shown()))
    };
    let is_folder = path.is_dir() || path.as_os_str().to_string_lossy().ends_with(std::path::is_separator);
    if !is_folder {
        let lines: String = runs.iter().map(|run| format!("{}\n", run.to_json())).collect();
        return disk::replace(path, lines.as_bytes(), Access::Owner).map_err(|error| broken(path, error));
    }
    std::fs::create_dir_all(path).map_err(|error| broken(path, error))?;
    for run in runs {
        let file = path.join(format!("{}.jsonl", file_stem(run)));
        let line = format!("{}\n", run.to_json());
        disk::replace(&file, line.as_bytes(), Access::Owner).map_err(|error| broken(&file, error))?;
    }
    Ok(())
}

/// A file name that tells which promise a run breaks.
fn file_stem(run: &Trajectory) -> String {
    let id = run.id.as_str().unwrap_or("run");
    let words = id.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty());
    let stem = words.collect::<Vec<_>>().join("-").to_lowercase();
    let short: String = stem.chars().take(80).collect();
    if short.is_empty() { "run".to_owned() } else { short }
}
